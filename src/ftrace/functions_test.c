#include "ftrace/functions.h"

#include "base/out.h"
#include "base/testing.h"
#include "table/table.h"
#include "view/text/table_text.h"

static void add(struct ftrace_functions *f, const char *name, double us)
{
	ftrace_functions_add(f, name, strlen(name), us);
}

static void assert_order(enum ftrace_sort by, const char *expected)
{
	struct ftrace_functions f;
	char got[8] = {};
	ftrace_functions_init(&f);
	add(&f, "cx", 10);
	add(&f, "ax", 3);
	add(&f, "bx", 6);
	add(&f, "ax", 4);
	add(&f, "bx", 1);
	add(&f, "ax", 5);
	ftrace_functions_sort(&f, by);
	for (uint32_t i = 0; i < f.all.len; i++)
		got[i] = strtab_get(&f.names, f.all.data[i].name)[0];
	assert_string_equal(got, expected);
	ftrace_functions_deinit(&f);
}

/* a: 3 calls, 12 us, at most 5; b: 2 calls, 7 us, at most 6; c: 1 call of 10 us */
static void orders(void **state)
{
	enum ftrace_sort by;
	assert_order(FTRACE_BY_TOTAL, "acb");
	assert_order(FTRACE_BY_AVERAGE, "cab");
	assert_order(FTRACE_BY_MAX, "cba");
	assert_order(FTRACE_BY_COUNT, "abc");
	assert_order(FTRACE_BY_NAME, "abc");
	assert_ok(ftrace_sort_parse(NULL, &by));
	assert_int_equal(by, FTRACE_BY_TOTAL);
	assert_ok(ftrace_sort_parse("max", &by));
	assert_int_equal(by, FTRACE_BY_MAX);
	assert_fails(ftrace_sort_parse("size", &by), ERROR_USAGE);
}

/* The output of perf 7.2. */
static void text(void **state)
{
	static const char expected[] = "# Total (us)   Avg (us)   Max (us)      Count   Function\n"
				       "       7.250      3.625      6.000          2   vfs_read\n";
	struct ftrace_functions f;
	struct table t;
	struct out out;
	size_t n;
	ftrace_functions_init(&f);
	add(&f, "vfs_read", 6);
	add(&f, "vfs_read", 1.25);
	ftrace_functions_sort(&f, FTRACE_BY_TOTAL);
	out_init_mem(&out);
	ftrace_functions_table(&t, &f);
	table_text(&out, &t, NULL);
	table_deinit(&t);
	const char *got = out_mem(&out, &n);
	assert_int_equal(n, sizeof(expected) - 1);
	assert_memory_equal(got, expected, n);
	assert_ok(out_close(&out));
	ftrace_functions_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
