/*
 * Work on several CPUs: fn(ctx, i) for each i below n, on up to `threads` threads, including the caller.
 *
 * Indexes are taken in order, one at a time; pool_run returns when all are done. fn must keep its errors in ctx. threads = 0
 * means the number of CPUs that this process may use. With one thread, no thread is started.
 */
#pragma once
#include <stddef.h>

unsigned pool_cpus(void);
void pool_run(size_t n, unsigned threads, void (*fn)(void *ctx, size_t i, unsigned thread), void *ctx);

#define POOL_SLOTS 64
/*
 * Makes results in parallel and delivers them in order: make(ctx, i, slot) for each i below n, and give(ctx, i, slot) for each in order,
 * one at a time, from any thread. From make() to give() the slot belongs to i; then it is reused.
 */
void pool_run_in_order(size_t n, unsigned threads, void (*make)(void *ctx, size_t i, unsigned slot),
		       void (*give)(void *ctx, size_t i, unsigned slot), void *ctx);
