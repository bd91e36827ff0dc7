#include "recording/remover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *close_all(void *arg)
{
	struct record_remover *r = arg;
	int fd;
	__atomic_store_n(&r->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	/* Writes of one descriptor are atomic (PIPE_BUF), so that reads are whole. */
	for (;;) {
		ssize_t n = read(r->from_caller, &fd, sizeof(fd));
		if (n == sizeof(fd))
			close(fd);
		else if (n >= 0 || errno != EINTR)
			return NULL;
	}
}

struct strobe_error *record_remover_start(struct record_remover *r)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC))
		return error_errno(errno, "cannot create a pipe");
	*r = (struct record_remover){ .to_thread = fds[1], .from_caller = fds[0] };
	int e = pthread_create(&r->thread, NULL, close_all, r);
	if (e) {
		close(fds[0]);
		close(fds[1]);
		*r = (struct record_remover){};
		return error_errno(e, "cannot start the thread that frees older recordings");
	}
	r->started = true;
	while (!__atomic_load_n(&r->tid, __ATOMIC_ACQUIRE))
		usleep(20);
	return NULL;
}

int record_remover_hold(const struct record_remover *r, const char *path)
{
	/* O_PATH: neither rights nor a pipe's other end are needed to keep the inode. */
	return r->started ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
}

void record_remover_let_go(struct record_remover *r, int fd)
{
	if (fd >= 0 && write(r->to_thread, &fd, sizeof(fd)) != sizeof(fd))
		close(fd);
}

void record_remover_stop(struct record_remover *r)
{
	if (!r->started)
		return;
	close(r->to_thread);
	pthread_join(r->thread, NULL);
	close(r->from_caller);
	*r = (struct record_remover){};
}
