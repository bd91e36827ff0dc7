#include "selftest/selftest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "selftest/priv.h"
#include "sys/sys.h"

#define TIMEOUT_S 20 /* for a check that is run repeatedly */

static const struct selftest *const groups[] = {
	selftests_counting, selftests_sampling, selftests_tracing, selftests_bpf, selftests_names, selftests_files,
};

const struct selftest *selftest_at(size_t i)
{
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
		for (const struct selftest *t = groups[g]; t->name; t++)
			if (!i--)
				return t;
	return NULL;
}

const char *selftest_name(const struct selftest *t)
{
	return t->name;
}

const char *selftest_subject(const struct selftest *t)
{
	return t->subject;
}

struct selftest_outcome selftest_ok(void)
{
	return (struct selftest_outcome){ .state = SELFTEST_OK };
}

#define OUTCOME(which, fmt)                                                 \
	do {                                                                \
		struct selftest_outcome outcome = { .state = (which) };     \
		va_list ap;                                                 \
		va_start(ap, fmt);                                          \
		vsnprintf(outcome.reason, sizeof(outcome.reason), fmt, ap); \
		va_end(ap);                                                 \
		return outcome;                                             \
	} while (0)

struct selftest_outcome selftest_skip(const char *fmt, ...)
{
	OUTCOME(SELFTEST_SKIPPED, fmt);
}

struct selftest_outcome selftest_fail(const char *fmt, ...)
{
	OUTCOME(SELFTEST_FAILED, fmt);
}

struct selftest_outcome selftest_of_error(struct strobe_error *err)
{
	if (!err)
		return selftest_ok();
	bool is_lack = err->code == ERROR_UNSUPPORTED || err->code == ERROR_PERMISSION || err->code == ERROR_NOT_FOUND;
	struct selftest_outcome outcome = is_lack ? selftest_skip("%s", err->message) : selftest_fail("%s", err->message);
	error_destroy(err);
	return outcome;
}

/* In the child: writes the outcome to the pipe. */
static void run_and_exit(const struct selftest *t, int fd)
{
	struct selftest_outcome outcome = t->run(t);
	_exit(write(fd, &outcome, sizeof(outcome)) != sizeof(outcome));
}

/* The outcome from the child, or from its exit. */
static struct selftest_outcome outcome_of(int fd, pid_t pid, double timeout_s)
{
	struct selftest_outcome outcome;
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int status = 0;
	bool in_time = poll(&ready, 1, (int)(timeout_s * 1000)) > 0;
	bool is_whole = in_time && read(fd, &outcome, sizeof(outcome)) == sizeof(outcome);
	if (!in_time)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (is_whole)
		return outcome;
	if (!in_time)
		return selftest_fail("not done after %.0f seconds", timeout_s);
	if (WIFSIGNALED(status))
		return selftest_fail("ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	return selftest_fail("ended with status %d", WEXITSTATUS(status));
}

struct selftest_outcome selftest_run(const struct selftest *t, double timeout_s)
{
	int fds[2];
	uint64_t begin_ns = sys_clock_ns(sys_live(), CLOCK_MONOTONIC);
	if (pipe(fds))
		return selftest_fail("no pipe: %s", strerrordesc_np(errno));
	_cleanup_close_ int from = fds[0];
	pid_t pid = fork();
	if (!pid)
		run_and_exit(t, fds[1]);
	close(fds[1]);
	if (pid < 0)
		return selftest_fail("no process: %s", strerrordesc_np(errno));
	struct selftest_outcome outcome = outcome_of(from, pid, timeout_s);
	outcome.seconds = (double)(sys_clock_ns(sys_live(), CLOCK_MONOTONIC) - begin_ns) * 1e-9;
	return outcome;
}

/* Whether a comma-separated list of numbers contains this one. */
static bool list_has(const char *list, size_t number)
{
	for (; list && *list; list += strcspn(list, ","), list += *list == ',')
		if (strtoul(list, NULL, 10) == number)
			return true;
	return false;
}

bool selftest_is_chosen(size_t i, char *const *words, int words_nr, const char *skip)
{
	bool found = !words_nr;
	for (int w = 0; w < words_nr && !found; w++) {
		uint64_t n;
		found = text_to_u64(words[w], &n) ? n == i + 1 : strcasestr(selftest_name(selftest_at(i)), words[w]) != NULL;
	}
	return found && !list_has(skip, i + 1);
}

struct selftest_outcome selftest_run_often(const struct selftest *t, uint64_t runs)
{
	struct selftest_outcome worst = selftest_run(t, TIMEOUT_S);
	for (uint64_t i = 1; i < runs; i++) {
		struct selftest_outcome next = selftest_run(t, TIMEOUT_S);
		if (next.state > worst.state)
			worst = next;
	}
	return worst;
}
