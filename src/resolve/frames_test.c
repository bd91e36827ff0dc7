/* The index of addresses, against a list of all that was added. */
#include "resolve/frames.h"

#include "base/testing.h"

#define ADDRESSES 3000

/* Those of libraries are near each other; the same address comes in several contexts. */
static uint64_t address_of(unsigned i)
{
	return 0x7f0000000000 + (i / 3) * 0x10;
}

static uint64_t context_of(unsigned i)
{
	return frame_context_of(i % 3, 0, PERF_RECORD_MISC_USER, i % 2);
}

static void test_index(void **state)
{
	struct frame_index x = {};
	assert_int_equal(frame_index_find(&x, address_of(0), context_of(0)), FRAME_NONE);
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < ADDRESSES; i++) {
			assert_int_equal(frame_index_find(&x, address_of(i), context_of(i)), FRAME_NONE);
			frame_index_add(&x, address_of(i), context_of(i));
		}
		for (unsigned i = 0; i < ADDRESSES; i++)
			assert_int_equal(frame_index_find(&x, address_of(i), context_of(i)), i);
		assert_int_equal(frame_index_find(&x, 0, 0), FRAME_NONE);
		assert_int_equal(frame_index_find(&x, address_of(1), context_of(1) ^ FRAME_CONTEXT_APART), FRAME_NONE);
		frame_index_clear(&x);
	}
	frame_index_deinit(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_index) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
