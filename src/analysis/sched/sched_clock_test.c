/* Times of lines as printf writes them: the same millisecond again, others, and times wider than their column. */
#include "analysis/sched/sched_clock.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/testing.h"

static void check(struct out *out, size_t *at, const char *expected)
{
	size_t n;
	const char *text = out_mem(out, &n);
	assert_int_equal(n - *at, strlen(expected));
	assert_memory_equal(text + *at, expected, strlen(expected));
	*at = n;
}

static void test_clock(void **state)
{
	static const uint64_t times[] = { 0, 999, 1000, 999999, 1000000, 1000999, 461582744123, 461582999999, 461583000000, 461582744000,
					  99999999999999999, 1234567890123456789, UINT64_MAX };
	static const size_t widths[] = { 0, 3, 12, 15 };
	for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
		struct sched_clock clock = {};
		struct out out;
		size_t at = 0;
		out_init_mem(&out);
		for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
			char text[64];
			snprintf(text, sizeof(text), "%*" PRIu64 ".%06" PRIu64, (int)widths[w] - 7, times[i] / 1000000000,
				 times[i] / 1000 % 1000000);
			if (widths[w] < 7)
				snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, times[i] / 1000000000, times[i] / 1000 % 1000000);
			sched_clock_put(&clock, &out, times[i], widths[w]);
			check(&out, &at, text);
		}
		assert_null(out_close(&out));
	}
}

static void test_spans(void **state)
{
	static const uint64_t spans[] = { 0, 999, 1000, 123456, 999999, 1000000, 9999999, 10000000, 99999999, 100000000, 123456789012345,
					  UINT64_MAX };
	for (int width = 0; width < 20; width++) {
		struct out out;
		size_t at = 0;
		out_init_mem(&out);
		for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++) {
			char text[64];
			snprintf(text, sizeof(text), "%*" PRIu64 ".%03" PRIu64, width, spans[i] / 1000000, spans[i] / 1000 % 1000);
			sched_clock_put_span(&out, spans[i], (size_t)width);
			check(&out, &at, text);
		}
		assert_null(out_close(&out));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_clock), cmocka_unit_test(test_spans) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
