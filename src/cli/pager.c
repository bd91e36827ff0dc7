#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cli/config.h"

static bool is_installed(const char *name)
{
	const char *path = getenv("PATH");
	for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
		size_t len = strcspn(at, ":");
		_cleanup_strbuf_ struct strbuf file = {};
		strbuf_add(&file, at, len);
		strbuf_addf(&file, "/%s", name);
		if (len && !access(strbuf_str(&file), X_OK))
			return true;
		at += len + (at[len] == ':');
	}
	return false;
}

const char *pager_choose(const char *configured)
{
	const char *candidates[] = { getenv("STROBE_PAGER"), getenv("PERF_PAGER"), configured, getenv("PAGER") };
	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
		const char *c = candidates[i];
		if (c)
			return *c && strcmp(c, "cat") ? c : NULL;
	}
	return is_installed("less") ? "less" : is_installed("more") ? "more" : NULL;
}

const char *pager_of_settings(const struct config *config, const char *cmd, bool is_forced)
{
	const char *configured = config_get(config, "core.pager");
	_cleanup_free_ char *key = xasprintf("pager.%s", cmd ? cmd : "");
	bool is_paged = true;
	struct strobe_error *not_a_bool = cmd ? config_bool(config, key, true, &is_paged) : NULL;
	if (not_a_bool)
		configured = config_get(config, key);
	error_destroy(not_a_bool);
	return is_paged || is_forced ? pager_choose(configured) : NULL;
}

/* Characters that require a shell. */
#define SHELL_CHARACTERS "|&;<>()$`\\\"'*?[]{}#~=%!\n"
#define WORDS_MAX 64

/* Splits a command line in place; 0: too many words. */
static size_t split(char *line, char *words[WORDS_MAX])
{
	size_t n = 0;
	char *rest = NULL;
	for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (n + 1 == WORDS_MAX)
			return 0;
		words[n++] = word;
	}
	words[n] = NULL;
	return n;
}

/* Returns only if the command cannot be run. */
static void exec_command(const char *command)
{
	_cleanup_free_ char *line = strdup(command);
	char *words[WORDS_MAX];
	if (line && !strpbrk(command, SHELL_CHARACTERS) && split(line, words))
		execvp(words[0], words);
	else
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
}

/* status_end: receives the errno if the pager cannot be run; closed by a successful exec. */
static void run_child(const char *command, int read_end, int status_end)
{
	dup2(read_end, STDIN_FILENO);
	/* Quit if all fits on the screen, show colours, cut long lines, leave the text on the screen. */
	setenv("LESS", "FRSX", 0);
	signal(SIGPIPE, SIG_DFL);
	exec_command(command);
	int errnum = errno;
	ssize_t n = write(status_end, &errnum, sizeof(errnum));
	(void)n;
	_exit(127);
}

static void close_pair(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* 0: the program runs. */
static int errno_of_child(int status_begin)
{
	int errnum = 0;
	ssize_t n;
	while ((n = read(status_begin, &errnum, sizeof(errnum))) < 0 && errno == EINTR)
		;
	return n == sizeof(errnum) ? errnum : 0;
}

struct strobe_error *pager_start(const char *command, struct pager *ret)
{
	int fds[2], status[2];
	*ret = (struct pager){ .fd = -1 };
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(errno, "cannot create a pipe to the pager");
	if (pipe2(status, O_CLOEXEC) < 0) {
		int errnum = errno;
		close_pair(fds);
		return error_errno(errnum, "cannot create a pipe to the pager");
	}
	pid_t pid = fork();
	int errnum = pid < 0 ? errno : 0;
	if (!pid)
		run_child(command, fds[0], status[1]);
	close(status[1]);
	if (pid > 0)
		errnum = errno_of_child(status[0]);
	close(status[0]);
	close(fds[0]);
	if (errnum) {
		close(fds[1]);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return error_errno(errnum, "cannot run the pager %s", command);
	}
	*ret = (struct pager){ .pid = pid, .fd = fds[1] };
	return NULL;
}

void pager_finish(struct pager *p)
{
	if (p->fd < 0)
		return;
	close(p->fd);
	p->fd = -1;
	int status;
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
}
