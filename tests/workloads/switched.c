/*
 * Code on stacks of its own: switched coroutine|ended|alternate|below [MS]
 *
 * coroutine: made by makecontext(), another context to go on in; ended: none. alternate: the handler of a signal on memory of malloc();
 * below: on memory just below the stack that was interrupted, so that one dump holds both. Each burns in busy().
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "burn.h"

#define HERE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("" ::: "memory") /* no tail call */
#define ALTERNATE_BYTES (64 << 10)
#define STACK_BYTES	(32 << 10)

static ucontext_t back, co;
static double ms = 300;

HERE void busy(void)
{
	BURN_MS(ms);
	KEEP;
}

HERE void entry(void)
{
	busy();
	KEEP;
}

HERE void on_signal(int sig)
{
	busy();
	(void)sig;
	KEEP;
}

HERE void interrupted(void)
{
	raise(SIGUSR1);
	KEEP;
}

static void use_alternate(void *memory)
{
	stack_t to = { .ss_sp = memory, .ss_size = ALTERNATE_BYTES };
	struct sigaction how = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	sigaltstack(&to, NULL);
	sigaction(SIGUSR1, &how, NULL);
}

static void *thread(void *memory)
{
	use_alternate(memory);
	interrupted();
	KEEP;
	return NULL;
}

static void in_thread(void)
{
	char *memory = mmap(NULL, ALTERNATE_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t t;
	memset(memory, 0, ALTERNATE_BYTES + STACK_BYTES); /* a dump ends at a page that was never written to */
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory + ALTERNATE_BYTES, STACK_BYTES);
	if (!pthread_create(&t, &attr, thread, memory))
		pthread_join(t, NULL);
}

static void in_coroutine(ucontext_t *then)
{
	getcontext(&co);
	co.uc_stack.ss_sp = malloc(ALTERNATE_BYTES);
	co.uc_stack.ss_size = ALTERNATE_BYTES;
	co.uc_link = then;
	makecontext(&co, entry, 0);
	swapcontext(&back, &co);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "coroutine";
	ms = argc > 2 ? atof(argv[2]) : ms;
	if (!strcmp(what, "below")) {
		in_thread();
	} else if (!strcmp(what, "alternate")) {
		use_alternate(malloc(ALTERNATE_BYTES));
		interrupted();
		KEEP;
	} else {
		in_coroutine(strcmp(what, "ended") ? &back : NULL);
	}
	return 0;
}
