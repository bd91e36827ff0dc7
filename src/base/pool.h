/*
 * Work on several CPUs: fn(ctx, i) for each i below n, on up to `threads` threads, the caller's among them.
 *
 * Indexes are taken in order, one at a time; pool_run returns when all are done. fn must not throw errors away: it keeps
 * them in its ctx. threads = 0 means the number of CPUs this process may use. With one thread nothing is started.
 */
#pragma once
#include <stddef.h>

unsigned pool_cpus(void);
void pool_run(size_t n, unsigned threads, void (*fn)(void *ctx, size_t i, unsigned thread), void *ctx);

#define POOL_SLOTS 64
/*
 * What is made at once and put together in order: make(ctx, i, slot) for each i below n, and give(ctx, i, slot) for each in order, one at a
 * time, by some thread. From make() up to give() the slot is i's alone; then what it holds may serve again.
 */
void pool_run_in_order(size_t n, unsigned threads, void (*make)(void *ctx, size_t i, unsigned slot),
		       void (*give)(void *ctx, size_t i, unsigned slot), void *ctx);
