/* Sizes and times, by hand. */
#include "session/live/pace.h"

#include "base/testing.h"

static void rings_share_memory(void **state)
{
	assert_int_equal(pace_ring_pages(1), 2048);
	assert_int_equal(pace_ring_pages(8), 2048); /* 8 * 2048 pages are 64 MB, all there may be */
	assert_int_equal(pace_ring_pages(9), 1024);
	assert_int_equal(pace_ring_pages(16), 1024);
	assert_int_equal(pace_ring_pages(17), 0);
	assert_int_equal(pace_ring_pages(4096), 0);
}

static void tables_are_read_half_full(void **state)
{
	assert_true(pace_room_ns(0, 1000000000) == UINT64_MAX);
	/* A quarter in a second: another second to the half. */
	assert_int_equal(pace_room_ns(0.25, 1000000000), 1000000000);
	/* An eighth in a second: three more. */
	assert_int_equal(pace_room_ns(0.125, 1000000000), 3000000000ull);
	assert_int_equal(pace_room_ns(0.5, 1000000000), 0);
	assert_int_equal(pace_room_ns(1, 1), 0);
	assert_int_equal(pace_room_ns(0.499, 1000), 2000000); /* not more often than every 2 ms */
}

static void waits_for_a_part_of_the_interval(void **state)
{
	/* Every 2 s: rings are read each quarter of a second at least. */
	assert_int_equal(pace_wait_ms(0, 2000000000, 2000000000, UINT64_MAX), 250);
	/* Every 0.1 s: each 25 ms. */
	assert_int_equal(pace_wait_ms(0, 100000000, 100000000, UINT64_MAX), 25);
	/* What is left to the refresh, rounded up. */
	assert_int_equal(pace_wait_ms(1900000001, 2000000000, 2000000000, UINT64_MAX), 100);
	assert_int_equal(pace_wait_ms(3000000000, 2000000000, 2000000000, UINT64_MAX), 0);
	/* Tables that are nearly full are read first. */
	assert_int_equal(pace_wait_ms(0, 2000000000, 2000000000, 2000000), 2);
	assert_int_equal(pace_wait_ms(0, 2000000000, 2000000000, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_share_memory),
		cmocka_unit_test(tables_are_read_half_full),
		cmocka_unit_test(waits_for_a_part_of_the_interval),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
