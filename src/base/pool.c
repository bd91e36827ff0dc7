#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

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
	/* Where no thread can be had the others, at least the caller, do its share. */
	while (started < threads && !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
		started++;
	work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
}
