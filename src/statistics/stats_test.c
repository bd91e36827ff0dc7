#include "statistics/stats.h"

#include <math.h>

#include "base/testing.h"

/* Quantiles of Student's t as printed in tables (NIST/SEMATECH e-Handbook, 1.3.6.7.2). */
static void student_t_matches_the_tables(void **state)
{
	static const struct {
		double p, freedom, t;
	} rows[] = {
		{ 0.975, 1, 12.706 }, { 0.975, 2, 4.303 }, { 0.975, 5, 2.571 },  { 0.975, 10, 2.228 },
		{ 0.975, 30, 2.042 }, { 0.95, 7, 1.895 },  { 0.995, 20, 2.845 }, { 0.90, 3, 1.638 },
		{ 0.975, 1e6, 1.960 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double t = student_t_quantile(rows[i].p, rows[i].freedom);
		assert_true(fabs(t - rows[i].t) < 0.0006);
		assert_true(fabs(student_t_cdf(t, rows[i].freedom) - rows[i].p) < 1e-9);
		assert_true(fabs(student_t_quantile(1 - rows[i].p, rows[i].freedom) + t) < 1e-9);
	}
	/* One degree of freedom is the Cauchy distribution: 1/2 + atan(t)/pi. */
	assert_true(fabs(student_t_cdf(1, 1) - 0.75) < 1e-12);
	assert_true(fabs(student_t_cdf(0, 4) - 0.5) < 1e-12);
}

static void mean_and_spread_are_those_of_the_values(void **state)
{
	struct stats s = {};
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	for (size_t i = 0; i < 8; i++)
		stats_add(&s, values[i]);
	/* mean 5, squared distances 32 */
	assert_true(fabs(s.mean - 5) < 1e-12);
	assert_true(fabs(stats_variance(&s) - 32.0 / 7) < 1e-12);
	assert_true(fabs(stats_error(&s) - sqrt(32.0 / 7 / 8)) < 1e-12);
	assert_true(s.min == 2 && s.max == 9);
	assert_true(fabs(stats_half_width(&s, 0.95) - 2.364624 * sqrt(32.0 / 56)) < 1e-5);
	struct stats one = {};
	stats_add(&one, 3);
	assert_true(stats_half_width(&one, 0.95) == 0);
}

/* The example of Welch's test in NIST/SEMATECH 7.3.1 form: computed by hand. */
static void welch_matches_hand_arithmetic(void **state)
{
	struct stats a = {}, b = {};
	static const double va[] = { 10, 12, 14 }, vb[] = { 20, 24, 28, 32 };
	for (size_t i = 0; i < 3; i++)
		stats_add(&a, va[i]);
	for (size_t i = 0; i < 4; i++)
		stats_add(&b, vb[i]);
	/* variances 4 and 80/3; of the means 4/3 and 20/3: error sqrt(8), freedom 64 / ((16/9)/2 + (400/9)/3) */
	struct welch w = welch_test(&a, &b);
	assert_true(fabs(w.difference - 14) < 1e-12);
	assert_true(fabs(w.error - sqrt(8)) < 1e-12);
	assert_true(fabs(w.freedom - 64 / (16.0 / 18 + 400.0 / 27)) < 1e-9);
	assert_true(w.p > 0.004 && w.p < 0.009);
	double ratio, low, high;
	assert_true(welch_ratio(&a, &b, 0.95, &ratio, &low, &high));
	assert_true(fabs(ratio - 26.0 / 12) < 1e-12);
	assert_true(low < ratio && ratio < high && fabs(low * high - ratio * ratio) < 1e-9);
	assert_true(welch_test(&a, &a).p > 0.999);
}

static void values_that_never_vary_differ_or_not(void **state)
{
	struct stats a = {}, b = {};
	for (int i = 0; i < 3; i++) {
		stats_add(&a, 5);
		stats_add(&b, 6);
	}
	assert_true(welch_test(&a, &a).p == 1);
	assert_true(welch_test(&a, &b).p == 0);
}

static void outliers_are_marked(void **state)
{
	static const double values[] = { 10, 11, 10, 12, 11, 50, 10, 11 };
	bool mark[8];
	assert_int_equal(stats_outliers(values, 8, 3, mark), 1);
	assert_true(mark[5]);
	assert_int_equal(stats_outliers(values, 3, 3, mark), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_t_matches_the_tables),
		cmocka_unit_test(mean_and_spread_are_those_of_the_values),
		cmocka_unit_test(welch_matches_hand_arithmetic),
		cmocka_unit_test(values_that_never_vary_differ_or_not),
		cmocka_unit_test(outliers_are_marked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
