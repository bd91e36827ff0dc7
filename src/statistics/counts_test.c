#include "statistics/counts.h"

#include <math.h>

#include "base/testing.h"

static void assert_near(double is, double due, double within)
{
	if (!(fabs(is - due) <= within))
		fail_msg("%.9g is not within %g of %.9g", is, within, due);
}

/* Of 10 events 8 are in b: (C(10,8) + C(10,9) + C(10,10)) / 2^10 = 56/1024 above, twice that on both sides. */
static void test_exact(void **state)
{
	(void)state;
	struct count_change c = count_change(2, 8, 1, 0.95);
	assert_near(c.ratio, 4, 1e-12);
	assert_near(c.p, 112.0 / 1024, 1e-12);
	/* Clopper and Pearson's interval of 8 in 10 (Zar's table): 0.44390 to 0.97479 */
	assert_near(c.low, 0.44390 / 0.55610, 2e-4);
	assert_near(c.high, 0.97479 / 0.02521, 0.03);
	assert_near(count_change(8, 2, 1, 0.95).p, c.p, 1e-12);
}

/* b was observed three times as long: one in four is expected in a. None of 4 in a: 0.75^4 above, and as much below. */
static void test_exposure(void **state)
{
	(void)state;
	struct count_change c = count_change(0, 4, 3, 0.95);
	assert_true(isinf(c.ratio) && isinf(c.high));
	assert_near(c.p, 2 * pow(0.75, 4), 1e-12);
	c = count_change(10, 30, 3, 0.95);
	assert_near(c.ratio, 1, 1e-12);
	assert_true(c.low < 1 && c.high > 1);
	assert_near(c.p, 1, 1e-9);
}

static void test_nothing(void **state)
{
	(void)state;
	struct count_change c = count_change(0, 0, 1, 0.95);
	assert_true(isnan(c.ratio));
	assert_near(c.p, 1, 0);
}

/* Large numbers approach the normal distribution: z = 600 / sqrt(20600) = 4.18040 has p = 2.910e-5. */
static void test_many(void **state)
{
	(void)state;
	assert_near(count_change(10000, 10600, 1, 0.95).p, 2.91e-5, 1e-6);
}

/* The example of Benjamini and Hochberg (1995), 15 hypotheses at 5 %: the four smallest are discoveries. */
static void test_discoveries(void **state)
{
	(void)state;
	double p[] = { 0.0095, 0.0001, NAN,    0.0004, 0.0019, 0.0201, 0.0278, 0.0298, 0.0344,
		       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	unsigned found = 0;
	discoveries_adjust(p, sizeof(p) / sizeof(*p));
	for (size_t i = 0; i < sizeof(p) / sizeof(*p); i++)
		found += p[i] < 0.05;
	assert_int_equal(found, 4);
	assert_near(p[0], 0.0095 * 15 / 4, 1e-12);
	assert_true(isnan(p[2]));
	assert_near(p[15], 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),	    cmocka_unit_test(test_exposure),	cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_many),	    cmocka_unit_test(test_discoveries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
