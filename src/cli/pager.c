#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

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

static void run_child(const char *command, int read_end)
{
	dup2(read_end, STDIN_FILENO);
	/* Quit when all fits on the screen, show colours, cut long lines, leave the text on the screen. */
	setenv("LESS", "FRSX", 0);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

struct strobe_error *pager_start(const char *command, struct pager *ret)
{
	int fds[2];
	*ret = (struct pager){ .fd = -1 };
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(errno, "cannot make a pipe to the pager");
	pid_t pid = fork();
	if (pid < 0) {
		int errnum = errno;
		close(fds[0]);
		close(fds[1]);
		return error_errno(errnum, "cannot start the pager %s", command);
	}
	if (!pid)
		run_child(command, fds[0]);
	close(fds[0]);
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
