#include "sys/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES  500
#define TRY_US 10000

static void write_back(const struct guard_write *w)
{
	int fd = open(w->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, w->text, strlen(w->text)) < 0 && errno == EINTR)
		write_back(w);
	close(fd);
}

static void ignore_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		signal(numbers[i], SIG_IGN);
}

static _Noreturn void outlive_parent(int fd, const struct guard_write *writes, size_t nr, const char *directory)
{
	char none;
	setsid();
	ignore_signals();
	prctl(PR_SET_NAME, "strobe-undo");
	if (fd > 0)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0U, 0);
	while (read(fd, &none, 1) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < nr; i++)
		write_back(&writes[i]);
	for (unsigned i = 0; directory && rmdir(directory) && errno == EBUSY && i < TRIES; i++)
		usleep(TRY_US);
	_exit(0);
}

struct strobe_error *guard_start(struct guard *g, const struct guard_write *writes, size_t nr, const char *directory)
{
	int ends[2];
	*g = (struct guard){ .fd = -1 };
	if (pipe2(ends, O_CLOEXEC))
		return error_errno(errno, "cannot create a pipe");
	pid_t pid = fork();
	if (!pid)
		outlive_parent(ends[0], writes, nr, directory);
	close(ends[0]);
	if (pid < 0) {
		struct strobe_error *err = error_errno(errno, "cannot start a process");
		close(ends[1]);
		return err;
	}
	*g = (struct guard){ .pid = pid, .fd = ends[1] };
	return NULL;
}

void guard_end(struct guard *g)
{
	if (!g->pid)
		return;
	close(g->fd);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*g = (struct guard){ .fd = -1 };
}
