/* What is found is what a comparison of every place finds. */
#include "object/dwarf/needles.h"

#include "base/testing.h"

#include <stdlib.h>
#include <string.h>

static void test_borders(void **state)
{
	(void)state;
	uint8_t hay[300] = {};
	struct needles s = {};
	size_t next = 0;
	assert_false(needles_add(&s, "x", 1, 0));
	assert_false(needles_add(&s, "xyz", 3, 2));
	assert_true(needles_add(&s, "xyz", 3, 1));
	assert_true(needles_add(&s, "ab", 2, 0));
	for (size_t n = 2; n < sizeof(hay); n++) {
		/* the last place that has room, and none */
		memcpy(hay + n - 2, "ab", 2);
		assert_int_equal(needles_find(&s, hay, n, 0, &next), n - 2);
		assert_int_equal(needles_find(&s, hay, n - 1, 0, &next), SIZE_MAX);
		memset(hay, 0, sizeof(hay));
	}
	memcpy(hay, "xyzab", 5);
	assert_int_equal(needles_find(&s, hay, sizeof(hay), 0, &next), 0);
	assert_int_equal(next, 2);
	assert_int_equal(needles_find(&s, hay, sizeof(hay), next, &next), 3);
	assert_int_equal(needles_find(&s, hay, sizeof(hay), next, &next), SIZE_MAX);
	assert_int_equal(next, sizeof(hay));
}

static size_t count_plainly(const uint8_t *hay, size_t n, const uint8_t (*needles)[3], size_t nr)
{
	size_t count = 0;
	for (size_t at = 0; at + 3 <= n; at++) {
		bool is_there = false;
		for (size_t k = 0; k < nr; k++)
			is_there |= !memcmp(hay + at, needles[k], 3);
		count += is_there;
	}
	return count;
}

static void test_all_places(void **state)
{
	(void)state;
	uint8_t hay[2000], needles[8][3];
	srand(7);
	for (int round = 0; round < 40; round++) {
		struct needles s = {};
		size_t found = 0, n = sizeof(hay) - (size_t)round;
		for (size_t i = 0; i < sizeof(hay); i++)
			hay[i] = (uint8_t)(rand() % 6);
		for (size_t k = 0; k < 8; k++) {
			for (size_t i = 0; i < 3; i++)
				needles[k][i] = (uint8_t)(rand() % 6);
			assert_true(needles_add(&s, needles[k], 3, (size_t)round % 2));
		}
		for (size_t next = 0; next < n;)
			found += needles_find(&s, hay, n, next, &next) != SIZE_MAX;
		assert_int_equal(found, count_plainly(hay, n, needles, 8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_all_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
