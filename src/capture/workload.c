#include "capture/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* What the parent writes to start the exec. */
enum { GO = 1, GO_FILTERED };

static _Noreturn void end_child(int error_fd)
{
	int errnum = errno;
	ssize_t n = write(error_fd, &errnum, sizeof(errnum));
	(void)n;
	_exit(127);
}

static _Noreturn void child(char *const argv[], struct workload_options options, int go_fd, int error_fd)
{
	char go;
	ssize_t n;
	/* What runs between fork and exec must not be mistaken for the program itself. */
	prctl(PR_SET_NAME, "strobe-exec");
	/* Ends with the recorder if that is killed before the command was started, since the pipe is closed. */
	do
		n = read(go_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	if (go == GO_FILTERED && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, options.filter)))
		end_child(error_fd);
	if (options.stdout_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGPIPE, options.sigpipe);
	sigprocmask(SIG_SETMASK, &options.mask, NULL);
	execvp(argv[0], argv);
	end_child(error_fd);
}

struct workload_options workload_options_of(const struct signals *s)
{
	return (struct workload_options){
		.mask = s->old_mask,
		.sigpipe = s->old_sigpipe == SIG_IGN ? SIG_IGN : SIG_DFL,
	};
}

struct strobe_error *workload_fork(char *const argv[], struct workload_options options, struct workload *ret)
{
	int go[2], error[2];
	*ret = (struct workload){ .go_fd = -1, .error_fd = -1, .name = argv[0] };
	if (pipe2(go, O_CLOEXEC))
		return error_errno(errno, "cannot create a pipe for '%s'", argv[0]);
	if (pipe2(error, O_CLOEXEC)) {
		int errnum = errno;
		close(go[0]);
		close(go[1]);
		return error_errno(errnum, "cannot create a pipe for '%s'", argv[0]);
	}
	pid_t pid = fork();
	if (!pid) {
		close(go[1]);
		close(error[0]);
		child(argv, options, go[0], error[1]);
	}
	int errnum = errno;
	close(go[0]);
	close(error[1]);
	if (pid < 0) {
		close(go[1]);
		close(error[0]);
		return error_errno(errnum, "cannot fork for '%s'", argv[0]);
	}
	ret->pid = pid;
	ret->go_fd = go[1];
	ret->error_fd = error[0];
	return NULL;
}

void workload_release(struct workload *w)
{
	ssize_t n;
	char go = w->is_filtered ? GO_FILTERED : GO;
	do
		n = write(w->go_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	close(take_fd(w->go_fd));
	w->started = true;
}

struct strobe_error *workload_check(struct workload *w)
{
	int errnum = 0;
	ssize_t n;
	do
		n = read(w->error_fd, &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	close(take_fd(w->error_fd));
	if (n != sizeof(errnum))
		return NULL;
	workload_reap(w, true);
	struct strobe_error *err = error_errno(errnum, "failed to start the '%s' workload", w->name);
	err->exit_status = errnum == ENOENT ? WORKLOAD_NOT_FOUND : WORKLOAD_NOT_STARTED;
	return err;
}

struct strobe_error *workload_start(struct workload *w)
{
	workload_release(w);
	return workload_check(w);
}

bool workload_reap(struct workload *w, bool wait)
{
	while (w->pid > 0 && !w->reaped) {
		pid_t pid = waitpid(w->pid, &w->status, wait ? 0 : WNOHANG);
		if (pid == w->pid || (pid < 0 && errno == ECHILD))
			w->reaped = true;
		else if (pid == 0 || errno != EINTR)
			break;
	}
	return w->reaped;
}

bool workload_is_over(struct workload *w, const struct signals *s)
{
	for (int number; (number = signals_next(s));)
		if (number != SIGCHLD || (w->pid && workload_reap(w, false)))
			return true;
	return false;
}

void workload_terminate(struct workload *w)
{
	if (w->go_fd >= 0)
		close(take_fd(w->go_fd)); /* a child still waiting ends by itself */
	if (w->error_fd >= 0)
		close(take_fd(w->error_fd));
	if (w->pid <= 0 || workload_reap(w, false))
		return;
	kill(w->pid, w->started ? SIGTERM : SIGKILL);
}

void workload_end(struct workload *w)
{
	workload_terminate(w);
	workload_reap(w, true);
}
