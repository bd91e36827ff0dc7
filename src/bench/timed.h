/*
 * Threads that work for a given time, or until Ctrl-C; the work done so far then counts.
 *
 * SIGINT is blocked between init and end and received there. One thread at a time; bench_timed_is_over() may be called in any.
 */
#pragma once
#include <signal.h>
#include <stdatomic.h>

#include "bench/tasks.h"

struct bench_timed {
	struct bench_tasks tasks; /* threads; their bodies return when bench_timed_is_over() */
	uint64_t runtime_s;
	atomic_bool is_over;
	sigset_t before;
};

struct strobe_error *bench_timed_init(struct bench_timed *t, uint64_t runtime_s) _must_check_;
/* Returns the elapsed time. */
struct strobe_error *bench_timed_run(struct bench_timed *t, uint64_t *ret_ns) _must_check_;
/* Ends all threads. */
void bench_timed_end(struct bench_timed *t);

static inline bool bench_timed_is_over(const struct bench_timed *t)
{
	return atomic_load_explicit(&t->is_over, memory_order_relaxed);
}
