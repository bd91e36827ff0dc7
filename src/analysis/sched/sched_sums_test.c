/* Sums of threads written by hand: their order, their joints, perf's table, and percentiles. */
#include "analysis/sched/sched_sums.h"

#include <string.h>

#include "base/testing.h"
#include "view/text/table_text.h"

static void test_buckets(void **state)
{
	assert_int_equal(sched_delay_bucket(0), 0);
	assert_int_equal(sched_delay_bucket(3), 3);
	assert_int_equal(sched_delay_bucket(4), 4);
	assert_int_equal(sched_delay_bucket(7), 7);
	assert_int_equal(sched_delay_bucket(8), 8);
	assert_int_equal(sched_delay_bucket(9), 8);
	assert_int_equal(sched_delay_bucket(UINT64_MAX), SCHED_DELAY_BUCKETS - 1);
	for (unsigned i = 0; i < SCHED_DELAY_BUCKETS; i++) {
		assert_int_equal(sched_delay_bucket(sched_delay_start(i)), i);
		if (i + 1 < SCHED_DELAY_BUCKETS)
			assert_int_equal(sched_delay_bucket(sched_delay_start(i + 1) - 1), i);
	}
}

/* 90 waits of 1 us, 10 of 1 ms. */
static void test_percentiles(void **state)
{
	uint32_t delays[SCHED_DELAY_BUCKETS] = {};
	delays[sched_delay_bucket(1000)] = 90;
	delays[sched_delay_bucket(1000000)] = 10;
	uint64_t median = sched_delay_percentile(delays, 0.5, UINT64_MAX), last = sched_delay_percentile(delays, 0.99, UINT64_MAX);
	assert_in_range(median, 896, 1023);
	assert_in_range(last, 917504, 1048576);
	assert_int_equal(sched_delay_percentile(delays, 0.99, 950000), 950000);
	memset(delays, 0, sizeof(delays));
	assert_int_equal(sched_delay_percentile(delays, 0.5, UINT64_MAX), 0);
}

static void add(struct sched_sums *s, const char *comm, uint32_t tid, uint64_t count, uint64_t delay, uint64_t max)
{
	struct sched_sum *r = sched_sums_add(s, comm, tid);
	r->count = count;
	r->delay_ns = delay;
	r->max_ns = max;
	r->max_start_ns = 1000 * tid;
	r->runtime_ns = 1000000 * tid;
}

/* Two of a name are one row, called by the greatest maximum; the idle thread and one without a wait are left out. */
static void test_merged(void **state)
{
	struct sched_sums s = {};
	add(&s, "make", 7, 2, 100, 60);
	add(&s, "swapper", 0, 5, 100, 60);
	add(&s, "cc", 8, 1, 10, 10);
	add(&s, "make", 9, 2, 300, 200);
	add(&s, "ls", 10, 0, 0, 0);
	sched_sums_merge(&s);
	sched_sums_sort(&s, "avg, max");
	assert_int_equal(s.rows.len, 2);
	assert_string_equal(s.rows.data[0].comm, "make");
	assert_int_equal(s.rows.data[0].threads, 2);
	assert_int_equal(s.rows.data[0].count, 4);
	assert_int_equal(s.rows.data[0].delay_ns, 400);
	assert_int_equal(s.rows.data[0].max_start_ns, 9000);
	assert_int_equal(s.rows.data[1].threads, 1);
	sched_sums_deinit(&s);
}

static void check_equal_keys(bool is_merged, const char *first)
{
	struct sched_sums s = {};
	add(&s, "kworker", 7, 1, 0, 0);
	add(&s, "cc", 8, 1, 0, 0);
	if (is_merged)
		sched_sums_merge(&s);
	sched_sums_sort(&s, "max,switch");
	assert_string_equal(s.rows.data[0].comm, first);
	sched_sums_deinit(&s);
}

/* Rows whose keys are equal: threads by the greater ID, names from the last of the alphabet, as perf's trees have them. */
static void test_equal_keys(void **state)
{
	check_equal_keys(false, "cc");
	check_equal_keys(true, "kworker");
}

static void test_keys(void **state)
{
	assert_ok(sched_sums_check("avg, max,switch  runtime pid"));
	assert_fails(sched_sums_check("avg,nothing"), ERROR_USAGE);
	assert_fails(sched_sums_check("av"), ERROR_USAGE);
}

/* A row as perf 7.2 prints it. */
static void test_text(void **state)
{
	struct sched_sums s = {};
	struct table t;
	struct out out;
	size_t n;
	add(&s, "cc1", 25, 3, 131898000, 277316000);
	s.rows.data[0].threads = 25;
	s.rows.data[0].runtime_ns = 848029000;
	s.rows.data[0].max_start_ns = 743173828892;
	s.rows.data[0].max_end_ns = 743451144865;
	out_init_mem(&out);
	sched_sums_text(&t, &s);
	table_text(&out, &t, NULL);
	table_deinit(&t);
	out_ch(&out, '\0');
	assert_non_null(strstr(out_mem(&out, &n), "\n  cc1:(25)              |    848.029 ms |        3 | avg:  43.966 ms "
						  "| max: 277.316 ms | max start:   743.173828 s | max end:   743.451144 s\n"));
	assert_ok(out_close(&out));
	sched_sums_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets), cmocka_unit_test(test_percentiles), cmocka_unit_test(test_merged),
		cmocka_unit_test(test_keys),    cmocka_unit_test(test_text),	cmocka_unit_test(test_equal_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
