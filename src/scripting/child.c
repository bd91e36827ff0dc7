#include "scripting/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

extern char **environ;

#define PIPE_BYTES (1 << 20) /* so that both sides can run concurrently */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static struct strobe_error *put_source(const struct script_program *p, int *ret)
{
	int fd = memfd_create(p->interpreter, MFD_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot create a file in memory for %s", p->interpreter);
	for (size_t at = 0; at < p->source_bytes;) {
		ssize_t n = write(fd, p->source + at, p->source_bytes - at);
		if (n <= 0) {
			struct strobe_error *err = error_errno(errno, "cannot write a file in memory for %s", p->interpreter);
			close(fd);
			return err;
		}
		at += (size_t)n;
	}
	lseek(fd, 0, SEEK_SET); /* perl reads /dev/fd/N through the descriptor N itself */
	*ret = fd;
	return NULL;
}

/* INTERPRETER /dev/fd/SOURCE EVENTS REPLIES SCRIPT …; the child inherits these three descriptors, and SIGPIPE with its default effect. */
static int spawn(const struct script_program *p, int source, int events, int replies, pid_t *ret)
{
	char path[32], numbers[2][16];
	size_t n = 0;
	while (p->argv[n])
		n++;
	char **argv = xcalloc(n + 5, sizeof(*argv));
	snprintf(path, sizeof(path), "/dev/fd/%d", source);
	snprintf(numbers[0], sizeof(numbers[0]), "%d", events);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", replies);
	argv[0] = (char *)p->interpreter;
	argv[1] = path;
	argv[2] = numbers[0];
	argv[3] = numbers[1];
	memcpy(argv + 4, p->argv, n * sizeof(*argv));
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_adddup2(&files, source, source); /* same number: only clears close-on-exec */
	posix_spawn_file_actions_adddup2(&files, events, events);
	posix_spawn_file_actions_adddup2(&files, replies, replies);
	int errnum = posix_spawnp(ret, p->interpreter, &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	free(argv);
	return errnum;
}

/* Handles the first SIGINT and then restores the default, by which script_child_stopped() notices it. */
static void on_sigint(int number)
{
	(void)number;
}

static void take_signals(struct script_child *c)
{
	struct sigaction once = { .sa_handler = on_sigint, .sa_flags = (int)SA_RESETHAND | SA_RESTART };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGINT, NULL, &c->old_sigint);
	if (c->old_sigint.sa_handler != SIG_IGN) /* ignored in background jobs */
		sigaction(SIGINT, &once, NULL);
	sigaction(SIGPIPE, &ignore, &c->old_sigpipe);
}

struct strobe_error *script_child_start(const struct script_program *p, struct script_child *ret)
{
	int events[2] = { -1, -1 }, replies[2] = { -1, -1 }, source = -1, errnum = 0;
	*ret = (struct script_child){ .events_fd = -1, .replies_fd = -1 };
	struct strobe_error *err = put_source(p, &source);
	if (err)
		return err;
	if (pipe2(events, O_CLOEXEC) < 0 || pipe2(replies, O_CLOEXEC) < 0) {
		err = error_errno(errno, "cannot create a pipe to %s", p->interpreter);
	} else {
		fcntl(events[1], F_SETPIPE_SZ, PIPE_BYTES); /* as large as permitted */
		take_signals(ret);
		errnum = spawn(p, source, events[0], replies[1], &ret->pid);
	}
	close_fd(&source);
	close_fd(&events[0]);
	close_fd(&replies[1]);
	ret->events_fd = events[1];
	ret->replies_fd = replies[0];
	if (errnum) {
		ret->pid = 0;
		err = error_errno(errnum, "cannot run %s, which %s", p->interpreter, p->needs);
		script_child_end(ret);
	} else if (err) {
		close_fd(&ret->events_fd);
		close_fd(&ret->replies_fd);
	}
	return err;
}

bool script_child_write(struct script_child *c, const void *data, size_t n)
{
	const char *p = data;
	while (n) {
		ssize_t written = write(c->events_fd, p, n);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		p += written;
		n -= (size_t)written;
	}
	return true;
}

size_t script_child_read(struct script_child *c, void *data, size_t n)
{
	ssize_t got;
	do
		got = read(c->replies_fd, data, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? 0 : (size_t)got;
}

bool script_child_stopped(const struct script_child *c)
{
	struct sigaction now;
	return c->old_sigint.sa_handler != SIG_IGN && !sigaction(SIGINT, NULL, &now) && now.sa_handler == SIG_DFL;
}

int script_child_end(struct script_child *c)
{
	int status = 0;
	close_fd(&c->events_fd);
	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	close_fd(&c->replies_fd);
	sigaction(SIGINT, &c->old_sigint, NULL);
	sigaction(SIGPIPE, &c->old_sigpipe, NULL);
	c->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
