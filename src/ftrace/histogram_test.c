#include "ftrace/histogram.h"

#include "base/out.h"
#include "base/testing.h"
#include "table/table.h"
#include "view/text/table_text.h"

/* Each duration is in the bucket whose line contains it. */
static void buckets_double(void **state)
{
	struct ftrace_histogram h = {};
	static const struct {
		double us;
		uint32_t bucket;
	} rows[] = {
		{ 0.999, 0 }, { 1, 1 }, { 1.999, 1 }, { 2, 2 }, { 3.999, 2 }, { 4, 3 }, { 1048575, 20 }, { 1048576, 21 }, { 1e12, 21 },
	};
	assert_ok(ftrace_histogram_settle(&h));
	assert_int_equal(h.buckets_nr, 22);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t before = h.buckets[rows[i].bucket];
		ftrace_histogram_add(&h, rows[i].us);
		assert_int_equal(h.buckets[rows[i].bucket], before + 1);
	}
	assert_int_equal(h.stats.n, 9);
	assert_true(h.stats.max == 1e12);
}

static void buckets_of_equal_width(void **state)
{
	struct ftrace_histogram h = { .range = 10, .min = 20, .max = 45, .in_ns = true };
	assert_ok(ftrace_histogram_settle(&h));
	assert_int_equal(h.buckets_nr, 5); /* 0, 20, 30, 40, 45 … */
	static const double ns[] = { 19, 20, 29, 30, 40, 44.5, 45, 1e6 };
	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++)
		ftrace_histogram_add(&h, ns[i] / 1000);
	static const uint64_t counts[] = { 1, 2, 1, 2, 2 };
	assert_memory_equal(h.buckets, counts, sizeof(counts));
}

static void widths_that_make_no_sense(void **state)
{
	struct ftrace_histogram min_alone = { .min = 3 }, max_alone = { .max = 3 }, short_max = { .range = 10, .max = 15 },
				many = { .range = 1, .max = 1000000 }, huge = { .range = UINT64_MAX };
	assert_fails(ftrace_histogram_settle(&min_alone), ERROR_USAGE);
	assert_fails(ftrace_histogram_settle(&max_alone), ERROR_USAGE);
	assert_fails(ftrace_histogram_settle(&short_max), ERROR_USAGE);
	assert_fails(ftrace_histogram_settle(&many), ERROR_USAGE);
	assert_fails(ftrace_histogram_settle(&huge), ERROR_USAGE);
}

/* The output of perf 7.2. */
static void text(void **state)
{
	struct ftrace_histogram h = { .hide_empty = true };
	struct table t;
	struct out out;
	size_t n;
	assert_ok(ftrace_histogram_settle(&h));
	ftrace_histogram_add(&h, 0.5);
	ftrace_histogram_add(&h, 3);
	ftrace_histogram_add(&h, 3);
	ftrace_histogram_add(&h, 2048);
	out_init_mem(&out);
	ftrace_histogram_table(&t, &h);
	table_text(&out, &t, NULL);
	table_deinit(&t);
	static const char expected[] =
		"#   DURATION     |      COUNT | GRAPH                                          |\n"
		"     0 -    1 us |          1 | ###########                                    |\n"
		"     2 -    4 us |          2 | #######################                        |\n"
		"     2 -    4 ms |          1 | ###########                                    |\n"
		"\n# statistics  (in usec)\n"
		"  total time:                 2054\n"
		"    avg time:                  514\n"
		"    max time:                 2048\n"
		"    min time:                    0\n"
		"       count:                    4\n";
	const char *got = out_mem(&out, &n);
	assert_int_equal(n, sizeof(expected) - 1);
	assert_memory_equal(got, expected, n);
	assert_ok(out_close(&out));
}

static void nothing_was_called(void **state)
{
	struct ftrace_histogram h = {};
	struct table t;
	struct out out;
	size_t n;
	assert_ok(ftrace_histogram_settle(&h));
	ftrace_histogram_table(&t, &h);
	out_init_mem(&out);
	table_text(&out, &t, NULL);
	const char *got = out_mem(&out, &n);
	assert_int_equal(n, strlen("No data found\n"));
	assert_memory_equal(got, "No data found\n", n);
	assert_ok(out_close(&out));
	table_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_double),
		cmocka_unit_test(buckets_of_equal_width),
		cmocka_unit_test(widths_that_make_no_sense),
		cmocka_unit_test(text),
		cmocka_unit_test(nothing_was_called),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
