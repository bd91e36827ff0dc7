/* text files cut into lines */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"

static char path[] = "/tmp/strobe-lines-XXXXXX";

static void write_file(const char *text, size_t n)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

static void assert_lines(const char *text, size_t bytes, const char *const *expected, size_t n)
{
	struct lines l;
	write_file(text, bytes);
	assert_ok(lines_read(path, &l));
	assert_int_equal(lines_count(&l), n);
	for (size_t i = 0; i < n; i++) {
		size_t got;
		const char *line = lines_get(&l, i + 1, &got);
		assert_int_equal(got, strlen(expected[i]));
		assert_memory_equal(line, expected[i], got);
	}
	size_t got;
	assert_null(lines_get(&l, 0, &got));
	assert_null(lines_get(&l, n + 1, &got));
	assert_int_equal(got, 0);
	lines_deinit(&l);
}

static void lines_end_with_lf_or_crlf_or_the_file(void **state)
{
	assert_lines("", 0, NULL, 0);
	assert_lines("a", 1, (const char *const[]){ "a" }, 1);
	assert_lines("a\n", 2, (const char *const[]){ "a" }, 1);
	assert_lines("a\n\nb\r\nc\rd", 9, (const char *const[]){ "a", "", "b", "c\rd" }, 4);
	assert_lines("\n", 1, (const char *const[]){ "" }, 1);
}

static void what_is_no_file_is_refused_at_once(void **state)
{
	struct lines l;
	assert_fails(lines_read("/tmp", &l), ERROR_FORMAT);
	assert_fails(lines_read("/dev/null", &l), ERROR_FORMAT);
	unlink(path);
	assert_fails(lines_read(path, &l), ERROR_NOT_FOUND);
	/* it has no writer: a plain open would wait for ever */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_fails(lines_read(path, &l), ERROR_FORMAT);
	assert_int_equal(lines_count(&l), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_with_lf_or_crlf_or_the_file),
		cmocka_unit_test(what_is_no_file_is_refused_at_once),
	};
	close(mkstemp(path));
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
