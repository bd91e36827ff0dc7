/* The regularised incomplete beta function, the basis of Student's and the binomial distribution. */
#pragma once

/* I_x(a, b), for a and b above 0. By its continued fraction (Abramowitz and Stegun 26.5.8, Lentz's method). */
double incomplete_beta(double a, double b, double x);
/* The x for which I_x(a, b) is p. */
double incomplete_beta_quantile(double a, double b, double p);
