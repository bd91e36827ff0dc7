#include "analysis/sched/sched_latency.h"

#include <stdlib.h>

#include "analysis/sched/sched_bad.h"
#include "analysis/sched/sched_states.h"
#include "analysis/sched/sched_threads.h"
#include "base/mem.h"

/* perf's states of a thread since it was last switched out. */
enum wait_state { NO_WAIT, WAIT_SLEEPING, WAIT_RUNNABLE, WAIT_OVER, WAIT_IGNORED };

struct waiter {
	uint32_t sum; /* index; UINT32_MAX: the thread has no events yet */
	uint8_t state;
	uint64_t out_ns, ready_ns;
};

struct sched_latency {
	struct sched_latency_request q;
	struct sched_source *source;
	struct sched_threads threads;
	VEC(struct waiter) waiters; /* by thread */
	struct sched_sums sums;
	struct sched_bad bad;
	uint64_t last_switch_ns[SCHED_CPUS_MAX];
	struct task_states states;
	bool has_waking, has_runtime, is_ready;
};

/* ---- threads ---- */

static struct waiter *waiter_of(struct sched_latency *l, uint32_t tid)
{
	uint32_t thread = sched_threads_find(&l->threads, SCHED_PID_UNKNOWN, tid);
	while (l->waiters.len <= thread)
		vec_push(&l->waiters, ((struct waiter){ .sum = UINT32_MAX }));
	return &l->waiters.data[thread];
}

static struct sched_sum *sum_of(struct sched_latency *l, struct waiter *w, uint32_t tid)
{
	if (w->sum == UINT32_MAX) {
		w->sum = (uint32_t)l->sums.rows.len;
		sched_sums_add(&l->sums, NULL, tid);
	}
	return &l->sums.rows.data[w->sum];
}

/* ---- perf's rules ---- */

static void put_out(struct waiter *w, bool is_runnable, uint64_t time_ns)
{
	w->out_ns = time_ns;
	w->ready_ns = is_runnable ? time_ns : 0;
	w->state = is_runnable ? WAIT_RUNNABLE : WAIT_SLEEPING;
}

static void put_in(struct waiter *w, struct sched_sum *s, uint64_t time_ns)
{
	if (w->state != WAIT_RUNNABLE)
		return;
	if (time_ns < w->ready_ns) {
		w->state = WAIT_IGNORED;
		return;
	}
	uint64_t delay = time_ns - w->ready_ns;
	w->state = WAIT_OVER;
	s->count++;
	s->delay_ns += delay;
	if (delay > s->max_ns) {
		s->max_ns = delay;
		s->max_start_ns = w->ready_ns;
		s->max_end_ns = time_ns;
	}
}

static void take_switch(struct sched_latency *l, const struct sched_event *e)
{
	if (!sched_bad_switch(&l->bad, e))
		return;
	struct waiter *out = waiter_of(l, e->prev_pid);
	uint64_t last_ns = l->last_switch_ns[e->cpu];
	struct sched_sum *s = sum_of(l, out, e->prev_pid);
	if (!l->has_runtime && last_ns && e->time_ns > last_ns)
		s->runtime_ns += e->time_ns - last_ns;
	l->last_switch_ns[e->cpu] = e->time_ns;
	put_out(out, e->letter == 'R', e->time_ns);
	struct waiter *in = waiter_of(l, e->next_pid);
	s = sum_of(l, in, e->next_pid);
	if (in->state == NO_WAIT)
		put_out(in, true, e->time_ns);
	put_in(in, s, e->time_ns);
}

static void take_runtime(struct sched_latency *l, const struct sched_event *e)
{
	struct waiter *w = waiter_of(l, e->runner);
	struct sched_sum *s = sum_of(l, w, e->runner);
	if (w->state == NO_WAIT)
		put_out(w, true, e->time_ns);
	s->runtime_ns += e->runtime_ns;
}

static void take_wake(struct sched_latency *l, const struct sched_event *e)
{
	struct waiter *w = waiter_of(l, e->wakee);
	sum_of(l, w, e->wakee);
	if (w->state == NO_WAIT)
		put_out(w, false, e->time_ns);
	/* If the thread is not asleep, only its state changes; a recording of one CPU may have missed the sleep. */
	if (!l->q.one_cpu && w->state != WAIT_SLEEPING)
		return;
	l->bad.timestamps++;
	if (w->out_ns > e->time_ns) {
		l->bad.unordered++;
		return;
	}
	w->state = WAIT_RUNNABLE;
	w->ready_ns = e->time_ns;
}

static void take_migration(struct sched_latency *l, const struct sched_event *e)
{
	if (!l->q.one_cpu)
		return;
	struct waiter *w = waiter_of(l, e->migrant);
	sum_of(l, w, e->migrant);
	if (w->state == NO_WAIT)
		put_out(w, true, e->time_ns);
	w->out_ns = w->ready_ns = e->time_ns;
	l->bad.timestamps++;
}

/* ---- the states of threads ---- */

static void take_interval(void *ctx, const struct task_interval *i)
{
	struct sched_latency *l = ctx;
	const struct task *t = &l->states.tasks.data[i->task];
	if (!t->tid)
		return;
	struct waiter *w = waiter_of(l, t->tid);
	struct sched_sum *s = sum_of(l, w, t->tid);
	s->ns[i->state] += i->end_ns - i->start_ns;
	if (i->state == TASK_RUNNABLE && !i->is_cut)
		sched_sums_delay(&l->sums, s, i->end_ns - i->start_ns);
}

/* ---- records ---- */

static void make_ready(struct sched_latency *l)
{
	l->is_ready = true;
	l->has_waking = sched_source_has(l->source, SCHED_WAKING);
	l->has_runtime = sched_source_has(l->source, SCHED_RUNTIME);
	bool has_wakes = l->has_waking || sched_source_has(l->source, SCHED_WAKEUP);
	task_states_init(&l->states, &(struct task_states_options){ .interval = take_interval, .ctx = l, .has_wakes = has_wakes });
}

static struct strobe_error *take_event(void *ctx, const struct sched_event *e)
{
	struct sched_latency *l = ctx;
	if (!l->is_ready)
		make_ready(l);
	switch (e->kind) {
	case SCHED_SWITCH:
		take_switch(l, e);
		break;
	case SCHED_RUNTIME:
		take_runtime(l, e);
		break;
	case SCHED_MIGRATE:
		take_migration(l, e);
		break;
	case SCHED_WAKEUP:
		if (!l->has_waking)
			take_wake(l, e);
		break;
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW:
		take_wake(l, e);
		break;
	default:
		return NULL;
	}
	if (l->q.with_states)
		sched_states_event(&l->states, e, l->has_waking, 0);
	return NULL;
}

static struct strobe_error *take_record(void *ctx, struct record r, const struct sample_tail *tail)
{
	struct sched_latency *l = ctx;
	if (l->q.with_states && l->is_ready)
		sched_states_record(&l->states, r, tail);
	sched_threads_record(&l->threads, r);
	return NULL;
}

/* ---- the whole ---- */

/* Names rows by the last name of each thread. */
static void name_rows(struct sched_latency *l)
{
	for (size_t i = 0; i < l->waiters.len; i++)
		if (l->waiters.data[i].sum != UINT32_MAX)
			l->sums.rows.data[l->waiters.data[i].sum].comm = l->threads.threads.data[i].comm;
}

struct strobe_error *sched_latency_run(const struct sched_latency_request *q, struct sched_latency **ret)
{
	struct sched_latency *l = *ret = xcalloc(1, sizeof(*l));
	struct sched_source_callbacks callbacks = { .event = take_event, .record = take_record, .ctx = l };
	l->q = *q;
	l->sums.has_states = q->with_states;
	sched_threads_init(&l->threads, false);
	TRY(sched_source_open(&q->source, &l->source));
	struct strobe_error *err = sched_source_run(l->source, &callbacks);
	if (q->with_states && l->is_ready)
		task_states_finish(&l->states, 0);
	name_rows(l);
	if (!q->by_thread)
		sched_sums_merge(&l->sums);
	sched_sums_sort(&l->sums, q->sort);
	return err;
}

void sched_latency_destroy(struct sched_latency *l)
{
	if (!l)
		return;
	sched_source_close(l->source);
	sched_threads_deinit(&l->threads);
	vec_deinit(&l->waiters);
	sched_sums_deinit(&l->sums);
	task_states_deinit(&l->states);
	free(l);
}

const struct sched_sums *sched_latency_sums(const struct sched_latency *l)
{
	return &l->sums;
}

void sched_latency_notes(const struct sched_latency *l, struct out *out)
{
	sched_bad_put(&l->bad, sched_source_counts(l->source), out);
}

void sched_latency_remarks(const struct sched_latency *l)
{
	sched_source_remarks(l->source);
	if (l->q.with_states)
		sched_states_remarks(&l->states, l->q.source.host);
}
