/* Command lines split into words. */
#include "base/testing.h"

#include <stdbool.h>

#include "cli/words.h"

static void words_end_at_blanks_that_are_not_protected(void **state)
{
	static const struct {
		const char *text;
		const char *words[4];
	} rows[] = {
		{ "", {} },
		{ " \t ", {} },
		{ "a", { "a" } },
		{ "  make -j2\tall\n", { "make", "-j2", "all" } },
		{ "sh -c 'a b | c'", { "sh", "-c", "a b | c" } },
		{ "a\\ b \\$c", { "a b", "$c" } },
		{ "x\"y \\\" \\\\ \\n\"z", { "xy \" \\ \\nz" } },
		{ "'' b", { "", "b" } },
		{ "a\\", { "a\\" } },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena arena;
		char **argv;
		int argc, n = 0;
		arena_init(&arena);
		assert_ok(words_split(rows[i].text, &arena, &argv, &argc));
		for (; rows[i].words[n]; n++)
			assert_string_equal(argv[n], rows[i].words[n]);
		assert_int_equal(argc, n);
		assert_null(argv[n]);
		arena_deinit(&arena);
	}
}

static void what_only_a_shell_understands_is_an_error(void **state)
{
	static const char *const texts[] = { "a | b", "a > b", "echo $x", "ls *", "'a", "a \"b\\\"" };
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct arena arena;
		char **argv;
		int argc;
		arena_init(&arena);
		assert_fails(words_split(texts[i], &arena, &argv, &argc), ERROR_USAGE);
		arena_deinit(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_end_at_blanks_that_are_not_protected),
		cmocka_unit_test(what_only_a_shell_understands_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
