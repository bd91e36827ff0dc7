#include "statistics/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "statistics/stats.h"

/* The normal quantile of 97.5 %. */
#define Z95 1.959963984540054
/* Larger spreads are ignored when the number of runs is chosen. */
#define SPREAD_MAX 0.2
/* For normal values, the rank test requires more values than the t test by this factor. */
#define RANK_EFFICIENCY 0.955

struct ranked {
	double value;
	bool of_b;
};

static int compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	return (a->value > b->value) - (a->value < b->value);
}

static int compare_doubles(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;
	return (a > b) - (a < b);
}

/* Two-sided p of the rank test; 1 if all values are equal. */
static double rank_test(struct compare_series a, struct compare_series b)
{
	size_t n = a.n + b.n;
	_cleanup_free_ struct ranked *all = xcalloc(n, sizeof(*all));
	for (size_t i = 0; i < a.n; i++)
		all[i] = (struct ranked){ a.values[i], false };
	for (size_t i = 0; i < b.n; i++)
		all[a.n + i] = (struct ranked){ b.values[i], true };
	qsort(all, n, sizeof(*all), compare_ranked);
	double ranks_b = 0, ties = 0;
	for (size_t i = 0; i < n;) {
		size_t end = i, of_b = 0;
		for (; end < n && all[end].value == all[i].value; end++)
			of_b += all[end].of_b;
		double t = (double)(end - i), rank = (double)i + (t + 1) / 2;
		ranks_b += rank * (double)of_b;
		ties += t * t * t - t;
		i = end;
	}
	double na = (double)a.n, nb = (double)b.n, all_n = na + nb;
	double u = ranks_b - nb * (nb + 1) / 2, mean = na * nb / 2;
	double variance = na * nb / 12 * (all_n + 1 - ties / (all_n * (all_n - 1)));
	if (variance <= 0)
		return 1;
	/* U changes in steps: continuity correction by half a step. */
	double z = (fabs(u - mean) - 0.5) / sqrt(variance);
	return z <= 0 ? 1 : erfc(z / sqrt(2));
}

/* The median of all ratios, and the pair of ratios that bounds its interval. */
static void rank_ratio(struct compare_series a, struct compare_series b, struct comparison *c)
{
	size_t n = a.n * b.n;
	_cleanup_free_ double *ratios = xcalloc(n, sizeof(*ratios));
	for (size_t i = 0; i < a.n; i++)
		for (size_t k = 0; k < b.n; k++)
			ratios[i * b.n + k] = b.values[k] / a.values[i];
	qsort(ratios, n, sizeof(*ratios), compare_doubles);
	double na = (double)a.n, nb = (double)b.n;
	double rank = na * nb / 2 - Z95 * sqrt(na * nb * (na + nb + 1) / 12);
	size_t low = rank < 1 ? 0 : (size_t)rank - 1;
	c->ratio = n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
	c->low = ratios[low];
	c->high = ratios[n - 1 - low];
}

static bool all_positive(struct compare_series s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(s.values[i] > 0))
			return false;
	return s.n > 0;
}

static struct stats stats_of(struct compare_series s)
{
	struct stats stats = {};
	for (size_t i = 0; i < s.n; i++)
		stats_add(&stats, s.values[i]);
	return stats;
}

struct comparison compare_series(struct compare_series a, struct compare_series b)
{
	struct stats of_a = stats_of(a), of_b = stats_of(b);
	struct comparison c = { .mean_a = of_a.mean, .mean_b = of_b.mean, .p = 1 };
	c.by_rank = a.n >= COMPARE_RANK_MIN && b.n >= COMPARE_RANK_MIN;
	if (c.by_rank) {
		c.p = rank_test(a, b);
		c.has_ratio = all_positive(a) && all_positive(b);
		if (c.has_ratio)
			rank_ratio(a, b, &c);
	} else {
		c.p = welch_test(&of_a, &of_b).p;
		c.has_ratio = welch_ratio(&of_a, &of_b, 0.95, &c.ratio, &c.low, &c.high);
	}
	c.p_adjusted = c.p;
	return c;
}

struct by_p {
	double p;
	size_t index;
};

static int compare_p(const void *pa, const void *pb)
{
	const struct by_p *a = pa, *b = pb;
	return (a->p > b->p) - (a->p < b->p);
}

void compare_adjust(struct comparison *c, size_t n)
{
	_cleanup_free_ struct by_p *order = xcalloc(n + 1, sizeof(*order));
	double highest = 0;
	for (size_t i = 0; i < n; i++)
		order[i] = (struct by_p){ c[i].p, i };
	qsort(order, n, sizeof(*order), compare_p);
	for (size_t i = 0; i < n; i++) {
		double p = order[i].p * (double)(n - i);
		p = p > 1 ? 1 : p;
		highest = p > highest ? p : highest;
		c[order[i].index].p_adjusted = highest;
	}
}

/* The spread of a series relative to its median, by its quartiles, so that a disturbed run does not count. */
static double spread(struct compare_series s)
{
	_cleanup_free_ double *sorted = xmemdup(s.values, s.n * sizeof(*sorted));
	qsort(sorted, s.n, sizeof(*sorted), compare_doubles);
	double median = sorted[s.n / 2], first = sorted[s.n / 4], third = sorted[s.n - 1 - s.n / 4];
	/* In the normal distribution the quartiles are 1.349 deviations apart. */
	return median > 0 ? (third - first) / 1.349 / median : INFINITY;
}

size_t compare_runs_needed(struct compare_series a, struct compare_series b, double share)
{
	if (a.n < 4 || b.n < 4)
		return SIZE_MAX;
	double sa = spread(a), sb = spread(b);
	if (!(sa <= SPREAD_MAX) || !(sb <= SPREAD_MAX))
		return SIZE_MAX;
	double n = (sa * sa + sb * sb) * (Z95 / share) * (Z95 / share) / RANK_EFFICIENCY;
	return (size_t)ceil(n);
}
