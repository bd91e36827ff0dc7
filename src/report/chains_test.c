/* The words of -g: what each sets, and which words are not valid. */
#include "base/testing.h"
#include "report/query.h"

struct parsed {
	struct report_grouping grouping;
	bool branch_history;
};

static struct parsed parse(const char *value)
{
	struct parsed p = { .grouping = report_grouping_defaults() };
	assert_ok(report_chains_parse(value, &p.grouping, &p.branch_history));
	return p;
}

static void words_come_in_any_order(void **state)
{
	struct parsed p = parse("address,caller,flat,count");
	const struct calltree_options *c = &p.grouping.chains;
	assert_int_equal(c->mode, CALLTREE_FLAT);
	assert_int_equal(c->value, CALLTREE_COUNT);
	assert_true(c->by_address);
	assert_false(c->callee_first);
	assert_true(p.grouping.chain_order_set);
	assert_true(p.grouping.chains_requested);
	assert_false(p.branch_history);
	assert_true(parse("callee").grouping.chains.callee_first);
	assert_true(parse("branch").branch_history);
}

static void the_first_word_that_begins_so_is_meant(void **state)
{
	assert_int_equal(parse("f").grouping.chains.mode, CALLTREE_FLAT);
	assert_int_equal(parse("fr").grouping.chains.mode, CALLTREE_FRACTAL);
	assert_false(parse("call").grouping.chains.callee_first);
}

static void the_first_number_is_a_share_the_next_ones_a_limit(void **state)
{
	const struct calltree_options c = parse("graph,2.5,10").grouping.chains;
	assert_true(c.min_percent > 2.49 && c.min_percent < 2.51);
	assert_int_equal(c.print_limit, 10);
	assert_int_equal(parse("1,8000000000").grouping.chains.print_limit, 0); /* no limit */
}

static void none_requires_no_chains(void **state)
{
	assert_false(parse("none").grouping.chains_requested);
	assert_true(parse("").grouping.chains_requested);
}

static void other_words_are_errors(void **state)
{
	static const char *const wrong[] = { "tree", "graph,-1", "graphs", "0.5x" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct parsed p = {};
		assert_fails(report_chains_parse(wrong[i], &p.grouping, &p.branch_history), ERROR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_come_in_any_order),
		cmocka_unit_test(the_first_word_that_begins_so_is_meant),
		cmocka_unit_test(the_first_number_is_a_share_the_next_ones_a_limit),
		cmocka_unit_test(none_requires_no_chains),
		cmocka_unit_test(other_words_are_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
