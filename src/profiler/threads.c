#include "profiler/threads.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc/layout.h"
#include "alloc/walk.h"

#define THREADS_MOST	16384
#define STACK_BYTES	((size_t)256 * 1024)
#define WAIT_STEP_NS	50000
#define WAIT_STEPS_MOST 1000 /* for a thread in uninterruptible sleep */
#define MAP_BYTES	(sizeof(struct thread_stacks) + THREADS_MOST * sizeof(struct thread_stack))

/* ---- one thread, in the child ---- */

#if defined(__x86_64__)
static struct walk walk_of_registers(const struct user_regs_struct *r)
{
	return (struct walk){ .pc = r->rip, .sp = r->rsp, .fp = r->rbp, .is_exact = true };
}
#define HAS_REGISTERS 1
#elif defined(__aarch64__)
static struct walk walk_of_registers(const struct user_regs_struct *r)
{
	return (struct walk){ .pc = r->pc, .sp = r->sp, .fp = r->regs[29], .is_exact = true };
}
#define HAS_REGISTERS 1
#else
#define HAS_REGISTERS 0
#endif

static void walk_thread(struct thread_stack *s)
{
#if HAS_REGISTERS
	struct user_regs_struct registers;
	struct iovec to = { &registers, sizeof(registers) };
	if (ptrace(PTRACE_GETREGSET, s->tid, NT_PRSTATUS, &to))
		return;
	struct walk w = walk_of_registers(&registers);
	walk_stack(&w, s->frames, THREADS_DEPTH);
	/* Readers subtract one from each address, to be within the call instruction. */
	for (unsigned i = 0; i < w.depth; i++)
		s->frames[i] = (s->frames[i] & ~ALLOC_FRAME_EXACT) + (s->frames[i] & ALLOC_FRAME_EXACT ? 1 : 0);
	s->hash = w.hash;
	s->depth = w.depth;
#else
	(void)s;
#endif
}

static bool wait_for_stop(pid_t tid)
{
	int status;
	for (unsigned step = 0; step < WAIT_STEPS_MOST; step++) {
		pid_t pid = waitpid(tid, &status, __WALL | WNOHANG);
		if (pid)
			return pid == tid && WIFSTOPPED(status);
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_STEP_NS }, NULL);
	}
	return false;
}

/* A thread that does not stop is released when the child ends. */
static int collect_one(struct thread_stack *s)
{
	if (ptrace(PTRACE_SEIZE, s->tid, 0, 0) || ptrace(PTRACE_INTERRUPT, s->tid, 0, 0))
		return errno;
	if (!wait_for_stop(s->tid))
		return EBUSY;
	walk_thread(s);
	ptrace(PTRACE_DETACH, s->tid, 0, 0);
	return 0;
}

static void give_up(int number)
{
	(void)number;
	_exit(1);
}

/* Shares the program's memory: must run none of the program's code, and must not dump core. */
static int collect(void *arg)
{
	struct thread_stacks *s = arg;
	sigset_t faults;
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	sigaddset(&faults, SIGBUS);
	sigaction(SIGSEGV, &(struct sigaction){ .sa_handler = give_up }, NULL);
	sigaction(SIGBUS, &(struct sigaction){ .sa_handler = give_up }, NULL);
	sigprocmask(SIG_UNBLOCK, &faults, NULL);
	for (unsigned i = 0; i < s->nr; i++) {
		int error = collect_one(&s->all[i]);
		s->error = error && error != ESRCH ? error : s->error;
	}
	return 0;
}

/* ---- all of them ---- */

static void list(struct thread_stacks *s)
{
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *d; tasks && (d = readdir(tasks)) && s->nr < THREADS_MOST;) {
		pid_t tid = atoi(d->d_name);
		if (tid > 0 && tid != gettid())
			s->all[s->nr++].tid = tid;
	}
	if (tasks)
		closedir(tasks);
}

static int run_child(struct thread_stacks *s, char *stack)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* while the child runs, whose ID is not known yet */
	pid_t pid = clone(collect, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, s);
	int error = pid < 0 ? errno : 0;
	prctl(PR_SET_PTRACER, 0, 0, 0, 0);
	while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

struct thread_stacks *threads_collect(void)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct thread_stacks *s = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int error = stack == MAP_FAILED || s == MAP_FAILED ? ENOMEM : HAS_REGISTERS ? 0 : ENOSYS;
	if (!error) {
		list(s);
		error = run_child(s, stack);
	}
	if (stack != MAP_FAILED)
		munmap(stack, STACK_BYTES);
	if (!error)
		return s;
	if (s != MAP_FAILED)
		threads_free(s);
	errno = error;
	return NULL;
}

void threads_free(struct thread_stacks *s)
{
	munmap(s, MAP_BYTES);
}
