/* Compares sched_getscheduler(2) and getpriority(2) with what was set. EPERM if not permitted. */
#include "sys/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

/* The policy of a newly forked child, or -1. */
static int policy_of_child(void)
{
	int status;
	pid_t child = fork();
	if (!child)
		_exit(sched_getscheduler(0));
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void real_time_is_not_inherited(void **state)
{
	struct sched_param p;
	int refused = sys_set_realtime(3);
	if (refused) {
		assert_int_equal(refused, EPERM);
		skip();
	}
	assert_int_equal(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
	assert_int_equal(sched_getparam(0, &p), 0);
	assert_int_equal(p.sched_priority, 3);
	assert_int_equal(policy_of_child(), SCHED_OTHER);
	assert_int_equal(sys_set_realtime(1000), EINVAL);
}

static void nice_is_highest(void **state)
{
	int refused = sys_set_nice_highest();
	if (refused) {
		assert_true(refused == EPERM || refused == EACCES);
		skip();
	}
	assert_int_equal(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), -20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(real_time_is_not_inherited), cmocka_unit_test(nice_is_highest) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
