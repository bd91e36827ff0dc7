/*
 * Two series of the same count compared: by how much they differ, how sure that is, and which values are odd.
 *
 * With eight values or more on each side the Mann-Whitney rank test decides (ties counted half, normal approximation), and
 * the ratio is the Hodges-Lehmann estimate of it: the median of all ratios of a value of B to one of A, its interval from
 * the same ranks. A few runs that were disturbed so change little. With fewer values it is Welch's t test and the ratio of
 * the means. Sources: Mann and Whitney (1947), Hodges and Lehmann (1963), Holm (1979), Hollander and Wolfe, Nonparametric
 * Statistical Methods.
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
	double p;                  /* of a difference like this by chance, two-sided */
	double p_adjusted;         /* for how many counts were looked at: compare_adjust() */
};

struct comparison compare_series(struct compare_series a, struct compare_series b);
/* Holm: the chance to see a difference that does not exist is p_adjusted over all n together. */
void compare_adjust(struct comparison *c, size_t n);
/*
 * How many values of each side it takes until the interval of the ratio is no wider than ± share (0.01), judged by
 * the spread of what is there already; SIZE_MAX where it spreads too much to say.
 */
size_t compare_runs_needed(struct compare_series a, struct compare_series b, double share);
