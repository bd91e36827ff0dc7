#include "base/testing.h"

#include "resolve/switches.h"

/* Samples of events a, b and c: each letter is one; '.' stands for one that is left out, as written down by hand. */
static void check(struct event_switches s, const char *samples, const char *expected)
{
	event_switches_start(&s);
	for (size_t i = 0; samples[i]; i++) {
		bool is_left_out = event_switches_leave_out(&s, (uint32_t)(samples[i] - 'a'));
		assert_int_equal(is_left_out ? '.' : samples[i], expected[i]);
	}
}

static void test_leaves_out(void **state)
{
	/* a is the first event, so 1; b is 2 */
	check((struct event_switches){}, "abcabc", "abcabc");
	check((struct event_switches){ .on = 1 }, "cbaccac", "...ccac");
	check((struct event_switches){ .on = 1, .keep = true }, "cbacca", "..acca");
	check((struct event_switches){ .off = 2 }, "cacbcac", "cac....");
	check((struct event_switches){ .off = 2, .keep = true }, "cacbcac", "cacb...");
	/* what switches off before anything was on is nothing */
	check((struct event_switches){ .on = 1, .off = 2 }, "cbcaccbcacb", "....cc...c.");
	check((struct event_switches){ .on = 1, .off = 2, .keep = true }, "cbcaccbcacb", "...accb.acb");
	/* one event for both turns on, then off */
	check((struct event_switches){ .on = 1, .off = 1 }, "cacaca", "..c...");
}

static void test_finds(void **state)
{
	struct env *env = env_create();
	uint32_t index = 7;
	const struct perf_event_attr attr = { .size = sizeof(attr) };
	env_add_event(env, &attr, sizeof(attr), "first", NULL, 0);
	env_add_event(env, &attr, sizeof(attr), "second", NULL, 0);
	assert_ok(event_switches_find(env, NULL, "--switch-on", false, &index));
	assert_int_equal(index, 0);
	assert_ok(event_switches_find(env, "second", "--switch-on", false, &index));
	assert_int_equal(index, 2);
	struct strobe_error *err = event_switches_find(env, "third", "--switch-off", false, &index);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_NOT_FOUND);
	assert_non_null(strstr(err->message, "third"));
	assert_non_null(strstr(err->message, "--switch-off"));
	error_destroy(err);
	assert_int_equal(index, 0);
	env_destroy(env);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaves_out),
		cmocka_unit_test(test_finds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
