/*
 * Statistics of repeated measurements: mean, spread, confidence, and whether two series differ.
 *
 * Sources: Welford (1962) for the running variance; Student's t and its quantiles by the incomplete beta function
 * (Abramowitz and Stegun 26.5, 26.7); Welch (1947) for the comparison of two means of unequal variances.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats {
	uint64_t n;
	double mean, m2; /* m2: sum of squared distances from the mean */
	double min, max;
};

void stats_add(struct stats *s, double value);
/* Of the population that the n values are a sample of (divisor n - 1); 0 for fewer than two. */
double stats_variance(const struct stats *s);
/* Standard error of the mean. */
double stats_error(const struct stats *s);
/* Half the width of the confidence interval of the mean (confidence 0.95); 0 for fewer than two values. */
double stats_half_width(const struct stats *s, double confidence);

/* P(T <= t) of Student's t with `freedom` degrees of freedom, which need not be an integer. */
double student_t_cdf(double t, double freedom);
/* The t for which student_t_cdf() is p. */
double student_t_quantile(double p, double freedom);

struct welch {
	double difference;  /* mean of b - mean of a */
	double error;       /* its standard error */
	double freedom;     /* degrees of freedom, Welch and Satterthwaite */
	double p;           /* of a difference this large by chance, two-sided; 1 if unknown */
};

struct welch welch_test(const struct stats *a, const struct stats *b);

/*
 * The ratio of the means b/a with its interval at the given confidence: from the logarithms, by the delta method, with Welch's
 * degrees of freedom. False if a mean is not positive.
 */
bool welch_ratio(const struct stats *a, const struct stats *b, double confidence, double *ret_ratio, double *ret_low,
		 double *ret_high);

/*
 * Marks values more than `fences` interquartile ranges outside of the quartiles (Tukey: 1.5 far, 3 very far). ret_mark has room
 * for n; returns the number of marks. Requires at least four values.
 */
size_t stats_outliers(const double *values, size_t n, double fences, bool *ret_mark);
