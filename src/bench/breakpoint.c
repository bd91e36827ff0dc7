/*
 * breakpoint thread and enable: the cost of a process's breakpoints when its threads start and end, and when they are enabled and disabled.
 *
 * Source: perf_event_open(2), PERF_TYPE_BREAKPOINT, and inherit: each new thread inherits the breakpoints of its parent.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/futex.h"
#include "bench/tasks.h"
#include "sys/sys.h"

#define ROUNDS      10
#define TASKS_MAX   (1 << 16)
#define US          1e-3 /* in nanoseconds */

/* For this process and threads that it starts later; the word lives as long as the breakpoint. */
static struct strobe_error *set_breakpoint(uint64_t *word, int *ret)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_RW,
					.bp_addr = (uintptr_t)word, .bp_len = HW_BREAKPOINT_LEN_1, .inherit = 1, .exclude_kernel = 1,
					.exclude_hv = 1 };
	*ret = sys_perf_event_open(sys_live(), &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (*ret >= 0)
		return NULL;
	if (*ret == -ENOSPC)
		return error_errno(ENOSPC, "cannot set another breakpoint: the processor has only a few (-b; x86: four)");
	if (*ret == -EPERM || *ret == -EACCES)
		return error_errno(-*ret, "cannot set a breakpoint (see /proc/sys/kernel/perf_event_paranoid)");
	return error_create(ERROR_UNSUPPORTED, "cannot set a breakpoint: this processor, or this guest, has none (%s)",
			    strerrordesc_np(-*ret));
}

static void close_breakpoints(int *fds, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* A thread that sleeps until the futex is set. */
static void *sleep_until_set(void *arg)
{
	futex *is_over = arg;
	const struct bench_settings private = {};
	while (!atomic_load(is_over))
		futex_call(is_over, FUTEX_WAIT, &private, 0, 0, NULL, 0);
	return NULL;
}

static void wake_sleepers(futex *is_over)
{
	const struct bench_settings private = {};
	atomic_store(is_over, 1);
	futex_call(is_over, FUTEX_WAKE, &private, INT32_MAX, 0, NULL, 0);
}

static void *spin_until_set(void *arg)
{
	futex *is_over = arg;
	while (!atomic_load_explicit(is_over, memory_order_relaxed))
		;
	return NULL;
}

/* ---- thread ---- */

struct starting {
	_Atomic uint64_t next_round;
	uint64_t rounds, threads;
	double *us; /* of each round */
};

/* Returns 0 or an errno; all started threads have ended. */
static int start_and_join(pthread_t *threads, uint64_t n)
{
	futex is_over = 0;
	uint64_t started = 0;
	int e = 0;
	while (started < n && !(e = pthread_create(&threads[started], NULL, sleep_until_set, &is_over)))
		started++;
	wake_sleepers(&is_over);
	for (uint64_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return e;
}

/* The tasks that call this concurrently share the rounds. */
static int start_threads(void *arg)
{
	struct starting *s = arg;
	pthread_t *threads = xcalloc(s->threads, sizeof(*threads));
	int e = 0;
	for (uint64_t round; !e && (round = atomic_fetch_add(&s->next_round, 1)) < s->rounds;) {
		uint64_t start_ns = bench_clock_ns();
		e = start_and_join(threads, s->threads);
		s->us[round] = (double)(bench_clock_ns() - start_ns) * US / (double)s->threads;
	}
	free(threads);
	return e;
}

static struct strobe_error *run_parallel(struct starting *s, uint64_t tasks, uint64_t *ret_ns)
{
	struct bench_tasks t;
	TRY(bench_tasks_init(&t, true));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < tasks && !err; i++)
		err = bench_task_start(&t, start_threads, s, -1);
	err = err ? err : bench_tasks_run(&t, ret_ns);
	bench_tasks_end(&t);
	return err;
}

static struct strobe_error *run_with_breakpoints(struct starting *s, uint64_t breakpoints, uint64_t tasks, uint64_t *ret_ns)
{
	uint64_t *words = xcalloc(breakpoints, sizeof(*words)), set = 0;
	int *fds = xcalloc(breakpoints, sizeof(*fds));
	struct strobe_error *err = NULL;
	for (; set < breakpoints && !err; set++)
		err = set_breakpoint(&words[set], &fds[set]);
	err = err ? err : run_parallel(s, tasks, ret_ns);
	close_breakpoints(fds, set);
	free(words);
	free(fds);
	return err;
}

static void put_seconds(struct bench_report *r, uint64_t ns)
{
	uint64_t ms = ns / (NS_PER_S / 1000);
	bench_text(r, " %14s: %" PRIu64 ".%03" PRIu64 " [sec]\n\n", "Total time", ms / 1000, ms % 1000);
	bench_simple(r, "%" PRIu64 ".%03" PRIu64 "\n", ms / 1000, ms % 1000);
}

struct strobe_error *bench_breakpoint_thread(const struct bench_settings *s, struct bench_report *r)
{
	struct starting starting = { .rounds = s->repeat ? s->repeat : ROUNDS, .threads = s->tasks ? s->tasks : 1 };
	uint64_t breakpoints = s->has_breakpoints ? s->breakpoints : 1, parallel = s->parallel ? s->parallel : 1, ns = 0;
	if (breakpoints > TASKS_MAX || parallel > TASKS_MAX || starting.threads > TASKS_MAX || starting.rounds > UINT32_MAX)
		return error_create(ERROR_USAGE, "too many breakpoints, threads or rounds");
	bench_setting(r, "breakpoints", breakpoints);
	bench_setting(r, "parallel", parallel);
	bench_setting(r, "threads", starting.threads);
	starting.us = xcalloc(starting.rounds, sizeof(*starting.us));
	struct strobe_error *err = run_with_breakpoints(&starting, breakpoints, parallel, &ns);
	for (uint64_t i = 0; i < starting.rounds && !err; i++)
		bench_figure(r, NULL, "thread", "us", starting.us[i]);
	free(starting.us);
	if (err)
		return err;
	double us = (double)ns * US / (double)starting.rounds / (double)starting.threads;
	bench_text(r, "# Created/joined %" PRIu64 " threads with %" PRIu64 " breakpoints and %" PRIu64 " parallelism\n",
		   starting.rounds * starting.threads, breakpoints, parallel);
	put_seconds(r, ns);
	bench_text(r, " %14f usecs/op\n", us);
	bench_text(r, " %14f usecs/op/cpu\n", us * (double)parallel);
	return NULL;
}

/* ---- enable ---- */

struct bystanders {
	pthread_t *threads;
	uint64_t nr;
	futex is_over;
};

static struct strobe_error *start_bystanders(struct bystanders *b, uint64_t passive, uint64_t active)
{
	for (uint64_t i = 0; i < passive + active; i++) {
		int e = pthread_create(&b->threads[i], NULL, i < passive ? sleep_until_set : spin_until_set, &b->is_over);
		if (e)
			return error_errno(e, "cannot start thread %" PRIu64, i + 1);
		b->nr++;
	}
	return NULL;
}

static void end_bystanders(struct bystanders *b)
{
	wake_sleepers(&b->is_over);
	for (uint64_t i = 0; i < b->nr; i++)
		pthread_join(b->threads[i], NULL);
	free(b->threads);
}

static struct strobe_error *switch_breakpoint(int fd, uint64_t rounds, struct bench_report *r, uint64_t *ret_ns)
{
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t start_ns = bench_clock_ns();
		if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return error_errno(errno, "cannot disable and enable the breakpoint");
		uint64_t ns = bench_clock_ns() - start_ns;
		bench_figure(r, NULL, "switch", "us", (double)ns * US / 2);
		*ret_ns += ns;
	}
	return NULL;
}

struct strobe_error *bench_breakpoint_enable(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t passive = s->passive, active = s->active, rounds = s->repeat ? s->repeat : ROUNDS, ns = 0, word = 0;
	struct bystanders bystanders = {};
	int fd = -1;
	if (passive > TASKS_MAX || active > TASKS_MAX)
		return error_create(ERROR_USAGE, "at most %d threads", TASKS_MAX);
	bench_setting(r, "passive", passive);
	bench_setting(r, "active", active);
	TRY(set_breakpoint(&word, &fd));
	bystanders.threads = xcalloc(passive + active + 1, sizeof(*bystanders.threads));
	struct strobe_error *err = start_bystanders(&bystanders, passive, active);
	err = err ? err : switch_breakpoint(fd, rounds, r, &ns);
	end_bystanders(&bystanders);
	close(fd);
	if (err)
		return err;
	bench_text(r, "# Enabled/disabled breakpoint %" PRIu64 " time with %" PRIu64 " passive and %" PRIu64 " active threads\n", rounds,
		   passive, active);
	put_seconds(r, ns);
	bench_text(r, " %14f usecs/op\n", (double)ns * US / (double)rounds / 2);
	return NULL;
}
