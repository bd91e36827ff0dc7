#include "statistics/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "statistics/beta.h"

void stats_add(struct stats *s, double value)
{
	double before = value - s->mean;
	s->n++;
	s->mean += before / (double)s->n;
	s->m2 += before * (value - s->mean);
	if (s->n == 1 || value < s->min)
		s->min = value;
	if (s->n == 1 || value > s->max)
		s->max = value;
}

double stats_variance(const struct stats *s)
{
	return s->n < 2 ? 0 : s->m2 / (double)(s->n - 1);
}

double stats_error(const struct stats *s)
{
	return s->n < 2 ? 0 : sqrt(stats_variance(s) / (double)s->n);
}

double stats_half_width(const struct stats *s, double confidence)
{
	if (s->n < 2)
		return 0;
	return student_t_quantile(0.5 + confidence / 2, (double)(s->n - 1)) * stats_error(s);
}

double student_t_cdf(double t, double freedom)
{
	if (!(freedom > 0))
		return NAN;
	double tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
	return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double p, double freedom)
{
	if (!(p > 0 && p < 1))
		return NAN;
	if (p < 0.5)
		return -student_t_quantile(1 - p, freedom);
	double low = 0, high = 1;
	while (student_t_cdf(high, freedom) < p && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;
		if (student_t_cdf(middle, freedom) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Welch and Satterthwaite: for a sum of two terms, each with the variance of its mean. */
static double freedom_of(double va, double na, double vb, double nb)
{
	double both = va + vb;
	double below = va * va / (na - 1) + vb * vb / (nb - 1);
	return below > 0 ? both * both / below : 0;
}

struct welch welch_test(const struct stats *a, const struct stats *b)
{
	struct welch w = { .difference = b->mean - a->mean, .p = 1 };
	if (a->n < 2 || b->n < 2)
		return w;
	double na = (double)a->n, nb = (double)b->n;
	double va = stats_variance(a) / na, vb = stats_variance(b) / nb;
	w.error = sqrt(va + vb);
	if (w.error <= 0) { /* neither series varies: any difference is real */
		w.p = w.difference == 0 ? 1 : 0;
		return w;
	}
	w.freedom = freedom_of(va, na, vb, nb);
	w.p = 2 * student_t_cdf(-fabs(w.difference / w.error), w.freedom);
	return w;
}

bool welch_ratio(const struct stats *a, const struct stats *b, double confidence, double *ret_ratio, double *ret_low,
		 double *ret_high)
{
	if (a->n < 2 || b->n < 2 || !(a->mean > 0) || !(b->mean > 0))
		return false;
	double na = (double)a->n, nb = (double)b->n;
	/* The variance of ln(mean) is that of the mean divided by the mean squared. */
	double va = stats_variance(a) / na / (a->mean * a->mean), vb = stats_variance(b) / nb / (b->mean * b->mean);
	double half = va + vb > 0 ? student_t_quantile(0.5 + confidence / 2, freedom_of(va, na, vb, nb)) * sqrt(va + vb) : 0;
	*ret_ratio = b->mean / a->mean;
	*ret_low = *ret_ratio * exp(-half);
	*ret_high = *ret_ratio * exp(half);
	return true;
}

static int compare(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;
	return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t low = (size_t)at;
	if (low + 1 >= n)
		return sorted[n - 1];
	return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

size_t stats_outliers(const double *values, size_t n, double fences, bool *ret_mark)
{
	memset(ret_mark, 0, n * sizeof(*ret_mark));
	if (n < 4)
		return 0;
	double *sorted = xmemdup(values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), compare);
	double first = quantile(sorted, n, 0.25), third = quantile(sorted, n, 0.75), range = third - first;
	free(sorted);
	size_t marks = 0;
	for (size_t i = 0; i < n; i++) {
		ret_mark[i] = values[i] < first - fences * range || values[i] > third + fences * range;
		marks += ret_mark[i];
	}
	return marks;
}
