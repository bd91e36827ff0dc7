/*
 * Compares two counts of events: the ratio of their rates, its significance, and the significant ones of many differences.
 *
 * Events are assumed to be independent. Of a + b events in total, b is then binomial, whatever the rate: the test is exact. Sources:
 * Przyborowski and Wilenski (1940) for the test, Clopper and Pearson (1934) for the interval, Benjamini and Hochberg (1995) for the
 * rate of false discoveries.
 */
#pragma once
#include <stddef.h>

/* Counts need not be integers: they may be sums of weights in units of their mean. */
struct count_change {
	double ratio;     /* of the rates, b to a; INFINITY if a is 0, NAN if both are */
	double low, high; /* its interval */
	double p;         /* of such a difference by chance, two-sided */
};

/* exposure: observation time of b relative to a (1: equal). confidence: 0.95. */
struct count_change count_change(double a, double b, double exposure, double confidence);

/*
 * Converts each p to the lowest rate of false discoveries that includes it (q): of those with q < 0.05, one in 20 is expected to be false.
 * NAN is unchanged, and does not count.
 */
void discoveries_adjust(double *p, size_t n);
