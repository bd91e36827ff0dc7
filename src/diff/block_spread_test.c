/* Differences of executions by hand. */
#include "diff/block_spread.h"

#include "base/testing.h"

static struct block block_of(uint32_t nr, const uint64_t *runs)
{
	struct block b = { .runs_nr = nr };
	for (uint32_t i = 0; i < nr; i++)
		b.runs[i] = runs[i];
	return b;
}

static void spreads_are_of_pairs(void **state)
{
	const struct block before = block_of(4, (uint64_t[]){ 10, 10, 10, 99 }), after = block_of(3, (uint64_t[]){ 14, 8, 16 });
	struct block_spread s = block_spread_of(&before, &after); /* 4, 2, 6: mean 4, variance 4, error sqrt(4 / 3) */
	_cleanup_strbuf_ struct strbuf text = {};
	assert_int_equal(s.runs_nr, 3);
	assert_float_equal(s.runs[1], 2, 0);
	assert_float_equal(s.error_percent, 28.8675, 0.001);
	block_spread_text(&s, &text);
	assert_string_equal(strbuf_str(&text), "± 28.9% ▄▁█");
}

static void equal_differences_have_no_error(void **state)
{
	const struct block before = block_of(2, (uint64_t[]){ 10, 20 }), after = block_of(2, (uint64_t[]){ 13, 17 });
	struct block_spread s = block_spread_of(&before, &after);
	_cleanup_strbuf_ struct strbuf text = {};
	block_spread_text(&s, &text);
	assert_string_equal(strbuf_str(&text), "±  0.0% ▁▁");
}

static void blocks_without_differences_have_no_bars(void **state)
{
	const struct block same = block_of(2, (uint64_t[]){ 10, 20 }), none = {};
	_cleanup_strbuf_ struct strbuf text = {};
	struct block_spread s = block_spread_of(&same, &same);
	block_spread_text(&s, &text);
	s = block_spread_of(&same, &none);
	assert_int_equal(s.runs_nr, 0);
	block_spread_text(&s, &text);
	assert_int_equal(text.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spreads_are_of_pairs),
		cmocka_unit_test(equal_differences_have_no_error),
		cmocka_unit_test(blocks_without_differences_have_no_bars),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
