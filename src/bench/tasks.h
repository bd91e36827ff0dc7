/*
 * Tasks of a benchmark, threads or processes, which start together.
 *
 *	struct bench_tasks t;
 *	TRY(bench_tasks_init(&t, threads));
 *	err = bench_task_start(&t, body, arg, -1);	// n times; body waits for the start
 *	if (!err)
 *		err = bench_tasks_run(&t, &ns);		// starts them all, waits for them all
 *	bench_tasks_end(&t);				// none is left, even after an error
 *
 * A body returns 0 or an errno; the first that fails makes bench_tasks_run() fail, and bench_tasks_end() ends the others: processes
 * by SIGKILL, threads by pthread_cancel(3), so that a body of threads must not hold a lock across a call that blocks. Processes also
 * die when the thread that started them does (PR_SET_PDEATHSIG). One thread at a time.
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vector.h"

struct bench_task;

struct bench_tasks {
	bool threads;
	int state[2];     /* one byte from each when it is ready, and from threads at their end */
	int start[2];     /* one byte for all of them: they poll and do not read */
	pid_t group;      /* of the processes */
	size_t running_nr;
	VEC(struct bench_task *) list;
};

struct strobe_error *bench_tasks_init(struct bench_tasks *t, bool threads) _must_check_;
/* cpu -1: any. arg must live until bench_tasks_end(). */
struct strobe_error *bench_task_start(struct bench_tasks *t, int (*body)(void *arg), void *arg, int cpu) _must_check_;
/* Waits until each task is ready, then starts them all; returns the time of the start by CLOCK_MONOTONIC. */
struct strobe_error *bench_tasks_go(struct bench_tasks *t, uint64_t *ret_ns) _must_check_;
/* Waits until the last one ends. */
struct strobe_error *bench_tasks_join(struct bench_tasks *t) _must_check_;
/* bench_tasks_go() and bench_tasks_join(); returns the time between. */
struct strobe_error *bench_tasks_run(struct bench_tasks *t, uint64_t *ret_ns) _must_check_;
void bench_tasks_end(struct bench_tasks *t);

uint64_t bench_clock_ns(void);
/* The i-th of the CPUs that this process may use, cyclically. */
int bench_cpu(uint64_t i);
/* The number of CPUs that this process may use. */
uint64_t bench_cpus_nr(void);
