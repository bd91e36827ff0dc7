/* Signals through a descriptor, and the restored state. */
#include "base/testing.h"

#include <unistd.h>

#include "sys/signals.h"

static void signals_come_one_by_one_and_things_are_put_back(void **state)
{
	struct signals s = SIGNALS_NONE;
	sigset_t before, after;
	struct sigaction pipe, pipe_before;
	signals_close(&s); /* not open */
	sigprocmask(SIG_BLOCK, NULL, &before);
	sigaction(SIGPIPE, NULL, &pipe_before);
	assert_ok(signals_open(&s, (int[]){ SIGUSR1, 0 }));
	assert_int_equal(signals_next(&s), 0);
	kill(getpid(), SIGTERM);
	assert_int_equal(signals_next(&s), SIGTERM);
	kill(getpid(), SIGUSR1);
	assert_int_equal(signals_next(&s), SIGUSR1);
	assert_int_equal(signals_next(&s), 0);
	sigaction(SIGPIPE, NULL, &pipe);
	assert_ptr_equal(pipe.sa_handler, SIG_IGN);
	signals_close(&s);
	assert_int_equal(s.fd, -1);
	sigprocmask(SIG_BLOCK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
	assert_int_equal(sigismember(&after, SIGUSR1), sigismember(&before, SIGUSR1));
	sigaction(SIGPIPE, NULL, &pipe);
	assert_ptr_equal(pipe.sa_handler, pipe_before.sa_handler);
}

static void an_ignored_hangup_stays_ignored(void **state)
{
	struct signals s;
	void (*old)(int) = signal(SIGHUP, SIG_IGN);
	assert_ok(signals_open(&s, NULL));
	kill(getpid(), SIGHUP);
	assert_int_equal(signals_next(&s), 0);
	signals_close(&s);
	signal(SIGHUP, old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_come_one_by_one_and_things_are_put_back),
		cmocka_unit_test(an_ignored_hangup_stays_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
