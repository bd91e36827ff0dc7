/* futex hash and lock-pi: operations of threads that work for a time. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/futex.h"
#include "bench/timed.h"

#define FUTEXES   1024
#define RUNTIME_S 10
#define ABSENT    1234 /* a value that no futex has */

struct worker {
	const struct bench_settings *s;
	const struct bench_timed *timed;
	futex *futexes;
	uint64_t futexes_nr, operations;
} THREAD_OWN;

static int miss(void *arg)
{
	struct worker *w = arg;
	uint64_t n = 0;
	do {
		for (uint64_t i = 0; i < w->futexes_nr; i++, n++)
			if (!futex_call(&w->futexes[i], FUTEX_WAIT, w->s, ABSENT, 0, NULL, 0))
				return EINVAL;
	} while (!bench_timed_is_over(w->timed));
	w->operations = n;
	return 0;
}

static int lock(void *arg)
{
	struct worker *w = arg;
	const struct timespec pause = { .tv_nsec = 1000 };
	do {
		while (futex_call(w->futexes, FUTEX_LOCK_PI, w->s, 0, 0, NULL, 0))
			if (errno != EINTR && errno != EAGAIN)
				return errno;
		nanosleep(&pause, NULL); /* holds the lock, so that others have to wait */
		if (futex_call(w->futexes, FUTEX_UNLOCK_PI, w->s, 0, 0, NULL, 0))
			return errno;
		w->operations++;
	} while (!bench_timed_is_over(w->timed));
	return 0;
}

/* Runs one thread per worker, on the CPUs in turn, for that time or until Ctrl-C; returns the elapsed time. */
static struct strobe_error *run_timed(struct worker *workers, uint64_t n, int (*body)(void *), uint64_t runtime_s, uint64_t *ret_ns)
{
	struct bench_timed timed;
	TRY(bench_timed_init(&timed, runtime_s));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < n && !err; i++) {
		workers[i].timed = &timed;
		err = bench_task_start(&timed.tasks, body, &workers[i], bench_cpu(i));
	}
	if (!err)
		err = bench_timed_run(&timed, ret_ns);
	bench_timed_end(&timed);
	return err;
}

static void put_summary(struct bench_report *r, const struct bench_settings *s, const struct stats *rates, uint64_t ns)
{
	if (!s->silent)
		bench_text(r, "\n");
	bench_average(r, rates, ns);
	futex_put_buckets(s, r);
}

struct strobe_error *bench_futex_hash(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t n, futexes = s->futexes ? s->futexes : FUTEXES, runtime_s = s->runtime_s ? s->runtime_s : RUNTIME_S, ns = 0;
	struct stats rates = {};
	TRY(futex_prepare(s, r, &n));
	if (futexes > UINT32_MAX / n)
		return error_create(ERROR_USAGE, "-f: too many futexes");
	bench_setting(r, "futexes", futexes);
	bench_text(r, "Run summary [PID %d]: %" PRIu64 " threads, each operating on %" PRIu64 " [%s] futexes for %" PRIu64 " secs.\n\n",
		   (int)getpid(), n, futexes, futex_sharing(s), runtime_s);
	struct worker *workers = xcalloc_apart(n, sizeof(*workers));
	futex *all = xcalloc(n * futexes, sizeof(*all));
	for (uint64_t i = 0; i < n; i++)
		workers[i] = (struct worker){ .s = s, .futexes = all + i * futexes, .futexes_nr = futexes };
	struct strobe_error *err = run_timed(workers, n, miss, runtime_s, &ns);
	for (uint64_t i = 0; i < n && !err; i++) {
		const struct worker *w = &workers[i];
		stats_add(&rates, bench_per_second(w->operations, ns));
		if (!s->silent)
			bench_text(r, "[thread %2" PRIu64 "] futexes: %p ... %p [ %" PRIu64 " ops/sec ]\n", i, (void *)w->futexes,
				   (void *)(w->futexes + futexes - 1), (uint64_t)bench_per_second(w->operations, ns));
	}
	free(all);
	free(workers);
	if (!err)
		put_summary(r, s, &rates, ns);
	return err;
}

struct strobe_error *bench_futex_lock_pi(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t n, runtime_s = s->runtime_s ? s->runtime_s : RUNTIME_S, ns = 0;
	struct stats rates = {};
	TRY(futex_prepare(s, r, &n));
	bench_text(r, "Run summary [PID %d]: %" PRIu64 " threads doing pi lock/unlock pairing for %" PRIu64 " secs.\n\n", (int)getpid(), n,
		   runtime_s);
	struct worker *workers = xcalloc_apart(n, sizeof(*workers));
	futex *all = xcalloc(n, sizeof(*all));
	for (uint64_t i = 0; i < n; i++)
		workers[i] = (struct worker){ .s = s, .futexes = s->multi ? &all[i] : all };
	struct strobe_error *err = run_timed(workers, n, lock, runtime_s, &ns);
	for (uint64_t i = 0; i < n && !err; i++) {
		stats_add(&rates, bench_per_second(workers[i].operations, ns));
		if (!s->silent)
			bench_text(r, "[thread %3" PRIu64 "] futex: %p [ %" PRIu64 " ops/sec ]\n", i, (void *)workers[i].futexes,
				   (uint64_t)bench_per_second(workers[i].operations, ns));
	}
	free(all);
	free(workers);
	if (!err)
		put_summary(r, s, &rates, ns);
	return err;
}
