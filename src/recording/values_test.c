/* Values of options of recordings, with their meaning from perf-record(1). */
#include "base/testing.h"

#include <string.h>

#include "recording/values.h"

static void fails(struct strobe_error *err, const char *part)
{
	assert_true(error_is(err, ERROR_USAGE));
	assert_non_null(strstr(err->message, part));
	error_destroy(err);
}

static void delays(void **state)
{
	struct delay_schedule d = {};
	int64_t ms;
	assert_ok(recorder_delay_parse("250", &d, &ms));
	assert_int_equal(ms, 250);
	vec_deinit(&d.ranges);
	d = (struct delay_schedule){};
	assert_ok(recorder_delay_parse("-1", &d, &ms));
	assert_int_equal(ms, -1);
	vec_deinit(&d.ranges);
	d = (struct delay_schedule){};
	assert_ok(recorder_delay_parse("10-20,30-40", &d, &ms));
	assert_int_equal(ms, 10);
	assert_int_equal(d.ranges.len, 2);
	vec_deinit(&d.ranges);
}

static void new_files(void **state)
{
	struct recorder_switching s = {};
	assert_ok(recorder_switching_parse("signal", &s));
	assert_true(s.by_signal);
	assert_ok(recorder_switching_parse("30s", &s));
	assert_true(s.interval_ns == 30000000000);
	s = (struct recorder_switching){};
	assert_ok(recorder_switching_parse("100M", &s));
	assert_int_equal(s.bytes, 100 << 20);
	/* A number without a unit could be either. */
	fails(recorder_switching_parse("100", &s), "expected signal");
	fails(recorder_switching_parse("0M", &s), "expected signal");
}

static void sizes_levels_and_places(void **state)
{
	enum recorder_affinity where;
	uint64_t bytes;
	int level;
	assert_ok(recorder_compression_parse(NULL, &level));
	assert_int_equal(level, 1);
	assert_ok(recorder_compression_parse("22", &level));
	assert_int_equal(level, 22);
	fails(recorder_compression_parse("23", &level), "1 to 22");
	assert_ok(recorder_bytes_parse("2K", &bytes));
	assert_int_equal(bytes, 2048);
	fails(recorder_bytes_parse("0", &bytes), "invalid size \"0\"");
	assert_ok(recorder_affinity_parse("node", &where));
	assert_int_equal(where, RECORDER_AFFINITY_NODE);
	assert_ok(recorder_affinity_parse("cpu", &where));
	assert_int_equal(where, RECORDER_AFFINITY_CPU);
	fails(recorder_affinity_parse("core", &where), "node or cpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delays),
		cmocka_unit_test(new_files),
		cmocka_unit_test(sizes_levels_and_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
