#include "statistics/beta.h"

#include <float.h>
#include <math.h>

static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	double h = d;
	for (int m = 1; m <= 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + even * d;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		c = 1 + even / c;
		h *= d * c;
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + odd * d;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		c = 1 + odd / c;
		h *= d * c;
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return h;
}

/* lgamma() stores the sign in a global variable. */
static double log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);
}

double incomplete_beta(double a, double b, double x)
{
	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double incomplete_beta_quantile(double a, double b, double p)
{
	double low = 0, high = 1;
	for (int i = 0; i < 100 && high - low > 1e-15; i++) {
		double middle = (low + high) / 2;
		if (incomplete_beta(a, b, middle) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
