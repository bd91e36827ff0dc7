/*
 * The library's own unwinder against that of the C library, and its logarithm and exponential against libm. The library is not
 * linked into strobe, so this file includes its sources.
 */
#include "base/testing.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cfi.c"
#include "alloc/layout.h"
#include "alloc/sampler.c"
#include "alloc/walk.c"

#define MOST 256
#define HERE __attribute__((noinline))

struct stacks {
	uint64_t ours[MOST];
	void *theirs[MOST];
	unsigned ours_nr;
	int theirs_nr;
	bool truncated;
};
static struct stacks found;

/* Both from the same function; the C library's first address is within it, ours begins with its caller. */
static HERE void look(void)
{
	struct walk w = walk_from(WALK_FRAME);
	found.theirs_nr = backtrace(found.theirs, MOST);
	walk_stack(&w, found.ours, MOST);
	found.ours_nr = w.depth;
	found.truncated = w.truncated;
}

static void assert_same(void)
{
	assert_int_equal(found.ours_nr, found.theirs_nr - 1);
	for (unsigned i = 0; i < found.ours_nr; i++)
		assert_int_equal(found.ours[i] & ~ALLOC_FRAME_EXACT, (uintptr_t)found.theirs[i + 1]);
	assert_false(found.truncated);
}

static HERE int recurse(int depth)
{
	volatile char space[64];
	space[depth % 64] = (char)depth;
	if (!depth)
		look();
	else
		recurse(depth - 1);
	return space[0];
}

static int compare(const void *a, const void *b)
{
	look();
	return *(const int *)a - *(const int *)b;
}

static HERE int with_alloca(size_t n)
{
	char *p = __builtin_alloca(n);
	memset(p, 1, n);
	look();
	return p[n / 2];
}

/* A realigned frame saves its caller's stack pointer. */
static HERE int realigned(int n)
{
	_Alignas(128) volatile char space[256];
	space[n] = 1;
	look();
	return space[n];
}

/* Other architectures have no frame pointers to walk along. */
static bool has_walk(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

static void through_frames(void **state)
{
	if (!has_walk())
		skip();
	int numbers[] = { 3, 1, 2 };
	recurse(0);
	assert_same();
	recurse(100);
	assert_same();
	qsort(numbers, 3, sizeof(*numbers), compare);
	assert_same();
	with_alloca(1000);
	assert_same();
	realigned(7);
	assert_same();
}

/* QEMU's user emulation of arm64 returns from handlers through a page that is in no object and has no tables: no unwinder passes it. */
static bool has_trampoline(void)
{
	Dl_info info;
	for (int i = 0; i < found.theirs_nr; i++)
		if (!dladdr(found.theirs[i], &info))
			return false;
	return true;
}

static void on_signal(int number)
{
	look();
}

static void through_signals(void **state)
{
	if (!has_walk())
		skip();
	struct sigaction act = { .sa_handler = on_signal }, before;
	char *stack = malloc(65536);
	stack_t other = { .ss_sp = stack, .ss_size = 65536 }, old;
	sigaction(SIGUSR1, &act, &before);
	raise(SIGUSR1);
	if (!has_trampoline()) {
		sigaction(SIGUSR1, &before, NULL);
		free(stack);
		skip();
	}
	assert_same();
	act.sa_flags = SA_ONSTACK;
	sigaltstack(&other, &old);
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	assert_same();
	sigaltstack(&old, NULL);
	sigaction(SIGUSR1, &before, NULL);
	free(stack);
}

/* The innermost frames are kept, and the stack is marked as truncated. */
static void too_deep(void **state)
{
	if (!has_walk())
		skip();
	recurse(MOST + 10);
	assert_int_equal(found.ours_nr, MOST);
	assert_true(found.truncated);
	for (unsigned i = 0; i + 1 < MOST; i++)
		assert_int_equal(found.ours[i], (uintptr_t)found.theirs[i + 1]);
}

static void logarithms(void **state)
{
	for (double x = 1e-300; x < 1e300; x *= 1.37)
		assert_true(fabs(logarithm(x) - log(x)) <= 1e-12 * fabs(log(x)) + 1e-12);
	for (double x = 1e-12; x < 100; x *= 1.01)
		assert_true(fabs(one_minus_exp(x) + expm1(-x)) <= 1e-12 * -expm1(-x));
}

/* The mean of an exponential distribution is the rate; so is its standard deviation. */
static void distances(void **state)
{
	uint64_t random = 1;
	double sum = 0, squares = 0;
	enum { N = 200000 };
	for (int i = 0; i < N; i++) {
		double d = (double)sampler_distance(&random, 1000);
		sum += d;
		squares += d * d;
	}
	assert_true(fabs(sum / N - 999.5) < 4 * 1000 / sqrt(N));
	assert_true(fabs(sqrt(squares / N - sum / N * sum / N) - 1000) < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_frames), cmocka_unit_test(through_signals), cmocka_unit_test(too_deep),
		cmocka_unit_test(logarithms), cmocka_unit_test(distances),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
