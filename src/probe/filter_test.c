#include "base/testing.h"
#include "probe/filter.h"

static bool matches(const char *filter, const char *name)
{
	struct arena arena;
	const struct probe_filter *f;
	arena_init(&arena);
	assert_null(probe_filter_parse(filter, &arena, &f));
	bool is_matched = probe_filter_matches(f, name);
	arena_deinit(&arena);
	return is_matched;
}

static void signs(void **state)
{
	assert_true(matches("mal*", "malloc"));
	assert_false(matches("mal", "malloc"));
	assert_true(matches("!_* & !*@plt", "malloc"));
	assert_false(matches("!_* & !*@plt", "_start"));
	assert_false(matches("!_* & !*@plt", "strlen@plt"));
	assert_true(matches("a|b&c", "a"));
	assert_false(matches("(a|b)&c", "a"));
	assert_true(matches("!(a|b)", "c"));
	assert_true(matches("!!a", "a"));
	assert_true(matches("m*&(!*x|max)", "max"));
	assert_false(matches(" m* & !*x ", "max"));
}

static void wrong_ones(void **state)
{
	static const char *const words[] = { "", "a &", "& a", "(a", "a)", "!", "a b", "a ! b", "()" };
	struct arena arena;
	const struct probe_filter *f;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct strobe_error *err = probe_filter_parse(words[i], &arena, &f);
		if (!error_is(err, ERROR_USAGE))
			fail_msg("'%s' is taken", words[i]);
		error_destroy(err);
	}
	char deep[400];
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	struct strobe_error *err = probe_filter_parse(deep, &arena, &f);
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
	arena_deinit(&arena);
}

static void events(void **state)
{
	struct arena arena;
	const struct probe_filter *f, *g;
	arena_init(&arena);
	assert_null(probe_filter_parse("probe_b:m*", &arena, &f));
	assert_true(probe_filter_matches_event(f, "probe_b", "mid"));
	assert_false(probe_filter_matches_event(f, "probe_c", "mid"));
	assert_null(probe_filter_parse("mid", &arena, &g));
	assert_true(probe_filter_matches_event(g, "probe_c", "mid"));
	f = probe_filter_or(probe_filter_or(NULL, f, &arena), g, &arena);
	assert_true(probe_filter_matches_event(f, "probe_c", "mid"));
	assert_true(probe_filter_matches_event(NULL, "probe_c", "mid"));
	arena_deinit(&arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs),
		cmocka_unit_test(wrong_ones),
		cmocka_unit_test(events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
