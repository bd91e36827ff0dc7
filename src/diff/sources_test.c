/* Arguments as in perf-diff(1), and patterns as in glob(7). */
#include "diff/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/testing.h"

static struct arena arena;

static int set_up(void **state)
{
	arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	arena_deinit(&arena);
	return 0;
}

static void words_are_sides(void **state)
{
	char *words[] = { (char[]){ "a" }, (char[]){ "b" }, (char[]){ "c" } };
	static const char *const expected[][3] = {
		{ "perf.data.old", "perf.data" }, { "perf.data.old", "a" }, { "a", "b" }, { "a", "b", "c" },
	};
	for (int n = 0; n <= 3; n++) {
		struct diff_sources s = diff_sources_of_words(&arena, n, words);
		assert_int_equal(s.nr, n > 2 ? 3 : 2);
		for (uint32_t i = 0; i < s.nr; i++) {
			assert_int_equal(s.data[i].nr, 1);
			assert_string_equal(s.data[i].paths[0], expected[n][i]);
			assert_null(s.data[i].times);
		}
	}
}

static void patterns_are_runs(void **state)
{
	char folder[] = "/tmp/strobe-diff-XXXXXX";
	static const char *const names[] = { "b1.data", "a2.data", "a1.data" };
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < 3; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, names[i]);
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fclose(f);
	}
	_cleanup_free_ char *before = xasprintf("%s/a*.data", folder), *after = xasprintf("%s/b1.data,%s/none.data", folder, folder);
	struct diff_sources s;
	assert_null(diff_sources_of_runs(&arena, before, after, &s));
	assert_int_equal(s.data[0].nr, 2);
	assert_string_equal(strrchr(s.data[0].paths[0], '/'), "/a1.data");
	assert_string_equal(strrchr(s.data[0].paths[1], '/'), "/a2.data");
	/* A name without a match is kept: opening it reports the error. */
	assert_int_equal(s.data[1].nr, 2);
	assert_string_equal(strrchr(s.data[1].paths[1], '/'), "/none.data");
	for (size_t i = 0; i < 3; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void assert_wrong(const char *times, uint32_t sides)
{
	struct diff_source data[3] = {};
	struct strobe_error *err = diff_sources_set_times(&arena, times, &(struct diff_sources){ data, sides });
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
}

static void each_side_has_its_times(void **state)
{
	struct diff_source data[2] = {};
	struct diff_sources s = { data, 2 };
	assert_null(diff_sources_set_times(&arena, NULL, &s));
	assert_null(diff_sources_set_times(&arena, "10%/2", &s));
	assert_null(data[0].times);
	assert_null(diff_sources_set_times(&arena, "1,2:,3", &s));
	assert_string_equal(data[0].times, "1,2");
	assert_string_equal(data[1].times, ",3");
	assert_wrong("1,2:", 2);
	assert_wrong("1,2:3,4", 3);
	assert_wrong("1,2:3,4:5,6", 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words_are_sides, set_up, tear_down),
		cmocka_unit_test_setup_teardown(patterns_are_runs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_side_has_its_times, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
