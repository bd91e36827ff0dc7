#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/brief_lock.h"
#include "base/mem.h"

unsigned pool_cpus(void)
{
	/* The set must be as large as the kernel's, which is not known beforehand. */
	for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		size_t bytes = CPU_ALLOC_SIZE(cpus);
		if (!set)
			break;
		int failed = sched_getaffinity(0, bytes, set);
		int n = failed ? 0 : CPU_COUNT_S(bytes, set);
		CPU_FREE(set);
		if (!failed)
			return n > 0 ? (unsigned)n : 1;
	}
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

struct run {
	size_t n;
	_Atomic size_t next;
	void (*fn)(void *ctx, size_t i, unsigned thread);
	void *ctx;
};

struct worker {
	struct run *run;
	unsigned index;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct run *r = w->run;
	for (;;) {
		size_t i = atomic_fetch_add(&r->next, 1);
		if (i >= r->n)
			return NULL;
		r->fn(r->ctx, i, w->index);
	}
}

void pool_run(size_t n, unsigned threads, void (*fn)(void *ctx, size_t i, unsigned thread), void *ctx)
{
	if (!threads)
		threads = pool_cpus();
	if (threads > n)
		threads = (unsigned)n;
	struct run run = { .n = n, .fn = fn, .ctx = ctx };
	if (threads <= 1) {
		for (size_t i = 0; i < n; i++)
			fn(ctx, i, 0);
		return;
	}
	struct worker *workers = xcalloc(threads, sizeof(*workers));
	unsigned started = 1;
	for (unsigned i = 0; i < threads; i++)
		workers[i] = (struct worker){ .run = &run, .index = i };
	/* If a thread cannot be created the others, at least the caller, do its work. */
	while (started < threads && !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
		started++;
	work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
}

/* ---- in order ---- */

struct ordered_run {
	size_t n;
	void (*make)(void *ctx, size_t i, unsigned slot), (*give)(void *ctx, size_t i, unsigned slot);
	void *ctx;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t has_slot;
	size_t taken, given;
	bool made[POOL_SLOTS], is_giving;
};

/* Under the lock: waits for a slot. False: all have been taken. */
static bool take(struct ordered_run *r, size_t *ret)
{
	while (r->taken < r->n && r->taken - r->given == POOL_SLOTS)
		pthread_cond_wait(&r->has_slot, &r->lock);
	if (r->taken == r->n)
		return false;
	*ret = r->taken++;
	return true;
}

/* Under the lock, which is released during give(): gives finished slots whose predecessors have been given. */
static void give_made(struct ordered_run *r)
{
	r->is_giving = true;
	while (r->given < r->n && r->made[r->given % POOL_SLOTS]) {
		unsigned slot = r->given % POOL_SLOTS;
		pthread_mutex_unlock(&r->lock);
		r->give(r->ctx, r->given, slot);
		pthread_mutex_lock(&r->lock);
		r->made[slot] = false;
		r->given++;
		pthread_cond_signal(&r->has_slot);
	}
	r->is_giving = false;
}

static void make_and_give(void *ctx, size_t worker, unsigned thread)
{
	struct ordered_run *r = ctx;
	size_t i;
	(void)worker;
	(void)thread;
	pthread_mutex_lock(&r->lock);
	while (take(r, &i)) {
		pthread_mutex_unlock(&r->lock);
		r->make(r->ctx, i, i % POOL_SLOTS);
		pthread_mutex_lock(&r->lock);
		r->made[i % POOL_SLOTS] = true;
		if (!r->is_giving)
			give_made(r);
	}
	pthread_mutex_unlock(&r->lock);
}

void pool_run_in_order(size_t n, unsigned threads, void (*make)(void *ctx, size_t i, unsigned slot),
		       void (*give)(void *ctx, size_t i, unsigned slot), void *ctx)
{
	struct ordered_run run = { .n = n, .make = make, .give = give, .ctx = ctx, .has_slot = PTHREAD_COND_INITIALIZER };
	if (!threads)
		threads = pool_cpus();
	brief_lock_init(&run.lock);
	pool_run(threads < n ? threads : n, threads, make_and_give, &run);
	pthread_cond_destroy(&run.has_slot);
	pthread_mutex_destroy(&run.lock);
}
