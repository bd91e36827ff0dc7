#include "alloc/sampler.h"

#include <string.h>

#define LN2 0.69314718055994530942

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
uint64_t sampler_seed(uint64_t seed, uint64_t number)
{
	uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* ln x of 0 < x: the exponent by bits, the rest by the series of atanh. */
static double logarithm(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	int exponent = (int)(bits >> 52) - 1023;
	bits = (bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull;
	memcpy(&x, &bits, sizeof(x));
	double z = (x - 1.4142135623730951) / (x + 1.4142135623730951), square = z * z, term = z, sum = 0;
	for (int i = 1; i < 24; i += 2, term *= square)
		sum += term / i;
	return (exponent + 0.5) * LN2 + 2 * sum;
}

/* 1 - exp(-x) of 0 <= x, without loss of digits for small x: the series at x / 2^k, doubled k times by 1-(1-y)^2. */
static double one_minus_exp(double x)
{
	int doublings = 0;
	if (x > 40)
		return 1;
	for (; x > 0.125; x /= 2)
		doublings++;
	double term = x, sum = 0;
	for (int i = 2; i < 14; i++, term *= -x / (i - 1))
		sum += term;
	while (doublings--)
		sum = sum * (2 - sum);
	return sum;
}

int64_t sampler_distance(uint64_t *random, uint64_t rate)
{
	*random = sampler_seed(*random, 0);
	double uniform = ((double)(*random >> 12) + 0.5) * 0x1p-52, distance = -logarithm(uniform) * (double)rate;
	return distance < 0x1p62 ? (int64_t)distance : INT64_MAX / 2;
}

double sampler_weight(uint64_t size, uint64_t rate)
{
	return 1 / one_minus_exp((double)size / (double)rate);
}
