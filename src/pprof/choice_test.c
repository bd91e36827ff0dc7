/* Flags that choose one of several, and viewers, the first available of which is run. */
#include "base/testing.h"

#include <string.h>

#include "pprof/choice.h"
#include "pprof/files.h"

static void one_of_several(void **state)
{
	(void)state;
	const char *value = "before";
	struct pprof_choice choices[] = { { false, "a", "1" }, { false, "b", "2" }, { false, "c", "3" } };
	assert_ok(PPROF_CHOOSE(choices, &value));
	assert_string_equal(value, "before");
	choices[1].is_set = true;
	assert_ok(PPROF_CHOOSE(choices, &value));
	assert_string_equal(value, "2");
	choices[2].is_set = true;
	struct strobe_error *err = PPROF_CHOOSE(choices, &value);
	assert_string_equal(err->message, "-b and -c cannot both be given");
	error_destroy(err);
}

static void one_report(void **state)
{
	(void)state;
	const struct pprof_report_kind *kind;
	struct pprof_choice choices[] = { { false, "top" }, { true, "svg" }, { false, "raw" } };
	assert_ok(pprof_choose_kind(choices, 3, &kind));
	assert_string_equal(kind->name, "svg");
	assert_ok(pprof_choose_kind(choices, 1, &kind));
	assert_null(kind);
	choices[0].is_set = true;
	assert_fails(pprof_choose_kind(choices, 3, &kind), ERROR_USAGE);
}

static void the_first_viewer_runs(void **state)
{
	(void)state;
	struct arena arena;
	skip_emulated(); /* only its exit status shows whether a program could be started */
	arena_init(&arena);
	assert_ok(pprof_view_file(&arena, "no-such-viewer|true|false", "/dev/null", true));
	struct strobe_error *err = pprof_view_file(&arena, "no-such-viewer|none-either", "/tmp/x", true);
	assert_true(error_is(err, ERROR_NOT_FOUND));
	assert_non_null(strstr(err->message, "wrote /tmp/x"));
	error_destroy(err);
	arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_several),
		cmocka_unit_test(one_report),
		cmocka_unit_test(the_first_viewer_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
