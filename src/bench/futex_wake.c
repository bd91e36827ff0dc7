/* futex wake, wake-parallel and requeue: the time to wake, or to requeue, all waiting threads. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/futex.h"
#include "bench/tasks.h"

#define ROUNDS    10
#define SETTLE_NS 100000000 /* until started threads wait in the kernel, as in perf */
#define MS        1e-6      /* in nanoseconds */

/* One round: threads that wait at a futex, and the futex to requeue them to. */
struct round {
	const struct bench_settings *s;
	struct bench_tasks waiters;
	futex at, to;
	uint64_t tasks;
};

static int wait_at(void *arg)
{
	struct round *w = arg;
	while (futex_call(&w->at, FUTEX_WAIT, w->s, 0, 0, NULL, 0))
		if (errno != EINTR)
			return errno == EAGAIN ? 0 : errno;
	return 0;
}

/* Returns as the owner of the other futex. */
static int wait_for_pi(void *arg)
{
	struct round *w = arg;
	while (futex_call(&w->at, FUTEX_WAIT_REQUEUE_PI, w->s, 0, 0, &w->to, 0))
		if (errno != EINTR)
			return errno == EAGAIN ? 0 : errno;
	return futex_call(&w->to, FUTEX_UNLOCK_PI, w->s, 0, 0, NULL, 0) ? errno : 0;
}

static struct strobe_error *begin_round(struct round *w, const struct bench_settings *s, uint64_t tasks, int (*body)(void *))
{
	uint64_t ns;
	const struct timespec settle = { .tv_nsec = SETTLE_NS };
	w->s = s;
	w->tasks = tasks;
	atomic_init(&w->at, 0);
	atomic_init(&w->to, 0);
	TRY(bench_tasks_init(&w->waiters, true));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < tasks && !err; i++)
		err = bench_task_start(&w->waiters, body, w, bench_cpu(i));
	if (!err)
		err = bench_tasks_go(&w->waiters, &ns);
	if (!err)
		nanosleep(&settle, NULL);
	else
		bench_tasks_end(&w->waiters);
	return err;
}

/* Wakes all threads that still wait at either futex. */
static struct strobe_error *end_round(struct round *w, struct strobe_error *err)
{
	atomic_store(&w->at, 1);
	if (w->s->pi && err)
		futex_call(&w->at, FUTEX_CMP_REQUEUE_PI, w->s, 1, INT_MAX, &w->to, 1);
	else
		futex_call(&w->at, FUTEX_WAKE, w->s, INT_MAX, 0, NULL, 0);
	if (!w->s->pi)
		futex_call(&w->to, FUTEX_WAKE, w->s, INT_MAX, 0, NULL, 0);
	err = error_first(err, bench_tasks_join(&w->waiters));
	bench_tasks_end(&w->waiters);
	return err;
}

/* ---- wake ---- */

/* Wakes at most that many per call until all are awake; returns the number of woken threads. */
static struct strobe_error *wake_all(struct round *w, uint64_t wakes, uint64_t *ret_woken)
{
	while (*ret_woken < w->tasks) {
		long n = futex_call(&w->at, FUTEX_WAKE, w->s, (uint32_t)wakes, 0, NULL, 0);
		if (n < 0)
			return error_errno(errno, "cannot wake threads");
		*ret_woken += (uint64_t)n;
	}
	return NULL;
}

/* Prints one round, and adds its time to the figures. */
static void put_round(struct bench_report *r, const struct bench_settings *s, uint64_t i, const char *text, uint64_t ns)
{
	if (!s->silent)
		bench_text(r, "[Run %" PRIu64 "]: %s in %.4f ms\n", i + 1, text, (double)ns * MS);
	bench_figure(r, NULL, "time", "ms", (double)ns * MS);
}

static void put_rounds(struct bench_report *r, const char *text)
{
	const struct stats *times = &vec_last(&r->figures).stats;
	bench_text(r, "%s in %.4f ms (+-%.2f%%)\n", text, times->mean, bench_error_percent(times));
	bench_simple(r, "%.4f\n", times->mean);
}

struct strobe_error *bench_futex_wake(const struct bench_settings *s, struct bench_report *r)
{
	struct round w;
	char text[96];
	uint64_t tasks, wakes = s->wakes ? s->wakes : 1, rounds = s->repeat ? s->repeat : ROUNDS;
	TRY(futex_prepare(s, r, &tasks));
	bench_setting(r, "wakes", wakes);
	bench_text(r, "Run summary [PID %d]: blocking on %" PRIu64 " threads (at [%s] futex %p), waking up %" PRIu64 " at a time.\n\n",
		   (int)getpid(), tasks, futex_sharing(s), (void *)&w.at, wakes);
	for (uint64_t i = 0; i < rounds && !out_failed(r->out); i++) {
		uint64_t woken = 0;
		TRY(begin_round(&w, s, tasks, wait_at));
		uint64_t start_ns = bench_clock_ns();
		struct strobe_error *err = wake_all(&w, wakes, &woken);
		uint64_t ns = bench_clock_ns() - start_ns;
		TRY(end_round(&w, err));
		snprintf(text, sizeof(text), "Wokeup %" PRIu64 " of %" PRIu64 " threads", woken, tasks);
		put_round(r, s, i, text, ns);
	}
	put_rounds(r, text);
	futex_put_buckets(s, r);
	return NULL;
}

/* ---- wake-parallel ---- */

struct waker {
	struct round *round;
	uint64_t wakes, ns;
} THREAD_OWN;

static int wake_some(void *arg)
{
	struct waker *w = arg;
	uint64_t start_ns = bench_clock_ns();
	if (futex_call(&w->round->at, FUTEX_WAKE, w->round->s, (uint32_t)w->wakes, 0, NULL, 0) < 0)
		return errno;
	w->ns = bench_clock_ns() - start_ns;
	return 0;
}

static struct strobe_error *run_wakers(struct waker *wakers, uint64_t n)
{
	struct bench_tasks tasks;
	uint64_t ns;
	TRY(bench_tasks_init(&tasks, true));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < n && !err; i++)
		err = bench_task_start(&tasks, wake_some, &wakers[i], -1);
	if (!err)
		err = bench_tasks_run(&tasks, &ns);
	bench_tasks_end(&tasks);
	return err;
}

static struct strobe_error *wake_in_parallel(const struct bench_settings *s, struct round *w, struct waker *wakers, uint64_t n,
					     struct stats *ret)
{
	TRY(begin_round(w, s, w->tasks, wait_at));
	for (uint64_t i = 0; i < n; i++)
		wakers[i] = (struct waker){ .round = w, .wakes = w->tasks / n };
	TRY(end_round(w, run_wakers(wakers, n)));
	for (uint64_t i = 0; i < n; i++)
		stats_add(ret, (double)wakers[i].ns * MS);
	return NULL;
}

static struct strobe_error *run_rounds(const struct bench_settings *s, struct bench_report *r, struct round *w, struct waker *wakers,
				       uint64_t n)
{
	uint64_t tasks = w->tasks, rounds = s->repeat ? s->repeat : ROUNDS;
	for (uint64_t i = 0; i < rounds && !out_failed(r->out); i++) {
		struct stats times = {};
		TRY(wake_in_parallel(s, w, wakers, n, &times));
		if (!s->silent)
			bench_text(r, "[Run %" PRIu64 "]: Avg per-thread latency (waking %" PRIu64 "/%" PRIu64
				   " threads) in %.4f ms (+-%.2f%%)\n", i + 1, tasks / n, tasks, times.mean, bench_error_percent(&times));
		bench_figure(r, NULL, "latency", "ms", times.mean);
	}
	return NULL;
}

struct strobe_error *bench_futex_wake_parallel(const struct bench_settings *s, struct bench_report *r)
{
	struct round w;
	char text[96];
	uint64_t tasks;
	TRY(futex_prepare(s, r, &tasks));
	w.tasks = tasks;
	uint64_t n = !s->wakes || s->wakes > tasks ? tasks : s->wakes;
	if (tasks % n)
		return error_create(ERROR_USAGE, "-w: %" PRIu64 " threads cannot be divided among %" PRIu64 " wakers", tasks, n);
	bench_setting(r, "wakers", n);
	bench_text(r, "Run summary [PID %d]: blocking on %" PRIu64 " threads (at [%s] futex %p), %" PRIu64 " threads waking up %" PRIu64
		   " at a time.\n\n", (int)getpid(), tasks, futex_sharing(s), (void *)&w.at, n, tasks / n);
	struct waker *wakers = xcalloc_apart(n, sizeof(*wakers));
	struct strobe_error *err = run_rounds(s, r, &w, wakers, n);
	free(wakers);
	if (err)
		return err;
	snprintf(text, sizeof(text), "Avg per-thread latency (waking %" PRIu64 "/%" PRIu64 " threads)", tasks / n, tasks);
	put_rounds(r, text);
	futex_put_buckets(s, r);
	return NULL;
}

/* ---- requeue ---- */

/* Requeues at most that many per call until all are requeued; with priority inheritance each call also wakes one. */
static struct strobe_error *requeue_all(struct round *w, uint64_t requeues, uint64_t *ret_woken, uint64_t *ret_moved)
{
	while (*ret_woken + *ret_moved < w->tasks) {
		long n = w->s->pi ? futex_call(&w->at, FUTEX_CMP_REQUEUE_PI, w->s, 1, requeues, &w->to, 0) :
			futex_call(&w->at, FUTEX_CMP_REQUEUE, w->s, 0, requeues, &w->to, 0);
		if (n < 0 && errno != EAGAIN)
			return error_errno(errno, "cannot move threads from one futex to the other");
		if (n <= 0)
			continue;
		*ret_woken += w->s->pi ? 1 : 0;
		*ret_moved += (uint64_t)n - (w->s->pi ? 1 : 0);
	}
	return NULL;
}

static struct strobe_error *requeue_once(const struct bench_settings *s, struct bench_report *r, struct round *w, uint64_t i,
					 uint64_t tasks, uint64_t requeues)
{
	char text[96];
	uint64_t woken = 0, moved = 0;
	TRY(begin_round(w, s, tasks, s->pi ? wait_for_pi : wait_at));
	uint64_t start_ns = bench_clock_ns();
	struct strobe_error *err = requeue_all(w, requeues, &woken, &moved);
	uint64_t ns = bench_clock_ns() - start_ns;
	TRY(end_round(w, err));
	if (s->pi)
		snprintf(text, sizeof(text), "Awoke and Requeued (%" PRIu64 "+%" PRIu64 ") of %" PRIu64 " threads", woken, moved, tasks);
	else
		snprintf(text, sizeof(text), "Requeued %" PRIu64 " of %" PRIu64 " threads", moved, tasks);
	put_round(r, s, i, text, ns);
	return NULL;
}

struct strobe_error *bench_futex_requeue(const struct bench_settings *s, struct bench_report *r)
{
	struct round w;
	char text[96];
	uint64_t tasks, rounds = s->repeat ? s->repeat : ROUNDS;
	TRY(futex_prepare(s, r, &tasks));
	uint64_t requeues = s->broadcast ? tasks : s->requeues ? s->requeues : 1;
	requeues = requeues < tasks ? requeues : tasks;
	bench_setting(r, "requeues", requeues);
	bench_text(r, "Run summary [PID %d]: Requeuing %" PRIu64 " threads (from [%s] %p to %s%p), %" PRIu64
		   " at a time.\n\n", (int)getpid(), tasks, futex_sharing(s), (void *)&w.at, s->pi ? "PI " : "", (void *)&w.to, requeues);
	for (uint64_t i = 0; i < rounds && !out_failed(r->out); i++)
		TRY(requeue_once(s, r, &w, i, tasks, requeues));
	snprintf(text, sizeof(text), "Requeued %" PRIu64 " of %" PRIu64 " threads", tasks, tasks);
	put_rounds(r, text);
	futex_put_buckets(s, r);
	return NULL;
}
