#include "selftest/workloads.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

/* Profiles show these functions: they must not be inlined or cloned. */
#define NAMED __attribute__((noinline, noclone))
/* Prevents tail calls, and merging of functions with identical code. */
#define STAY() __asm__ volatile("" : : : "memory")

/* Shared by the threads of one run, which end together. */
struct run {
	struct timespec end;
	atomic_ulong passes;
};

static struct run run_of(int argc, char **argv, double otherwise_s)
{
	double seconds = argc > 0 ? strtod(argv[0], NULL) : otherwise_s;
	struct run r = {};
	clock_gettime(CLOCK_MONOTONIC, &r.end);
	r.end.tv_sec += (time_t)seconds;
	r.end.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (r.end.tv_nsec >= 1000000000) {
		r.end.tv_sec++;
		r.end.tv_nsec -= 1000000000;
	}
	return r;
}

/* Reads the clock once in many iterations: the profile shows the loop, not the clock. */
static inline __attribute__((always_inline)) bool goes_on(struct run *r)
{
	struct timespec now;
	if (atomic_fetch_add_explicit(&r->passes, 1, memory_order_relaxed) % 4096)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < r->end.tv_sec || (now.tv_sec == r->end.tv_sec && now.tv_nsec < r->end.tv_nsec);
}

NAMED static int noploop(int argc, char **argv)
{
	struct run r = run_of(argc, argv, 1);
	while (goes_on(&r))
		;
	return 0;
}

NAMED static void test_loop(struct run *r)
{
	while (goes_on(r))
		;
}

static void *thfunc(void *run)
{
	test_loop(run);
	return NULL;
}

/* Two threads, one of which is the main thread. */
static int thloop(int argc, char **argv)
{
	struct run r = run_of(argc, argv, 1);
	pthread_t other;
	if (pthread_create(&other, NULL, thfunc, &r))
		return 1;
	test_loop(&r);
	pthread_join(other, NULL);
	return 0;
}

struct named_thread {
	struct run *run;
	char name[16];
	pthread_t id;
};

static void *named_thread(void *thread)
{
	struct named_thread *t = thread;
	prctl(PR_SET_NAME, t->name);
	test_loop(t->run);
	return NULL;
}

/* The second argument is the number of threads: thread_1, thread_2, … */
static int named_threads(int argc, char **argv)
{
	struct run r = run_of(argc, argv, 1);
	struct named_thread threads[THREADS_MAX];
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 2, made = 0;
	for (; made < n && made < THREADS_MAX; made++) {
		struct named_thread *t = &threads[made];
		t->run = &r;
		snprintf(t->name, sizeof(t->name), "thread_%ld", made + 1);
		if (pthread_create(&t->id, NULL, named_thread, t))
			break;
	}
	for (long i = 0; i < made; i++)
		pthread_join(threads[i].id, NULL);
	return made != n;
}

NAMED static void leaf(struct run *r)
{
	while (goes_on(r))
		STAY();
}

NAMED static void parent(struct run *r)
{
	leaf(r);
	STAY();
}

/* A leaf without a stack frame, below its parent. */
static int leafloop(int argc, char **argv)
{
	struct run r = run_of(argc, argv, 1);
	parent(&r);
	return 0;
}

static int sqrtloop(int argc, char **argv)
{
	struct run r = run_of(argc, argv, 1);
	pid_t pid = fork();
	if (!pid) {
		volatile double x = 2;
		while (goes_on(&r))
			x = sqrt(x + 1);
		_exit(0);
	}
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}

NAMED static void brstack_bar(volatile uint64_t *n)
{
	++*n;
}

NAMED static void brstack_foo(volatile uint64_t *n)
{
	brstack_bar(n);
	++*n;
	STAY();
}

NAMED static void brstack_bench(volatile uint64_t *n, void (*indirect)(volatile uint64_t *n))
{
	if (*n % 3)
		brstack_bar(n);
	brstack_foo(n);
	indirect(n);
}

/* The argument is the number of iterations: direct, conditional and indirect branches in turn. */
static int brstack(int argc, char **argv)
{
	volatile uint64_t n = 0;
	for (long i = argc > 0 ? strtol(argv[0], NULL, 10) : 999999; i > 0; i--)
		brstack_bench(&n, i % 2 ? brstack_foo : brstack_bar);
	return 0;
}

/* One cache line, whose beginning and end are written. */
static int datasym(int argc, char **argv)
{
	struct run r = run_of(argc, argv, 1);
	static _Thread_local struct {
		volatile char data1;
		char reserved[55];
		volatile char data2;
	} __attribute__((aligned(64))) buf1;
	while (goes_on(&r)) {
		buf1.data1++;
		buf1.data2 += buf1.data1;
	}
	return 0;
}

static inline __attribute__((always_inline)) void inner_inlined(struct run *r, volatile uint64_t *n)
{
	while (goes_on(r))
		++*n;
}

static inline __attribute__((always_inline)) void outer_inlined(struct run *r, volatile uint64_t *n)
{
	inner_inlined(r, n);
}

static int inlineloop(int argc, char **argv)
{
	struct run r = run_of(argc, argv, 1);
	volatile uint64_t n = 0;
	outer_inlined(&r, &n);
	return 0;
}

/* Two processes that wake each other so many times. */
static int context_switch_loop(int argc, char **argv)
{
	long n = argc > 0 ? strtol(argv[0], NULL, 10) : 10000;
	int to[2], from[2];
	char byte = 0;
	if (pipe(to) || pipe(from))
		return 1;
	pid_t pid = fork();
	for (long i = 0; i < n; i++) {
		if (!pid ? read(to[0], &byte, 1) != 1 || write(from[1], &byte, 1) != 1
			 : write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			break;
	}
	if (!pid)
		_exit(0);
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}

/* The argument is the number of iterations, whatever time they take: the same instructions each time. */
static int deterministic(int argc, char **argv)
{
	volatile uint64_t n = 0;
	for (long i = argc > 0 ? strtol(argv[0], NULL, 10) : 1000000; i > 0; i--)
		n += (uint64_t)i;
	return 0;
}

const struct workload workloads[] = {
	{ "noploop", "a loop, for so many seconds", noploop },
	{ "thloop", "two threads in one function", thloop },
	{ "named_threads", "threads with names; the second argument is how many", named_threads },
	{ "leafloop", "a leaf function below its parent", leafloop },
	{ "sqrtloop", "a child that calculates", sqrtloop },
	{ "brstack", "branches of all kinds, so many times", brstack },
	{ "datasym", "writes to one line of a cache", datasym },
	{ "inlineloop", "a loop in two inlined functions", inlineloop },
	{ "context_switch_loop", "two processes that wake each other, so many times", context_switch_loop },
	{ "deterministic", "so many passes of a loop", deterministic },
	{},
};
