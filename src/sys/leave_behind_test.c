/* Which process holds the descriptors, observed from the other ends of three pipes. */
#include "sys/leave_behind.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

enum { KEPT, ALSO_KEPT, OTHER, PIPES };

static bool is_closed(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd };
	return poll(&p, 1, timeout_ms) > 0 && p.revents & POLLHUP;
}

/* Leaves two of the pipes to the child, closes all three, reports it and continues until it is stopped. */
static void parting_program(int (*pipes)[2], int said, int go_on)
{
	char c = 0;
	int fds[] = { pipes[ALSO_KEPT][1], pipes[KEPT][1] };
	if (sys_leave_behind(fds, 2, 0) <= 0)
		_exit(1);
	for (unsigned i = 0; i < PIPES; i++)
		close(pipes[i][1]);
	if (write(said, &c, 1) != 1 || read(go_on, &c, 1) < 0)
		_exit(1);
	_exit(0);
}

static void what_is_left_behind_ends_after_us(void **state)
{
	int pipes[PIPES][2], said[2], go_on[2], status;
	char c;
	for (unsigned i = 0; i < PIPES; i++)
		assert_int_equal(pipe(pipes[i]), 0);
	assert_int_equal(pipe(said) | pipe(go_on), 0);
	pid_t pid = fork();
	if (!pid) {
		close(go_on[1]);
		parting_program(pipes, said[1], go_on[0]);
	}
	for (unsigned i = 0; i < PIPES; i++)
		close(pipes[i][1]);
	close(said[1]);
	assert_int_equal(read(said[0], &c, 1), 1);
	assert_true(is_closed(pipes[OTHER][0], 10000));
	assert_false(is_closed(pipes[KEPT][0], 50) || is_closed(pipes[ALSO_KEPT][0], 0));
	close(go_on[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(is_closed(pipes[KEPT][0], 10000));
	assert_true(is_closed(pipes[ALSO_KEPT][0], 10000));
}

static void nothing_is_left_of_nothing(void **state)
{
	assert_int_equal(sys_leave_behind(NULL, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_behind_ends_after_us),
		cmocka_unit_test(nothing_is_left_of_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
