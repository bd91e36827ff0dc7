#include "daemon/settings.h"

#include "base/testing.h"

static struct strobe_error *settings_of(const char *text, const char *base, struct daemon_settings *ret)
{
	struct config *c = config_create();
	assert_ok(config_parse(c, "test", text, strlen(text)));
	struct strobe_error *err = daemon_settings_of(c, base, ret);
	config_destroy(c);
	return err;
}

static void sessions_are_sections(void **state)
{
	struct daemon_settings s;
	assert_ok(settings_of("[daemon]\nbase = /some/where\n[session-cycles]\nrun = -m 10M -e cycles\n[report]\nchildren = no\n"
			      "[session-sched]\nrun = -e sched:*\nother = 1\n", NULL, &s));
	assert_string_equal(s.base, "/some/where");
	assert_int_equal(s.sessions.len, 2);
	assert_string_equal(daemon_settings_find(&s, "cycles")->run, "-m 10M -e cycles");
	assert_string_equal(daemon_settings_find(&s, "sched")->run, "-e sched:*");
	assert_null(daemon_settings_find(&s, "other"));
	daemon_settings_deinit(&s);
	assert_ok(settings_of("[daemon]\nbase=/a\n", "/b", &s));
	assert_string_equal(s.base, "/b");
	daemon_settings_deinit(&s);
}

static void what_is_wrong_is_named(void **state)
{
	struct daemon_settings s;
	assert_fails(settings_of("[session-a]\nrun=-a\n", NULL, &s), ERROR_USAGE); /* no base */
	daemon_settings_deinit(&s);
	assert_fails(settings_of("[session-x \"../a\"]\nrun=-a\n", "/b", &s), ERROR_USAGE);
	daemon_settings_deinit(&s);
	assert_fails(settings_of("[session-a]\nrun=-a 'b\n", "/b", &s), ERROR_USAGE);
	daemon_settings_deinit(&s);
}

static void words_are_divided_by_blanks(void **state)
{
	struct arena a;
	char **words;
	arena_init(&a);
	assert_ok(daemon_words(&a, " -e cycles  --filter 'a b'\t-o x\"y z\"", &words));
	static const char *const expected[] = { "-e", "cycles", "--filter", "a b", "-o", "xy z", NULL };
	for (size_t i = 0; expected[i]; i++)
		assert_string_equal(words[i], expected[i]);
	assert_null(words[6]);
	assert_ok(daemon_words(&a, "", &words));
	assert_null(words[0]);
	assert_fails(daemon_words(&a, "'", &words), ERROR_USAGE);
	arena_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions_are_sections),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(words_are_divided_by_blanks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
