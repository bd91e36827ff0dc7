/* The list of checks, and what becomes of one that crashes, hangs or ends without a word. */
#include "base/testing.h"

#include <signal.h>
#include <unistd.h>

#include "selftest/priv.h"

static void names_are_different(void **state)
{
	(void)state;
	size_t n = 0;
	for (const struct selftest *t; (t = selftest_at(n)); n++) {
		assert_true(*selftest_name(t) && *selftest_subject(t));
		for (size_t i = 0; i < n; i++)
			assert_string_not_equal(selftest_name(selftest_at(i)), selftest_name(t));
	}
	assert_true(n >= 80);
	assert_null(selftest_at(n + 1000));
}

static struct selftest_outcome crashes(const struct selftest *t)
{
	(void)t;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return selftest_ok();
}

static struct selftest_outcome hangs(const struct selftest *t)
{
	(void)t;
	pause();
	return selftest_ok();
}

static struct selftest_outcome leaves(const struct selftest *t)
{
	(void)t;
	_exit(3);
}

static struct selftest_outcome lacks(const struct selftest *t)
{
	(void)t;
	return selftest_of_error(error_create(ERROR_UNSUPPORTED, "no such %s", "thing"));
}

static struct selftest_outcome breaks(const struct selftest *t)
{
	(void)t;
	return selftest_of_error(error_create(ERROR_FORMAT, "broken"));
}

static void assert_run(struct selftest_outcome (*run)(const struct selftest *t), enum selftest_state state, const char *reason)
{
	const struct selftest t = { .name = "n", .subject = "s", .run = run };
	struct selftest_outcome outcome = selftest_run(&t, run == hangs ? 0.05 : 60);
	assert_int_equal(outcome.state, state);
	assert_non_null(strstr(outcome.reason, reason));
	assert_true(outcome.seconds >= 0);
}

static void outcomes_are_those_of_the_process(void **state)
{
	(void)state;
	assert_run(crashes, SELFTEST_FAILED, "signal 11");
	assert_run(hangs, SELFTEST_FAILED, "not done after");
	assert_run(leaves, SELFTEST_FAILED, "status 3");
	assert_run(lacks, SELFTEST_SKIPPED, "no such thing");
	assert_run(breaks, SELFTEST_FAILED, "broken");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_different),
		cmocka_unit_test(outcomes_are_those_of_the_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
