#include "statistics/compare.h"

#include <math.h>
#include <stdint.h>

#include "base/testing.h"

static void rank_test_matches_hand_arithmetic(void **state)
{
	static const double a[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 },
			    b[] = { 1.15, 0.88, 0.90, 0.74, 1.21, 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct comparison c = compare_series((struct compare_series){ a, 10 }, (struct compare_series){ b, 10 });
	assert_true(c.by_rank && c.has_ratio);
	/* The ranks of b sum to 85, five values occur twice: U 30, mean 50, variance 10 * 10 / 12 * (21 - 30 / 380). */
	double z = 19.5 / sqrt(100.0 / 12 * (21 - 30.0 / 380));
	assert_true(fabs(c.p - erfc(z / sqrt(2))) < 1e-12);
	assert_true(c.low < c.ratio && c.ratio < c.high && c.ratio < 1);
}

static void equal_series_do_not_differ(void **state)
{
	static const double a[] = { 5, 5, 5, 5, 5, 5, 5, 5 };
	struct comparison c = compare_series((struct compare_series){ a, 8 }, (struct compare_series){ a, 8 });
	assert_true(c.p == 1 && c.ratio == 1 && c.low == 1 && c.high == 1);
}

static void clear_differences_are_found_in_spite_of_outliers(void **state)
{
	double a[12], b[12];
	for (int i = 0; i < 12; i++) {
		a[i] = 100 + i * 0.1;
		b[i] = 103 + i * 0.1;
	}
	a[3] = 900; /* a disturbed run */
	struct comparison c = compare_series((struct compare_series){ a, 12 }, (struct compare_series){ b, 12 });
	assert_true(c.p < 0.01);
	assert_true(c.low > 1.01 && c.low < 1.03 && c.high > 1.02 && c.high < 1.05);
	assert_true(fabs(c.ratio - 1.03) < 0.006);
}

static void zeros_have_no_ratio(void **state)
{
	static const double a[] = { 0, 1, 0, 2, 0, 1, 0, 0 }, b[] = { 0, 1, 1, 0, 0, 1, 2, 0 };
	struct comparison c = compare_series((struct compare_series){ a, 8 }, (struct compare_series){ b, 8 });
	assert_false(c.has_ratio);
	assert_true(c.p > 0.2);
}

static void few_values_go_to_welch(void **state)
{
	static const double a[] = { 10, 12, 14 }, b[] = { 20, 24, 28 };
	struct comparison c = compare_series((struct compare_series){ a, 3 }, (struct compare_series){ b, 3 });
	assert_true(!c.by_rank && c.has_ratio && fabs(c.ratio - 2) < 1e-12);
	assert_true(c.p > 0.005 && c.p < 0.05);
}

/* Holm by hand: 0.01, 0.04, 0.03 become 0.03, 0.06, 0.06. */
static void many_questions_are_paid_for(void **state)
{
	struct comparison c[] = { { .p = 0.01 }, { .p = 0.04 }, { .p = 0.03 } };
	compare_adjust(c, 3);
	assert_true(fabs(c[0].p_adjusted - 0.03) < 1e-12);
	assert_true(fabs(c[1].p_adjusted - 0.06) < 1e-12);
	assert_true(fabs(c[2].p_adjusted - 0.06) < 1e-12);
}

static void runs_grow_with_the_square_of_the_spread(void **state)
{
	double narrow[16], wide[16];
	for (int i = 0; i < 16; i++) {
		narrow[i] = 1000 + i;
		wide[i] = 1000 + 4 * i;
	}
	size_t few = compare_runs_needed((struct compare_series){ narrow, 16 }, (struct compare_series){ narrow, 16 }, 0.001);
	size_t many = compare_runs_needed((struct compare_series){ wide, 16 }, (struct compare_series){ wide, 16 }, 0.001);
	assert_true(many > 14 * few && many < 17 * few);
	static const double wild[] = { 1, 100, 3, 50 };
	assert_true(compare_runs_needed((struct compare_series){ wild, 4 }, (struct compare_series){ wild, 4 }, 0.01) == SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rank_test_matches_hand_arithmetic),
		cmocka_unit_test(equal_series_do_not_differ),
		cmocka_unit_test(clear_differences_are_found_in_spite_of_outliers),
		cmocka_unit_test(zeros_have_no_ratio),
		cmocka_unit_test(few_values_go_to_welch),
		cmocka_unit_test(many_questions_are_paid_for),
		cmocka_unit_test(runs_grow_with_the_square_of_the_spread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
