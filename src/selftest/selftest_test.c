/* The list of checks, and outcomes of a check that crashes, hangs or exits without a result. */
#include "base/testing.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "selftest/outcomes.h"
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

static bool is_chosen(size_t i, const char *word, const char *skip)
{
	char text[64];
	char *words[] = { text };
	snprintf(text, sizeof(text), "%s", word ? word : "");
	return selftest_is_chosen(i, words, word != NULL, skip);
}

static void checks_are_chosen_by_number_and_name(void **state)
{
	(void)state;
	char part[8];
	assert_true(is_chosen(4, NULL, NULL) && is_chosen(4, "5", NULL));
	assert_false(is_chosen(4, "4", NULL) || is_chosen(4, "55", NULL));
	snprintf(part, sizeof(part), "%s", selftest_name(selftest_at(4)));
	assert_true(is_chosen(4, part, NULL));
	assert_false(is_chosen(4, "no such name", NULL));
	assert_false(is_chosen(4, NULL, "1,5,7") || is_chosen(4, "5", "5"));
	assert_true(is_chosen(4, NULL, "1,15,4") && is_chosen(4, NULL, ""));
}

static struct selftest_outcome succeeds(const struct selftest *t)
{
	(void)t;
	return selftest_ok();
}

static void the_worst_of_runs_counts(void **state)
{
	(void)state;
	const struct selftest ok = { .name = "n", .subject = "s", .run = succeeds };
	const struct selftest bad = { .name = "n", .subject = "s", .run = breaks };
	assert_int_equal(selftest_run_often(&ok, 3).state, SELFTEST_OK);
	assert_int_equal(selftest_run_often(&bad, 2).state, SELFTEST_FAILED);
}

static void assert_line(const struct selftest_outcome *o, bool with_time, const char *expected)
{
	const struct selftest t = { .name = "A name", .subject = "s", .run = lacks };
	struct out out;
	size_t bytes;
	out_init_mem(&out);
	selftest_line(&out, 7, &t, o, with_time);
	const char *text = out_mem(&out, &bytes);
	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(text, expected, bytes);
	error_destroy(out_close(&out));
}

static void lines_have_reasons_and_times(void **state)
{
	(void)state;
	const struct selftest_outcome ok = { .state = SELFTEST_OK, .seconds = 0.25 };
	const struct selftest_outcome skip = { .state = SELFTEST_SKIPPED, .reason = "none\x1b" };
#define NAME "  7: A name                                            : "
	assert_line(NULL, true, NAME "\n");
	assert_line(&ok, false, NAME "Ok\n");
	assert_line(&ok, true, NAME "Ok  0.250 s\n");
	assert_line(&skip, false, NAME "Skip (none\\x1b)\n");
#undef NAME
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_different),
		cmocka_unit_test(outcomes_are_those_of_the_process),
		cmocka_unit_test(checks_are_chosen_by_number_and_name),
		cmocka_unit_test(the_worst_of_runs_counts),
		cmocka_unit_test(lines_have_reasons_and_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
