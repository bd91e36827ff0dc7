/* Figures and limits, as given by users. */
#include "base/testing.h"

#include "diff/table.h"

static void figures_by_name(void **state)
{
	(void)state;
	struct diff_layout l = {};
	assert_ok(diff_figure_parse("ratio", &l));
	assert_int_equal(l.figure, DIFF_RATIO);
	assert_ok(diff_figure_parse("delta-abs", &l));
	assert_int_equal(l.figure, DIFF_DELTA_ABS);
	assert_ok(diff_figure_parse("wdiff:2,-3", &l));
	assert_int_equal(l.figure, DIFF_WEIGHTED);
	assert_int_equal(l.weight_base, 2);
	assert_int_equal(l.weight, -3);
	static const char *const wrong[] = { NULL, "", "delt", "wdiff", "wdiff:1", "wdiff:1,", "wdiff:1,2x" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_fails(diff_figure_parse(wrong[i], &l), ERROR_USAGE);
}

static void limits_are_percentages(void **state)
{
	(void)state;
	double percent = 7;
	assert_ok(diff_limit_parse(NULL, &percent));
	assert_true(percent == 7);
	assert_ok(diff_limit_parse("2.5%", &percent));
	assert_true(percent == 2.5);
	assert_ok(diff_limit_parse("3", &percent));
	assert_true(percent == 3);
	assert_fails(diff_limit_parse("0", &percent), ERROR_USAGE);
	assert_fails(diff_limit_parse("-1%", &percent), ERROR_USAGE);
	assert_fails(diff_limit_parse("much", &percent), ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_by_name),
		cmocka_unit_test(limits_are_percentages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
