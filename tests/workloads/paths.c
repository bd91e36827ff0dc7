/*
 * One function that waits, reached by paths that look alike: the stack pointer, the registers and nearly all words of the stack are the
 * same. What differs is one return address, one saved frame pointer, the address that a signal interrupted, or another stack. Prints
 * "NAME NS" for each path: the time that its waits took, those first whose stacks also contain the name of another.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define HERE  __attribute__((noinline, noclone))
#define AFTER asm volatile("") /* not a tail call */

#define ROUNDS	    30
#define BODY_BYTES  2048
#define STACK_BYTES 65536

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Not in registers, which are the same on all paths. */
static volatile int period_us;
static char *rest_frame;
static long long waited_ns;

HERE static void rest(void)
{
	long long at_ns = now_ns();
	rest_frame = __builtin_frame_address(0);
	if (period_us)
		usleep(period_us);
	waited_ns += now_ns() - at_ns;
}

/* ---- the frame in between has another size: only its saved frame pointer tells which ---- */

static volatile size_t body_bytes;

HERE static void body(void)
{
	char *room = alloca(body_bytes);
	asm volatile("" : : "r"(room) : "memory");
	rest();
	AFTER;
}

HERE static void detour(void)
{
	body();
	AFTER;
}

static void (*volatile lead)(void);

/* One return address for both. */
HERE static void led(void)
{
	lead();
	AFTER;
}

static size_t detour_bytes;

/* How much less body() has to take below detour() for rest() to be at the same place. */
static void measure_detour(void)
{
	char *direct;
	period_us = 0;
	body_bytes = BODY_BYTES;
	lead = body;
	led();
	direct = rest_frame;
	lead = detour;
	led();
	detour_bytes = BODY_BYTES - (size_t)(direct - rest_frame);
	body_bytes = detour_bytes;
	led();
	if (rest_frame != direct)
		fprintf(stderr, "the frames are at different places\n");
}

static void set_straight(void)
{
	body_bytes = BODY_BYTES;
	lead = body;
}

static void set_around(void)
{
	body_bytes = detour_bytes;
	lead = detour;
}

/* ---- only a return address far out differs ---- */

HERE static void descend(int depth)
{
	if (depth)
		descend(depth - 1);
	else
		rest();
	AFTER;
}

HERE static void left(void)
{
	descend(20);
	AFTER;
}

HERE static void right(void)
{
	descend(20);
	AFTER;
}

HERE static void far_left(void)
{
	descend(60);
	AFTER;
}

HERE static void far_right(void)
{
	descend(60);
	AFTER;
}

/* ---- contexts, one after the other, on one stack ---- */

static char context_stack[STACK_BYTES] __attribute__((aligned(16)));
static ucontext_t home, away;

HERE static void red(void)
{
	rest();
	AFTER;
}

HERE static void blue(void)
{
	rest();
	AFTER;
}

static void travel(void (*to)(void))
{
	getcontext(&away);
	away.uc_stack.ss_sp = context_stack;
	away.uc_stack.ss_size = sizeof(context_stack);
	away.uc_link = &home;
	makecontext(&away, to, 0);
	swapcontext(&home, &away);
}

static void go_red(void)
{
	travel(red);
}

static void go_blue(void)
{
	travel(blue);
}

/* ---- threads, one after the other, on one stack and with one number, where that can be set ---- */

HERE static void *odd(void *unused)
{
	rest();
	AFTER;
	return unused;
}

HERE static void *even(void *unused)
{
	rest();
	AFTER;
	return unused;
}

static void run_thread(void *(*f)(void *))
{
	static int number;
	pthread_t t;
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
	if (!number)
		number = getpid() + 500;
	if (last) {
		fprintf(last, "%d", number);
		fclose(last);
	}
	if (pthread_create(&t, NULL, f, NULL))
		exit(3);
	pthread_join(t, NULL);
}

static void go_odd(void)
{
	run_thread(odd);
}

static void go_even(void)
{
	run_thread(even);
}

/* ---- a signal's handler on a stack of its own: what was interrupted is elsewhere ---- */

static void handle(int unused)
{
	rest();
	AFTER;
}

HERE static void day(void)
{
	raise(SIGUSR1);
	AFTER;
}

HERE static void night(void)
{
	raise(SIGUSR1);
	AFTER;
}

/* ---- a handler on the same stack: only the address that was interrupted differs ---- */

static char page[STACK_BYTES] __attribute__((aligned(STACK_BYTES)));

static void handle_fault(int unused)
{
	rest();
	mprotect(page, sizeof(page), PROT_READ | PROT_WRITE);
}

HERE static void dawn(void)
{
	*(volatile char *)page = 1;
}

HERE static void dusk(void)
{
	*(volatile char *)page = 2;
}

static void set_dawn(void)
{
	mprotect(page, sizeof(page), PROT_READ);
	lead = dawn;
}

static void set_dusk(void)
{
	mprotect(page, sizeof(page), PROT_READ);
	lead = dusk;
}

static void set_handlers(void)
{
	static char bytes[STACK_BYTES];
	struct sigaction a = { .sa_handler = handle, .sa_flags = SA_ONSTACK }, b = { .sa_handler = handle_fault };
	stack_t stack = { .ss_sp = bytes, .ss_size = sizeof(bytes) };
	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &a, NULL) || sigaction(SIGSEGV, &b, NULL))
		exit(3);
}

static const struct path {
	const char *name;
	void (*go)(void);
	int period_us;
	void (*set)(void); /* NULL: nothing to set before */
} paths[] = {
	{ "detour", led, 3000, set_around },
	{ "body", led, 1000, set_straight },
	{ "left", left, 1000, NULL },
	{ "right", right, 3000, NULL },
	{ "far_left", far_left, 1000, NULL },
	{ "far_right", far_right, 3000, NULL },
	{ "red", go_red, 1000, NULL },
	{ "blue", go_blue, 3000, NULL },
	{ "odd", go_odd, 1000, NULL },
	{ "even", go_even, 3000, NULL },
	{ "day", day, 1000, NULL },
	{ "night", night, 3000, NULL },
	{ "dawn", led, 1000, set_dawn },
	{ "dusk", led, 3000, set_dusk },
};
#define PATHS (sizeof(paths) / sizeof(*paths))

int main(void)
{
	long long total_ns[PATHS] = {};
	measure_detour();
	set_handlers();
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < PATHS; i++) {
			period_us = paths[i].period_us;
			waited_ns = 0;
			if (paths[i].set)
				paths[i].set();
			paths[i].go();
			total_ns[i] += waited_ns;
		}
	for (size_t i = 0; i < PATHS; i++)
		printf("%s %lld\n", paths[i].name, total_ns[i]);
	return 0;
}
