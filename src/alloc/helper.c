#include "alloc/helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc/descriptor.h"
#include "alloc/layout.h"
#include "alloc/real.h"

#define STACK_BYTES   ((size_t)256 * 1024)
#define ARGUMENTS     16
#define PATH_BYTES    4096

extern char **environ;

struct child {
	const char *beside; /* path of a strobe in this library's directory */
	const char *arguments[ARGUMENTS];
	char **environment;
	int in, out;
	sigset_t mask; /* of the program */
};

/* ---- the child ---- */

/* The child shares the program's memory until it executes strobe: no signal handler of the program may run in it. */
static void restore_signals(const sigset_t *mask)
{
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction act;
		if (sigaction(number, NULL, &act) || act.sa_handler == SIG_IGN || act.sa_handler == SIG_DFL)
			continue;
		act = (struct sigaction){ .sa_handler = SIG_DFL };
		sigaction(number, &act, NULL);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
}

static int execute(void *arg)
{
	struct child *c = arg;
	char *const *arguments = (char *const *)(uintptr_t)c->arguments;
	restore_signals(&c->mask);
	if (dup2(c->in, STDIN_FILENO) < 0 || dup2(c->out, STDOUT_FILENO) < 0)
		_exit(126);
	execve(c->beside, arguments, c->environment);
	execve(ALLOC_STROBE, arguments, c->environment);
	execvpe("strobe", arguments, c->environment);
	_exit(127);
}

/* ---- its arguments and environment ---- */

static bool is_left_out(const char *variable)
{
	static const char *const names[] = { "LD_PRELOAD", ALLOC_ENV, "HEAPCHECK", "HEAPPROFILE", "CPUPROFILE", "LD_AUDIT" };
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(variable, names[i], strlen(names[i])) && variable[strlen(names[i])] == '=')
			return true;
	return false;
}

static char **make_environment(void)
{
	size_t nr = 0, n = 0;
	while (environ && environ[nr])
		nr++;
	char **ret = real.malloc((nr + 1) * sizeof(*ret));
	for (size_t i = 0; ret && i < nr; i++)
		if (!is_left_out(environ[i]))
			ret[n++] = environ[i];
	if (ret)
		ret[n] = NULL;
	return ret;
}

static void find_beside(char ret[static PATH_BYTES])
{
	Dl_info mine;
	const char *path = dladdr((const void *)helper_run, &mine) ? mine.dli_fname : "", *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	memcpy(ret, path, n < PATH_BYTES - sizeof("/strobe") ? n : 0);
	strcpy(ret + (n < PATH_BYTES - sizeof("/strobe") ? n : 0), "/strobe");
}

/* ---- the exchange ---- */

static void write_all(int fd, const char *text)
{
	for (size_t n = strlen(text); n;) {
		ssize_t done = write(fd, text, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

static size_t read_all(int fd, char *ret, size_t most)
{
	size_t got = 0;
	while (got < most) {
		ssize_t n = read(fd, ret + got, most - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}

/* The flags have no signal for its end (their last byte is 0), so that wait(2) requires __WALL. */
static pid_t start(struct child *c)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t all;
	if (stack == MAP_FAILED)
		return -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &c->mask);
	pid_t pid = clone(execute, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, c);
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
	munmap(stack, STACK_BYTES);
	return pid;
}

/* SIGPIPE must not end the program if strobe does not read to the end. */
static void exchange(pid_t pid, int to, int from, const char *request, char *ret, size_t bytes)
{
	sigset_t pipe, before, pending;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	prctl(PR_SET_PTRACER, (unsigned long)pid, 0, 0, 0);
	write_all(to, request);
	close(to);
	ret[read_all(from, ret, bytes - 1)] = 0;
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	prctl(PR_SET_PTRACER, 0, 0, 0, 0);
	if (!sigpending(&pending) && sigismember(&pending, SIGPIPE) && !sigismember(&before, SIGPIPE))
		sigtimedwait(&pipe, NULL, &(struct timespec){ 0, 0 });
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Descriptors above those of standard input and output, which the program may have closed. */
static bool make_pipe(int ret[static 2])
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		ret[i] = descriptor_copy(ends[i], STDERR_FILENO + 1);
		close(ends[i]);
	}
	return ret[0] >= 0 && ret[1] >= 0;
}

static bool run(struct child *c, const char *request, char *ret, size_t bytes)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };
	pid_t pid = -1;
	*ret = 0;
	if (make_pipe(to) && make_pipe(from)) {
		c->in = to[0];
		c->out = from[1];
		pid = start(c);
	}
	close(to[0]);
	close(from[1]);
	if (pid > 0)
		exchange(pid, to[1], from[0], request, ret, bytes);
	else
		close(to[1]);
	close(from[0]);
	return *ret != 0;
}

bool helper_run(const char *const *arguments, const char *request, char *ret_answer, size_t answer_bytes)
{
	char beside[PATH_BYTES];
	struct child c = { .beside = beside, .arguments = { "strobe" }, .environment = make_environment() };
	find_beside(beside);
	for (unsigned i = 0; arguments[i] && i + 2 < ARGUMENTS; i++)
		c.arguments[i + 1] = arguments[i];
	bool works = c.environment && run(&c, request, ret_answer, answer_bytes);
	real.free(c.environment);
	return works;
}
