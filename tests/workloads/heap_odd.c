/*
 * Hard cases for a library that wraps malloc, one by one: heap_odd WHAT. Each prints "fine" and exits with 0 unless noted otherwise.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* To the compiler it is in use: an allocation without a use would be removed. */
#define USED(p) __asm__ volatile("" : : "r"(p) : "memory")

static void churn(int n)
{
	for (int i = 0; i < n; i++) {
		void *p = malloc((size_t)(i % 3000));
		USED(p);
		free(p);
	}
}

static void *worker(void *unused)
{
	churn(200);
	return unused;
}

static void many_threads(void)
{
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int round = 0; round < 20; round++) {
		pthread_t threads[100];
		for (int i = 0; i < 100; i++)
			if (pthread_create(&threads[i], &attr, worker, NULL))
				abort();
		for (int i = 0; i < 100; i++)
			pthread_join(threads[i], NULL);
	}
}

static volatile int stop;

static void *endless(void *unused)
{
	while (!stop)
		churn(100);
	return unused;
}

/* Children are made while other threads hold whatever they hold. */
static void forks(void)
{
	pthread_t threads[3];
	int status;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, endless, NULL);
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();
		if (!pid) {
			churn(300);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			abort();
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	churn(3); /* is not allowed, and done */
	signals++;
}

/* Signals interrupt whatever code is running: malloc itself is avoided by being in a handler only while not in it. */
static void in_handlers(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	stack_t other = { .ss_sp = malloc(65536), .ss_size = 65536 };
	sigaltstack(&other, NULL);
	act.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &act, NULL);
	for (int i = 0; i < 2000; i++) {
		churn(5);
		raise(SIGUSR1);
	}
	if (signals != 2000)
		abort();
}

static ucontext_t outer, inner;

static void coroutine(void)
{
	for (;;) {
		churn(10);
		swapcontext(&inner, &outer);
	}
}

static void coroutines(void)
{
	char *stack = malloc(65536);
	getcontext(&inner);
	inner.uc_stack.ss_sp = stack;
	inner.uc_stack.ss_size = 65536;
	makecontext(&inner, coroutine, 0);
	for (int i = 0; i < 1000; i++)
		swapcontext(&outer, &inner);
	free(stack);
}

static void libraries(void)
{
	static const char *const names[] = { "libm.so.6", "libstdc++.so.6", "libz.so.1", "libresolv.so.2" };
	for (int i = 0; i < 100; i++) {
		void *library = dlopen(names[i % 4], RTLD_NOW | RTLD_LOCAL);
		churn(10);
		if (library)
			dlclose(library);
	}
	if (dlopen("no-such-library.so", RTLD_NOW))
		abort();
	if (!dlerror())
		abort();
}

/* Only these calls are allowed from here on: any other kills. */
static void filtered(void)
{
#define ALLOW(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(__NR_brk), ALLOW(__NR_mmap), ALLOW(__NR_munmap), ALLOW(__NR_mremap), ALLOW(__NR_madvise), ALLOW(__NR_write),
		ALLOW(__NR_exit_group), ALLOW(__NR_exit), ALLOW(__NR_futex), ALLOW(__NR_sched_yield), ALLOW(__NR_newfstatat),
		ALLOW(__NR_fstat), ALLOW(__NR_clock_gettime),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
	churn(10); /* the allocator's own beginning */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
	churn(10000);
	for (int i = 0; i < 200; i++)
		USED(malloc(1 << 20));
}

static void out_of_memory(void)
{
	struct rlimit limit = { 1500u << 20, 1500u << 20 };
	size_t n = 0;
	if (setrlimit(RLIMIT_AS, &limit))
		abort();
	for (void *p; (p = malloc(1 << 20)); n++)
		USED(p);
	if (errno != ENOMEM || n < 10 || realloc(malloc(10), SIZE_MAX / 2) || calloc(SIZE_MAX / 4, 8) || malloc(PTRDIFF_MAX))
		abort();
}

static void grown(void)
{
	char *p = NULL;
	for (size_t n = 1; n < 3000000; n = n * 3 / 2 + 1) {
		p = realloc(p, n);
		p[n - 1] = (char)n;
	}
	p = realloc(p, 1);
	free(p);
	if (posix_memalign((void **)&p, 3, 10) != EINVAL)
		abort();
}

static void killed(void)
{
	churn(1000);
	USED(malloc(123456));
	puts("fine");
	fflush(stdout);
	raise(SIGKILL);
}

static void left(void)
{
	USED(malloc(123456));
	if (write(1, "fine\n", 5) != 5)
		abort();
	_exit(7);
}

static void descriptors(void)
{
	for (int fd = 3; fd < 256; fd++)
		if (close(fd) == 0)
			abort(); /* one that the program did not open */
	churn(1000);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{ "threads", many_threads }, { "forks", forks }, { "handlers", in_handlers }, { "coroutines", coroutines },
		{ "libraries", libraries }, { "seccomp", filtered }, { "memory", out_of_memory }, { "realloc", grown },
		{ "killed", killed }, { "left", left }, { "descriptors", descriptors },
	};
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run();
			puts("fine");
			return 0;
		}
	return 1;
}
