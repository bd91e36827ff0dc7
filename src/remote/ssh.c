#include "remote/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define READ_BYTES_MAX (64 << 10)
#define SSH_FAILED 255

extern char **environ;

struct ssh {
	const char *program, *destination;
	char *dir;     /* private; contains the socket of the connection */
	char *control; /* the ssh option with the socket's path */
};

struct strobe_error *ssh_create(const char *destination, struct ssh **ret)
{
	const char *tmp = getenv("TMPDIR"), *program = getenv("STROBE_SSH");
	/* The path of a socket has at most 107 bytes. */
	_cleanup_free_ char *dir = xasprintf("%s/strobe-ssh-XXXXXX", tmp && *tmp == '/' && strlen(tmp) < 50 ? tmp : "/tmp");
	*ret = NULL;
	if (!*destination || *destination == '-')
		return error_create(ERROR_USAGE, "invalid host '%s': expected [user@]host", destination);
	if (!mkdtemp(dir))
		return error_errno(errno, "cannot create a directory for the connection to %s", destination);
	struct ssh *s = xcalloc(1, sizeof(*s));
	s->program = program && *program ? program : "ssh";
	s->destination = destination;
	s->control = xasprintf("ControlPath=%s/s", dir);
	s->dir = take_ptr(dir);
	*ret = s;
	return NULL;
}

/* Ctrl-C is for us, who end the remote program first: the terminal also sends it to ssh. */
static void leave_signals(posix_spawnattr_t *how)
{
	sigset_t blocked;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGQUIT);
	sigaddset(&blocked, SIGHUP);
	sigaddset(&blocked, SIGTERM);
	posix_spawnattr_setsigmask(how, &blocked);
	posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK);
}

static struct strobe_error *spawn(const struct ssh *s, const char *const *argv, int in, int out, pid_t *ret)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	posix_spawnattr_init(&how);
	leave_signals(&how);
	posix_spawn_file_actions_init(&files);
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	int errnum = posix_spawnp(ret, s->program, &files, &how, (char *const *)argv, environ);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return errnum ? error_errno(errnum, "cannot run %s, which reaches other machines (package openssh-client)", s->program) : NULL;
}

struct strobe_error *ssh_start(const struct ssh *s, const char *line, int in, int out, pid_t *ret)
{
	/* The first one becomes the master connection; it ends by itself if we cannot end it. */
	const char *const argv[] = { s->program, "-o", "ControlMaster=auto", "-o", "ControlPersist=60", "-o", s->control,
				     "-T", "--", s->destination, line, NULL };
	return spawn(s, argv, in, out, ret);
}

static int wait_for(pid_t pid)
{
	int waited;
	while (waitpid(pid, &waited, 0) < 0)
		if (errno != EINTR)
			return SSH_FAILED;
	return ssh_status(waited);
}

void ssh_destroy(struct ssh *s)
{
	if (!s)
		return;
	_cleanup_free_ char *socket = xasprintf("%s/s", s->dir);
	const char *const argv[] = { s->program, "-q", "-o", s->control, "-O", "exit", "--", s->destination, NULL };
	_cleanup_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid;
	if (!access(socket, F_OK)) {
		struct strobe_error *err = spawn(s, argv, null, null, &pid);
		if (!err)
			wait_for(pid);
		error_destroy(err);
	}
	unlink(socket);
	rmdir(s->dir);
	free(s->dir);
	free(s->control);
	free(s);
}

int ssh_status(int waited)
{
	return WIFEXITED(waited) ? WEXITSTATUS(waited) : WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : SSH_FAILED;
}

static struct strobe_error *check(const struct ssh *s, int status, const char *what)
{
	if (status == SSH_FAILED) /* ssh has printed the reason */
		return error_create(ERROR_IO, "cannot %s on %s: no connection by %s", what, s->destination, s->program);
	return status ? error_create(ERROR_OTHER, "cannot %s on %s: exit status %d", what, s->destination, status) : NULL;
}

struct strobe_error *ssh_run(const struct ssh *s, const char *line, int in, int out, const char *what)
{
	pid_t pid;
	TRY(ssh_start(s, line, in, out, &pid));
	return check(s, wait_for(pid), what);
}

struct strobe_error *ssh_read(const struct ssh *s, const char *line, struct strbuf *ret, const char *what)
{
	int ends[2];
	pid_t pid;
	char bytes[4096];
	if (pipe2(ends, O_CLOEXEC))
		return error_errno(errno, "cannot create a pipe for %s", s->program);
	_cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct strobe_error *err = ssh_start(s, line, null, ends[1], &pid);
	close(ends[1]);
	for (ssize_t n = 1; !err && n && ret->len < READ_BYTES_MAX;) {
		n = read(ends[0], bytes, sizeof(bytes));
		if (n < 0 && errno != EINTR)
			n = 0;
		strbuf_add(ret, bytes, n > 0 ? (size_t)n : 0);
	}
	close(ends[0]);
	return err ? err : check(s, wait_for(pid), what);
}
