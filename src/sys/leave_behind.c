#include "sys/leave_behind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_others(const int *fds, size_t nr, int end_fd)
{
	unsigned from = 0, end = (unsigned)end_fd;
	for (size_t i = 0; i <= nr; i++) {
		unsigned to = i < nr ? (unsigned)fds[i] : ~0U;
		if (end >= from && end < to) {
			if (end > from)
				close_range(from, end - 1, 0);
			from = end + 1;
		}
		if (to > from)
			close_range(from, i < nr ? to - 1 : to, 0);
		from = to + 1;
	}
}

static _Noreturn void outlive_parent(const int *fds, size_t nr, int end_fd, unsigned linger_ms)
{
	char none;
	/* Detached from our terminal's signals. */
	setsid();
	if (chdir("/"))
		_exit(1);
	prctl(PR_SET_NAME, "strobe-close");
	close_others(fds, nr, end_fd);
	while (read(end_fd, &none, 1) < 0 && errno == EINTR)
		;
	usleep(linger_ms * 1000);
	_exit(0);
}

pid_t sys_leave_behind(int *fds, size_t nr, unsigned linger_ms)
{
	int ends[2];
	if (!nr || pipe2(ends, O_CLOEXEC))
		return 0;
	qsort(fds, nr, sizeof(*fds), by_number);
	pid_t pid = fork();
	if (!pid)
		outlive_parent(fds, nr, ends[0], linger_ms);
	close(ends[0]);
	return pid > 0 ? pid : 0;
}
