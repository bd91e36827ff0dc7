/* syscall: trivial system calls, and those that create and replace processes. */
#include <errno.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/priv.h"
#include "bench/tasks.h"

#define LOOPS_QUICK 10000000
#define LOOPS_SLOW  10000 /* for calls that create processes */
#define PROGRAM     "/bin/true"

static struct strobe_error *wait_for(pid_t pid)
{
	int status;
	if (pid < 0)
		return error_errno(errno, "cannot start a process");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(errno, "cannot wait for a process");
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	return error_create(ERROR_OTHER, "a started process failed: check that " PROGRAM " exists");
}

static struct strobe_error *fork_once(void)
{
	pid_t pid = fork();
	if (!pid)
		_exit(0);
	return wait_for(pid);
}

static struct strobe_error *execve_once(void)
{
	pid_t pid = fork();
	if (!pid) {
		char program[] = PROGRAM, *const argv[] = { program, NULL };
		execve(program, argv, environ);
		_exit(127);
	}
	return wait_for(pid);
}

static struct strobe_error *repeat(struct strobe_error *(*once)(void), uint64_t loops)
{
	for (uint64_t i = 0; i < loops; i++)
		TRY(once());
	return NULL;
}

static void report(struct bench_report *r, uint64_t ns, uint64_t loops, const char *call)
{
	bench_text(r, "# Executed %" PRIu64 " %s() calls\n", loops, call);
	bench_operations(r, ns, loops);
}

struct strobe_error *bench_getppid(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t loops = s->loops ? s->loops : LOOPS_QUICK, start_ns = bench_clock_ns();
	for (uint64_t i = 0; i < loops; i++)
		getppid();
	bench_setting(r, "loops", loops);
	report(r, bench_clock_ns() - start_ns, loops, "getppid");
	return NULL;
}

struct strobe_error *bench_getpgid(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t loops = s->loops ? s->loops : LOOPS_QUICK, start_ns = bench_clock_ns();
	for (uint64_t i = 0; i < loops; i++)
		getpgid(0);
	bench_setting(r, "loops", loops);
	report(r, bench_clock_ns() - start_ns, loops, "getpgid");
	return NULL;
}

struct strobe_error *bench_fork(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t loops = s->loops ? s->loops : LOOPS_SLOW, start_ns = bench_clock_ns();
	TRY(repeat(fork_once, loops));
	bench_setting(r, "loops", loops);
	report(r, bench_clock_ns() - start_ns, loops, "fork");
	return NULL;
}

struct strobe_error *bench_execve(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t loops = s->loops ? s->loops : LOOPS_SLOW, start_ns = bench_clock_ns();
	TRY(repeat(execve_once, loops));
	bench_setting(r, "loops", loops);
	report(r, bench_clock_ns() - start_ns, loops, "execve");
	return NULL;
}
