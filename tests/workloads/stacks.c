/*
 * Known stacks that are hard to unwind without frame pointers: stacks SCENARIO [MS]
 *
 * Each scenario calls busy() from a known place, whose small functions push, pop and jump, so that samples fall on every
 * kind of instruction. Built with -O2 -fomit-frame-pointer.
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "burn.h"

#define HERE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("" ::: "memory") /* no tail call */

static volatile uint64_t sink;

/* Saves registers, and calls a leaf that has no frame. */
HERE uint64_t leaf(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 6364136223846793005u + 1;
}

HERE uint64_t saving(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t x = leaf(a), y = leaf(b), z = leaf(c);
	KEEP;
	return x + leaf(y) * leaf(z) + a + b + c;
}

HERE void busy(void)
{
	for (int i = 0; i < 2000; i++)
		sink += saving(sink, (uint64_t)i, sink >> 3);
	KEEP;
}

HERE void recursion(int n)
{
	if (n > 1)
		recursion(n - 1);
	else
		busy();
	KEEP;
}

HERE void tail_end(void)
{
	busy();
	KEEP;
}

/* Jumps to tail_end(): it has no frame of its own by then. */
HERE void tail_begin(void)
{
	tail_end();
}

static void on_signal(int sig)
{
	busy();
	(void)sig;
	KEEP;
}

HERE void in_signal(void)
{
	raise(SIGUSR1);
	KEEP;
}

HERE void with_alloca(int n)
{
	volatile char *room = alloca((size_t)(n % 13) * 100 + 16);
	room[0] = 1;
	busy();
	sink += (uint64_t)room[0];
}

HERE void realigned(int n)
{
	volatile __attribute__((aligned(64))) char room[128];
	volatile char *more = alloca((size_t)(n % 7) * 16 + 16);
	room[0] = more[0] = 1;
	busy();
	sink += (uint64_t)(room[0] + more[0]);
}

static jmp_buf back;

HERE void jumps(int n)
{
	volatile int depth = n;
	busy();
	if (depth)
		longjmp(back, depth);
	KEEP;
}

HERE void with_setjmp(void)
{
	if (!setjmp(back))
		jumps(1);
	else
		jumps(0);
	KEEP;
}

/* Calls of another object, through the procedure linkage table; bound lazily where the linker lets it. */
HERE void stubs(void)
{
	volatile char text[16] = "stubs";
	for (int i = 0; i < 500; i++)
		sink += strlen((char *)text) + (uint64_t)(strchr((char *)text, 'b') != NULL) + (uint64_t)abs((int)sink);
	KEEP;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "recursion";
	double stop = cpu_ms() + (argc > 2 ? atof(argv[2]) : 300);
	struct sigaction act = { .sa_handler = on_signal };
	sigaction(SIGUSR1, &act, NULL);
	for (int n = 0; cpu_ms() < stop; n++) {
		if (!strcmp(what, "recursion"))
			recursion(200);
		else if (!strcmp(what, "tail"))
			tail_begin();
		else if (!strcmp(what, "signal"))
			in_signal();
		else if (!strcmp(what, "alloca"))
			with_alloca(n);
		else if (!strcmp(what, "realigned"))
			realigned(n);
		else if (!strcmp(what, "setjmp"))
			with_setjmp();
		else
			stubs();
		KEEP;
	}
	return 0;
}
