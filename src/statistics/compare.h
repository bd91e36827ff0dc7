/*
 * Compares two series of the same count: difference, significance, and outliers.
 *
 * With eight values or more on each side the Mann-Whitney rank test decides (ties counted half, normal approximation), and the ratio
 * is its Hodges-Lehmann estimate: the median of all ratios of a value of B to one of A, with an interval from the same ranks. A few
 * disturbed runs then change little. With fewer values, Welch's t test and the ratio of the means are used. Sources: Mann and Whitney
 * (1947), Hodges and Lehmann (1963), Holm (1979), Hollander and Wolfe, Nonparametric Statistical Methods.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPARE_RANK_MIN 8

struct compare_series {
	const double *values;
	size_t n;
};

struct comparison {
	bool by_rank;
	double mean_a, mean_b;
	bool has_ratio;            /* both are above 0 */
	double ratio, low, high;   /* of B to A, with its 95 % interval */
	double p;                  /* of such a difference by chance, two-sided */
	double p_adjusted;         /* p corrected for the number of counts: compare_adjust() */
};

struct comparison compare_series(struct compare_series a, struct compare_series b);
/* Holm's correction: p_adjusted is the probability of any false difference among all n. */
void compare_adjust(struct comparison *c, size_t n);
/*
 * The number of values per side for which the interval of the ratio is no wider than ± share (0.01), estimated from the spread of
 * the present values; SIZE_MAX if they spread too much for an estimate.
 */
size_t compare_runs_needed(struct compare_series a, struct compare_series b, double share);
