/* Lists as values of options; spans of time as perf-script(1) describes --time. */
#include "base/lists.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_strings(void **state)
{
	(void)state;
	struct arena a;
	struct list_strings l;
	arena_init(&a);
	assert_null(list_strings_parse(&a, "ls,,bash", &l));
	assert_int_equal(l.nr, 2);
	assert_string_equal(l.data[1], "bash");
	assert_null(list_strings_parse(&a, NULL, &l));
	assert_int_equal(l.nr, 0);
	char path[] = "/tmp/strobe-lists-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, "one\n# two\nthree", 15) == 15);
	close(fd);
	assert_null(list_strings_parse(&a, arena_printf(&a, "zero,file://%s", path), &l));
	unlink(path);
	assert_int_equal(l.nr, 3);
	assert_string_equal(l.data[2], "three");
	struct strobe_error *err = list_strings_parse(&a, "file:///nonexistent", &l);
	assert_non_null(err);
	error_destroy(err);
	arena_deinit(&a);
}

static void test_numbers(void **state)
{
	(void)state;
	struct arena a;
	struct list_numbers l;
	arena_init(&a);
	assert_null(list_numbers_parse(&a, "thread", "1,20", &l));
	assert_int_equal(l.nr, 2);
	assert_int_equal(l.data[1], 20);
	struct strobe_error *err = list_numbers_parse(&a, "thread", "1,x", &l);
	assert_string_equal(err->message, "invalid thread 'x'");
	error_destroy(err);
	assert_null(list_cpus_parse(&a, "0-2,5", &l));
	assert_int_equal(l.nr, 4);
	assert_int_equal(l.data[3], 5);
	err = list_cpus_parse(&a, "2-0", &l);
	assert_non_null(err);
	error_destroy(err);
	arena_deinit(&a);
}

static void spans(const char *text, uint64_t first, uint64_t last, const char *expected)
{
	struct arena a;
	struct list_spans l;
	char got[256] = "";
	arena_init(&a);
	struct strobe_error *err = list_spans_parse(&a, text, first, last, &l);
	if (err)
		snprintf(got, sizeof(got), "error");
	for (uint32_t i = 0; !err && i < l.nr; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%llu-%lld ", (unsigned long long)l.data[i].from_ns,
			 (long long)l.data[i].to_ns);
	assert_string_equal(got, expected);
	error_destroy(err);
	arena_deinit(&a);
}

static void test_spans(void **state)
{
	(void)state;
	spans("1.5,2", 0, 0, "1500000000-2000000000 ");
	spans(",2.000000001", 0, 0, "0-2000000001 ");
	spans("3,", 0, 0, "3000000000--1 ");
	spans("1,2 3,4", 0, 0, "1000000000-2000000000 3000000000-4000000000 ");
	/* Of 1000 ns from 100 on: the second tenth, without the moment at which the third begins. */
	spans("1, 2", 0, 0, "1000000000-2000000000 ");
	spans("1, 2,3", 0, 0, "1000000000--1 2000000000-3000000000 ");
	spans("2, 1", 0, 0, "error");
	spans("10%/2", 100, 1100, "200-299 ");
	spans("10%/10", 100, 1100, "1000-1100 ");
	spans("0%-10%,90%-100%", 100, 1100, "100-199 1000-1100 ");
	spans("10%/1,10%/3", 100, 1100, "100-199 300-399 ");
	spans("10%/11", 100, 1100, "error");
	spans("10%/0", 100, 1100, "error");
	spans("20%-10%", 100, 1100, "error");
	spans("10%", 100, 1100, "error");
	spans("10%/1", 0, 0, "error");
	spans("5", 0, 0, "error");
	spans("2,1", 0, 0, "error");
	spans("x,y", 0, 0, "error");
	spans("", 0, 0, "error");
	spans("99999999999999,", 0, 0, "error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_spans),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
