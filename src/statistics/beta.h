/* The regularised incomplete beta function, of which the distributions of Student and of the binomial are made. */
#pragma once

/* I_x(a, b), for a and b above 0. By its continued fraction (Abramowitz and Stegun 26.5.8, Lentz's method). */
double incomplete_beta(double a, double b, double x);
/* The x for which I_x(a, b) is p. */
double incomplete_beta_quantile(double a, double b, double p);
