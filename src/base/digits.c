#include "base/digits.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

const uint64_t digits_power[DIGITS_POWERS + 1] = {
	1ull,
	10ull,
	100ull,
	1000ull,
	10000ull,
	100000ull,
	1000000ull,
	10000000ull,
	100000000ull,
	1000000000ull,
	10000000000ull,
	100000000000ull,
	1000000000000ull,
	10000000000000ull,
	100000000000000ull,
	1000000000000000ull,
	10000000000000000ull,
	100000000000000000ull,
	1000000000000000000ull,
};

const char digits_pairs[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
			    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
			    "8081828384858687888990919293949596979899";

char *digits_u64(char *end, uint64_t v)
{
	char *p = end;
	while (v >= 100) {
		p -= 2;
		memcpy(p, digits_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, digits_pairs + v * 2, 2);
	} else {
		*--p = (char)('0' + v);
	}
	return p;
}

char *digits_point(char *end, uint64_t whole, uint64_t frac, unsigned decimals)
{
	char *p = end;
	for (; decimals >= 2; decimals -= 2, frac /= 100) {
		p -= 2;
		memcpy(p, digits_pairs + frac % 100 * 2, 2);
	}
	if (decimals)
		*--p = (char)('0' + frac % 10);
	*--p = '.';
	return digits_u64(p, whole);
}

#define DBL_MANTISSA_BITS (DBL_MANT_DIG - 1) /* as they are stored */

/* rest / 2^k in units of 1 / power; a tie goes to even. With power 1 the number before the point, which is_odd, decides. */
static uint64_t rounded(uint64_t rest, int k, uint64_t power, bool is_odd)
{
	unsigned __int128 scaled = (unsigned __int128)rest * power;
	uint64_t frac = (uint64_t)(scaled >> k);
	bool is_tie, is_more;
	if (k < 64) {
		uint64_t below = (uint64_t)scaled & (((uint64_t)1 << k) - 1), half = (uint64_t)1 << (k - 1);
		is_tie = below == half;
		is_more = below > half;
	} else {
		unsigned __int128 half = (unsigned __int128)1 << (k - 1), below = scaled & ((half << 1) - 1);
		is_tie = below == half;
		is_more = below > half;
	}
	return frac + (is_more || (is_tie && (is_odd || frac & 1)));
}

/*
 * Exact like printf, in integers: the number is m / 2^k, its fraction times 10^decimals fits in 128 bits, and a tie
 * goes to even.
 */
size_t digits_f64(char to[static DIGITS_F64_BYTES], double v, int decimals)
{
	double abs = fabs(v);
	char *at = to, *end = to + DIGITS_F64_BYTES, *first;
	if (!(abs < 0x1p63) || decimals < 0 || decimals > 18)
		return 0;
	if (signbit(v))
		*at++ = '-';
	uint64_t m; /* abs = m / 2^k */
	memcpy(&m, &abs, sizeof(m));
	int exponent = (int)(m >> DBL_MANTISSA_BITS);
	m = (m & ((1ull << DBL_MANTISSA_BITS) - 1)) | ((uint64_t)!!exponent << DBL_MANTISSA_BITS);
	int k = DBL_MAX_EXP - 1 + DBL_MANTISSA_BITS - (exponent ? exponent : 1);
	uint64_t whole = 0, frac = 0;
	if (k <= 0) {
		whole = m << -k;
	} else if (k < 127) {
		uint64_t rest = k < 64 ? m & (((uint64_t)1 << k) - 1) : m;
		whole = k < 64 ? m >> k : 0;
		frac = rest ? rounded(rest, k, digits_power[decimals], !decimals && whole & 1) : 0;
		if (frac >= digits_power[decimals]) {
			whole++;
			frac -= digits_power[decimals];
		}
	}
	first = digits_u64(end, whole);
	memmove(at, first, (size_t)(end - first));
	at += end - first;
	if (!decimals)
		return (size_t)(at - to);
	*at++ = '.';
	if (!frac) {
		memset(at, '0', (size_t)decimals);
		return (size_t)(at - to) + (size_t)decimals;
	}
	int i = decimals;
	for (; i >= 2; frac /= 100) {
		i -= 2;
		memcpy(at + i, digits_pairs + frac % 100 * 2, 2);
	}
	if (i)
		at[0] = (char)('0' + frac % 10);
	return (size_t)(at - to) + (size_t)decimals;
}
