/*
 * Programs that end badly, and programs that are shut in: heap_broken WHAT. With a library in front of malloc each must do what it does
 * without one. Each prints "fine" if it gets that far.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The compiler must not know what these pointers are. */
#define USED(p) __asm__ volatile("" : "+r"(p) : : "memory")

static char *get(size_t n)
{
	char *p = malloc(n);
	memset(p, 7, n);
	USED(p);
	return p;
}

static void release(char *p)
{
	USED(p);
	free(p);
}

static void churn(int n)
{
	for (int i = 0; i < n; i++) {
		char *p = malloc((size_t)(i % 3000));
		release(p);
	}
}

/* ---- faults of the program ---- */

static void twice(void)
{
	char *p = get(100);
	release(p);
	release(p);
}

static void twice_large(void)
{
	char *p = get(3000), *after = get(10);
	release(p);
	release(p);
	USED(after);
}

static void twice_mapped(void)
{
	char *p = get(1 << 20);
	release(p);
	release(p);
}

static void foreign(void)
{
	_Alignas(16) char stack[64] = {};
	release(stack + 16);
}

static void inside(void)
{
	release(get(200) + 16);
}

static void unaligned(void)
{
	release(get(200) + 1);
}

static void overflow(void)
{
	char *p = get(1496), *after = get(1496);
	memset(p, 'A', 1496 + 16);
	release(after);
	release(p);
	get(50000);
}

static void end_of_heap(void)
{
	char *p = get(24);
	memset(p, 0xff, 64);
	USED(p);
	get(100000);
}

static void resized_after(void)
{
	char *p = get(100);
	release(p);
	USED(p);
	p = realloc(p, 5000);
	USED(p);
}

static void resized_foreign(void)
{
	_Alignas(16) char stack[64] = {};
	char *p = stack + 16;
	USED(p);
	p = realloc(p, 100);
	USED(p);
}

static void written_after(void)
{
	char *p = get(100), *q = get(100);
	release(p);
	release(q);
	*q ^= 1; /* whatever the addresses are, the next block is no multiple of 16 */
	USED(q);
	get(100);
	get(100);
}

/* What malloc_usable_size() says may be written to. */
static void usable(void)
{
	char *p = get(100);
	memset(p, 1, malloc_usable_size(p));
	release(p);
}

/* ---- programs that are shut in ---- */

static sem_t started, go;

static void *wait_for_all(void *unused)
{
	char *p = get(100);
	sem_post(&started);
	sem_wait(&go);
	release(p);
	churn(10);
	return unused;
}

/* All alive at the same time. */
static void ten_thousand(void)
{
	enum { MANY = 10000 };
	static pthread_t threads[MANY];
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	sem_init(&started, 0, 0);
	sem_init(&go, 0, 0);
	int nr = 0;
	for (; nr < MANY && !pthread_create(&threads[nr], &attr, wait_for_all, NULL); nr++)
		;
	for (int i = 0; i < nr; i++)
		sem_wait(&started);
	for (int i = 0; i < nr; i++)
		sem_post(&go);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads\n", nr);
}

static void keep_in_jail(void)
{
	get(54321);
}

static void jailed(void)
{
	int status;
	mkdir("jail", 0700);
	if (chroot("jail") || chdir("/"))
		abort();
	churn(3000);
	keep_in_jail();
	pid_t pid = fork();
	if (!pid) {
		churn(100);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		abort();
}

#define COUNT(list)   (sizeof(list) / sizeof(*(list)))
#define STATEMENT(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What this program and its allocator call by themselves; anything else ends it. */
static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	STATEMENT(__NR_madvise), STATEMENT(__NR_brk), STATEMENT(__NR_mmap),
	STATEMENT(__NR_munmap), STATEMENT(__NR_mprotect), STATEMENT(__NR_mremap),
	STATEMENT(__NR_write), STATEMENT(__NR_exit_group), STATEMENT(__NR_exit), STATEMENT(__NR_clone), STATEMENT(__NR_wait4),
	STATEMENT(__NR_set_robust_list), STATEMENT(__NR_futex), STATEMENT(__NR_rt_sigprocmask),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static struct sock_fprog program = { COUNT(filter), filter };

static void *churn_in_filter(void *unused)
{
	sem_post(&started);
	sem_wait(&go);
	churn(20000);
	return unused;
}

/* Children and threads of it allocate, the latter all with one stack; the blocks are at addresses that were not used before. */
static void work_in_filter(int (*confine)(void))
{
	pthread_t threads[4];
	int status;
	sem_init(&started, 0, 0);
	sem_init(&go, 0, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, churn_in_filter, NULL);
	for (int i = 0; i < 4; i++)
		sem_wait(&started);
	churn(10);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || confine())
		abort();
	for (int i = 0; i < 4; i++)
		sem_post(&go);
	for (int i = 0; i < 300; i++) {
		char *p = malloc(1 << 20);
		USED(p);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	pid_t pid = fork();
	if (!pid) {
		churn(3000);
		_exit(5);
	}
	if (waitpid(pid, &status, 0) != pid || status != 5 << 8)
		abort();
	(void)!write(1, "fine\n", 5);
	_exit(0);
}

/* For this thread alone, which has no stack to give back. */
static int by_prctl(void)
{
	filter[1].k = __NR_brk;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int by_syscall(void)
{
	return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static void filtered(void)
{
	work_in_filter(by_prctl);
}

static void filtered_all(void)
{
	work_in_filter(by_syscall);
}

/* read, write, exit, sigreturn and no more; no time stamp counter either. */
static void strict(void)
{
	churn(3000);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		abort();
	churn(10000);
	if (write(1, "fine\n", 5) == 5)
		syscall(__NR_exit, 0);
}

static void timeless(void)
{
#ifdef __x86_64__
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		abort();
#endif
	churn(10000);
}

/* As many stacks as paths through a tree of calls. */
static __attribute__((noinline)) void climb(unsigned depth)
{
	if (!depth) {
		get(10);
		return;
	}
	climb(depth - 1);
	__asm__ volatile("" : "+r"(depth));
	climb(depth - 1);
	__asm__ volatile("" : "+r"(depth));
}

static void crowded(void)
{
	climb(16);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{ "twice", twice }, { "twice_large", twice_large }, { "twice_mapped", twice_mapped }, { "foreign", foreign },
		{ "inside", inside }, { "unaligned", unaligned }, { "overflow", overflow }, { "end_of_heap", end_of_heap },
		{ "resized_after", resized_after }, { "resized_foreign", resized_foreign }, { "written_after", written_after },
		{ "usable", usable }, { "ten_thousand", ten_thousand }, { "jailed", jailed }, { "filtered", filtered },
		{ "filtered_all", filtered_all }, { "strict", strict }, { "timeless", timeless }, { "crowded", crowded },
	};
	for (size_t i = 0; argc > 1 && i < COUNT(kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run();
			(void)!write(1, "fine\n", 5);
			return 0;
		}
	return 1;
}
