/*
 * Two numbers of events counted: by how much their rates differ, how sure that is, and which of many differences are more than chance.
 *
 * Events that come independently of each other are assumed. Of a + b events in all, b are then binomial, whatever the rate is: the test is
 * exact. Sources: Przyborowski and Wilenski (1940) for the test, Clopper and Pearson (1934) for the interval, Benjamini and Hochberg
 * (1995) for the rate of false discoveries.
 */
#pragma once
#include <stddef.h>

/* Numbers need not be whole: they may be sums of weights in units of their mean. */
struct count_change {
	double ratio;     /* of the rates, b to a; INFINITY where a is 0, NAN where both are */
	double low, high; /* its interval */
	double p;         /* of a difference like this by chance, two-sided */
};

/* exposure: how much longer b was looked at than a (1: as long). confidence: 0.95. */
struct count_change count_change(double a, double b, double exposure, double confidence);

/*
 * Makes of each p the least rate of false discoveries at which it is one (q): of those with q < 0.05, one in 20 is expected to be false.
 * NAN stays, and does not count.
 */
void discoveries_adjust(double *p, size_t n);
