/* Texts cut to the size of a screen. */
#include "view/text/lines.h"

#include "base/testing.h"

static void assert_written(struct out *o, const char *expected)
{
	size_t n;
	const char *p = out_mem(o, &n);
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(p, expected, n);
	error_destroy(out_close(o));
}

static void assert_first(const char *text, unsigned rows, const char *expected)
{
	struct out o;
	out_init_mem(&o);
	text_first_lines(&o, text, strlen(text), rows);
	assert_written(&o, expected);
}

static void assert_clipped(const char *text, unsigned rows, unsigned columns, const char *expected)
{
	struct out o;
	out_init_mem(&o);
	text_clipped(&o, text, strlen(text), rows, columns);
	assert_written(&o, expected);
}

static void first_lines(void **state)
{
	assert_first("a\nb\nc\n", 4, "a\nb\nc\n");
	assert_first("a\nb\nc\n", 3, "a\nb\n\n");
	assert_first("a\nb", 3, "a\nb"); /* no newline at the end */
	assert_first("a\nb\n", 1, "\n");
	assert_first("", 24, "");
}

static void lines_of_a_terminal(void **state)
{
	assert_clipped("abc\nde\nf\n", 3, 2, "ab\033[K\nde\033[K\n\033[J");
	assert_clipped("abc", 24, 80, "abc\033[K\n\033[J");
	/* Letters of several bytes are one column. */
	assert_clipped("\xc3\xa4\xc3\xb6\xc3\xbc\n", 24, 2, "\xc3\xa4\xc3\xb6\033[K\n\033[J");
	/* Colours take none, and end beyond the last column too. */
	assert_clipped("\033[31mabc\033[m\n", 24, 2, "\033[31mab\033[m\033[K\n\033[J");
	assert_clipped("", 24, 80, "\033[J");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_lines),
		cmocka_unit_test(lines_of_a_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
