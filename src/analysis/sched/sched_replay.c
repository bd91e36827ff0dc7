#include "analysis/sched/sched_replay.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "analysis/sched/sched_bad.h"
#include "analysis/sched/sched_threads.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"

#define STACK_BYTES   (size_t)(64 * 1024)
#define NO_WAIT       UINT32_MAX
#define CALIBRATIONS  10
#define TASK_NAME_MAX 22

enum step_kind { STEP_RUN, STEP_SLEEP, STEP_WAKE };

struct step {
	uint8_t kind;
	uint32_t wait; /* semaphore of a sleep and the wake-up that ends it, or NO_WAIT */
	uint64_t ns;
};

struct actor {
	uint32_t tid;
	const char *comm;
	VEC(struct step) steps;
	pthread_t thread;
	struct sched_replay *replay;
	uint64_t cpu_ns; /* of this round */
};

struct sched_replay {
	struct sched_replay_request q;
	struct sched_source *source;
	struct sched_threads threads;
	struct u64map by_tid;
	VEC(struct actor *) actors;
	struct arena arena;
	uint64_t last_switch_ns[SCHED_CPUS_MAX];
	bool has_waking;
	uint32_t waits_nr;
	uint64_t runs, sleeps, wakes, targetless, multitarget, joined_runs;
	uint64_t overhead_ns; /* of reading the clock */
	/* While it runs. */
	sem_t *waits;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t round;       /* that has begun */
	size_t ended;         /* threads that have finished the round */
	bool is_over;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return timespec_ns(t);
}

/* ---- the plan ---- */

static void add_step(struct actor *a, enum step_kind kind, uint64_t ns, uint32_t wait)
{
	vec_push(&a->steps, ((struct step){ .kind = (uint8_t)kind, .wait = wait, .ns = ns }));
}

/* Each begins asleep; a sleep without a wake-up is skipped. */
static struct actor *actor_of(struct sched_replay *r, uint32_t tid, const char *comm, size_t n)
{
	bool is_new;
	uint64_t *at = u64map_put(&r->by_tid, tid, &is_new);
	if (is_new) {
		struct actor *a = arena_new(&r->arena, struct actor);
		a->tid = tid;
		a->comm = arena_strndup(&r->arena, comm, comm ? strnlen(comm, n) : 0);
		a->replay = r;
		add_step(a, STEP_SLEEP, 0, NO_WAIT);
		r->sleeps++;
		*at = r->actors.len;
		vec_push(&r->actors, a);
	}
	return r->actors.data[*at];
}

static void add_wake(struct sched_replay *r, struct actor *waker, struct actor *wakee)
{
	size_t at = waker->steps.len;
	add_step(waker, STEP_WAKE, 0, NO_WAIT);
	struct step *sleep = &vec_last(&wakee->steps);
	if (sleep->kind != STEP_SLEEP) {
		r->targetless++;
		return;
	}
	if (sleep->wait != NO_WAIT) {
		r->multitarget++;
		return;
	}
	sleep->wait = waker->steps.data[at].wait = r->waits_nr++;
	r->wakes++;
}

static void add_run(struct sched_replay *r, struct actor *a, uint64_t ns)
{
	struct step *last = &vec_last(&a->steps);
	if (last->kind == STEP_RUN) {
		last->ns += ns;
		r->joined_runs++;
		return;
	}
	add_step(a, STEP_RUN, ns, NO_WAIT);
	r->runs++;
}

static void take_switch(struct sched_replay *r, const struct sched_event *e)
{
	uint64_t last_ns = r->last_switch_ns[e->cpu];
	struct actor *prev = actor_of(r, e->prev_pid, (const char *)e->comm.data, e->comm.bytes);
	actor_of(r, e->next_pid, (const char *)e->next_comm.data, e->next_comm.bytes);
	add_run(r, prev, last_ns && e->time_ns > last_ns ? e->time_ns - last_ns : 0);
	add_step(prev, STEP_SLEEP, 0, NO_WAIT);
	r->sleeps++;
	r->last_switch_ns[e->cpu] = e->time_ns;
}

static struct strobe_error *take_event(void *ctx, const struct sched_event *e)
{
	struct sched_replay *r = ctx;
	r->has_waking |= sched_source_has(r->source, SCHED_WAKING);
	if (e->kind == SCHED_SWITCH && e->cpu < SCHED_CPUS_MAX) {
		take_switch(r, e);
	} else if (e->kind == SCHED_WAKEUP_NEW || e->kind == (r->has_waking ? SCHED_WAKING : SCHED_WAKEUP)) {
		struct actor *waker = actor_of(r, e->tid, "<unknown>", 16);
		add_wake(r, waker, actor_of(r, e->wakee, (const char *)e->comm.data, e->comm.bytes));
	}
	return NULL;
}

static void add_thread(struct sched_replay *r, uint32_t pid, uint32_t tid)
{
	const struct sched_thread *t = &r->threads.threads.data[sched_threads_find(&r->threads, pid, tid)];
	actor_of(r, tid, t->comm, SIZE_MAX);
}

static struct strobe_error *take_record(void *ctx, struct record rec, const struct sample_tail *tail)
{
	struct sched_replay *r = ctx;
	struct record_task task;
	(void)tail;
	sched_threads_record(&r->threads, rec);
	if (rec.hdr->type == PERF_RECORD_FORK && record_decode_task(rec, &task)) {
		add_thread(r, task.ppid, task.ptid);
		add_thread(r, task.pid, task.tid);
	}
	return NULL;
}

struct strobe_error *sched_replay_read(const struct sched_replay_request *q, struct sched_replay **ret)
{
	struct sched_replay *r = *ret = xcalloc(1, sizeof(*r));
	struct sched_source_callbacks callbacks = { .event = take_event, .record = take_record, .ctx = r };
	r->q = *q;
	sched_threads_init(&r->threads, false);
	TRY(sched_source_open(&q->source, &r->source));
	struct strobe_error *err = sched_source_run(r->source, &callbacks);
	sched_source_remarks(r->source);
	return err;
}

void sched_replay_destroy(struct sched_replay *r)
{
	if (!r)
		return;
	sched_source_close(r->source);
	sched_threads_deinit(&r->threads);
	for (size_t i = 0; i < r->actors.len; i++)
		vec_deinit(&r->actors.data[i]->steps);
	vec_deinit(&r->actors);
	u64map_deinit(&r->by_tid);
	arena_deinit(&r->arena);
	free(r);
}

void sched_replay_put_plan(const struct sched_replay *r, struct out *out)
{
	if (r->q.format != TABLE_AS_TEXT)
		return;
	out_f(out, "nr_run_events:        %" PRIu64 "\nnr_sleep_events:      %" PRIu64 "\nnr_wakeup_events:     %" PRIu64 "\n", r->runs,
	      r->sleeps, r->wakes);
	if (r->targetless)
		out_f(out, "target-less wakeups:  %" PRIu64 "\n", r->targetless);
	if (r->multitarget)
		out_f(out, "multi-target wakeups: %" PRIu64 "\n", r->multitarget);
	if (r->joined_runs)
		out_f(out, "run atoms optimized: %" PRIu64 "\n", r->joined_runs);
	for (size_t i = 0; i < r->actors.len; i++) {
		const struct actor *a = r->actors.data[i];
		out_f(out, "task %6zu (", i);
		out_text_right(out, a->comm, 20);
		out_f(out, ":%10" PRIu32 "), nr_events: %zu\n", a->tid, a->steps.len);
	}
}

/* ---- clocks ---- */

static void burn(const struct sched_replay *r, uint64_t ns)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);
	while (now_ns(CLOCK_MONOTONIC) + r->overhead_ns < start + ns)
		;
}

static void sleep_for(uint64_t ns)
{
	struct timespec t = ns_timespec(ns);
	nanosleep(&t, NULL);
}

static uint64_t time_of(const struct sched_replay *r, bool is_sleep, uint64_t ns)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);
	if (is_sleep)
		sleep_for(ns);
	else
		burn(r, ns);
	return now_ns(CLOCK_MONOTONIC) - start;
}

static uint64_t least_time(const struct sched_replay *r, bool is_sleep, uint64_t ns)
{
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < CALIBRATIONS; i++) {
		uint64_t took = time_of(r, is_sleep, ns);
		least = took < least ? took : least;
	}
	return least;
}

void sched_replay_calibrate(struct sched_replay *r, struct out *out)
{
	r->overhead_ns = least_time(r, false, 0);
	if (r->q.format != TABLE_AS_TEXT)
		return;
	out_f(out, "run measurement overhead: %" PRIu64 " nsecs\n", r->overhead_ns);
	uint64_t least = least_time(r, true, 10000);
	out_f(out, "sleep measurement overhead: %" PRIu64 " nsecs\n", least > 10000 ? least - 10000 : 0);
	out_f(out, "the run test took %" PRIu64 " nsecs\n", time_of(r, false, 1000000));
	out_f(out, "the sleep test took %" PRIu64 " nsecs\n", time_of(r, true, 1000000));
}

/* ---- running ---- */

static void act(struct sched_replay *r, const struct step *s)
{
	if (s->kind == STEP_RUN)
		burn(r, s->ns);
	else if (s->wait != NO_WAIT && s->kind == STEP_WAKE)
		sem_post(&r->waits[s->wait]);
	else if (s->wait != NO_WAIT)
		while (sem_wait(&r->waits[s->wait]))
			;
}

/* False: no more rounds. */
static bool wait_for_round(struct sched_replay *r, uint64_t round)
{
	pthread_mutex_lock(&r->lock);
	while (r->round < round && !r->is_over)
		pthread_cond_wait(&r->changed, &r->lock);
	bool is_over = r->is_over;
	pthread_mutex_unlock(&r->lock);
	return !is_over;
}

static void end_round(struct sched_replay *r)
{
	pthread_mutex_lock(&r->lock);
	if (++r->ended == r->actors.len)
		pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static void *run_actor(void *ctx)
{
	struct actor *a = ctx;
	struct sched_replay *r = a->replay;
	char name[TASK_NAME_MAX];
	snprintf(name, sizeof(name), ":%s", a->comm);
	prctl(PR_SET_NAME, name);
	for (uint64_t round = 1; wait_for_round(r, round); round++) {
		uint64_t before = now_ns(CLOCK_THREAD_CPUTIME_ID);
		for (size_t i = 0; i < a->steps.len; i++)
			act(r, &a->steps.data[i]);
		a->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - before;
		end_round(r);
	}
	return NULL;
}

static const char *const row_keys[] = { "repetition", "elapsed_ns", "average_elapsed_ns", "cpu_ns", "average_cpu_ns", NULL };

/* What a repetition took, and the moving averages of all so far. */
struct round {
	uint64_t number;
	uint64_t run_ns, average_run_ns, cpu_ns, average_cpu_ns;
};

static void put_round(const struct sched_replay *r, struct out *out, struct sched_rows *rows, const struct round *a)
{
	if (r->q.format == TABLE_AS_TEXT) {
		out_f(out, "#%-3" PRIu64 ": %0.3f, ravg: %0.2f, cpu: %0.2f / %0.2f\n", a->number, (double)a->run_ns / 1e6,
		      (double)a->average_run_ns / 1e6, (double)a->cpu_ns / 1e6, (double)a->average_cpu_ns / 1e6);
	} else {
		const uint64_t values[] = { a->number, a->run_ns, a->average_run_ns, a->cpu_ns, a->average_cpu_ns };
		for (size_t i = 0; row_keys[i]; i++)
			sched_rows_u64(rows, values[i]);
	}
	out_flush(out);
}

static uint64_t average(uint64_t before, uint64_t value, uint64_t repeat)
{
	return before ? (before * (repeat - 1) + value) / repeat : value;
}

static void run_round(struct sched_replay *r, struct round *a)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC), repeat = r->q.repeat ? r->q.repeat : UINT_MAX;
	pthread_mutex_lock(&r->lock);
	r->ended = 0;
	r->round++;
	pthread_cond_broadcast(&r->changed);
	while (r->ended < r->actors.len)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
	a->run_ns = now_ns(CLOCK_MONOTONIC) - start;
	a->cpu_ns = 0;
	for (size_t i = 0; i < r->actors.len; i++)
		a->cpu_ns += r->actors.data[i]->cpu_ns;
	a->average_run_ns = average(a->average_run_ns, a->run_ns, repeat);
	a->average_cpu_ns = average(a->average_cpu_ns, a->cpu_ns, repeat);
}

/* Returns the number of started threads; *ret_errnum: why not all. */
static size_t start_actors(struct sched_replay *r, int *ret_errnum)
{
	size_t bytes = STACK_BYTES > (size_t)PTHREAD_STACK_MIN ? STACK_BYTES : (size_t)PTHREAD_STACK_MIN, started = 0;
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, bytes);
	for (*ret_errnum = 0; started < r->actors.len; started++) {
		struct actor *a = r->actors.data[started];
		*ret_errnum = pthread_create(&a->thread, &attr, run_actor, a);
		if (*ret_errnum)
			break;
	}
	pthread_attr_destroy(&attr);
	return started;
}

static void stop_actors(struct sched_replay *r, size_t started)
{
	pthread_mutex_lock(&r->lock);
	r->is_over = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; i < started; i++)
		pthread_join(r->actors.data[i]->thread, NULL);
}

static void run_rounds(struct sched_replay *r, struct out *out)
{
	struct round a = {};
	struct sched_rows rows;
	if (r->q.format == TABLE_AS_TEXT)
		out_str(out, "------------------------------------------------------------\n");
	else
		sched_rows_begin(&rows, out, r->q.format, "strobe-sched-replay", row_keys);
	while (!out_failed(out) && (!r->q.repeat || a.number < r->q.repeat)) {
		a.number++;
		run_round(r, &a);
		put_round(r, out, &rows, &a);
	}
	if (r->q.format != TABLE_AS_TEXT)
		sched_rows_end(&rows);
}

/* Each also wakes the next one, so that all sleeps of a round end. */
static void add_cross_wakes(struct sched_replay *r)
{
	for (size_t i = 0; i < r->actors.len; i++)
		add_wake(r, r->actors.data[i], r->actors.data[i + 1 < r->actors.len ? i + 1 : 0]);
}

struct strobe_error *sched_replay_run(struct sched_replay *r, struct out *out)
{
	add_cross_wakes(r);
	r->waits = xcalloc(r->waits_nr + 1, sizeof(*r->waits));
	for (uint32_t i = 0; i < r->waits_nr; i++)
		sem_init(&r->waits[i], 0, 0);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	int errnum;
	size_t started = start_actors(r, &errnum);
	bool is_whole = started == r->actors.len;
	if (is_whole)
		run_rounds(r, out);
	stop_actors(r, started);
	for (uint32_t i = 0; i < r->waits_nr; i++)
		sem_destroy(&r->waits[i]);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->waits);
	if (is_whole)
		return NULL;
	return errnum == EAGAIN ? error_create(ERROR_LIMIT, "cannot start %zu threads, only %zu: raise ulimit -u, or record for a shorter "
					       "time", r->actors.len, started) :
				  error_errno(errnum, "cannot start a thread");
}
