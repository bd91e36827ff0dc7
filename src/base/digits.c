#include "base/digits.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

char *digits_u64(char *end, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char *p = end;
	while (v >= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, pairs + v * 2, 2);
	} else {
		*--p = (char)('0' + v);
	}
	return p;
}

/*
 * Exact like printf, in integers: the number is m / 2^k, its fraction times 10^decimals fits in 128 bits, and a tie
 * goes to even.
 */
size_t digits_f64(char to[static DIGITS_F64_BYTES], double v, int decimals)
{
	static const uint64_t pow10[] = {
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
	double abs = fabs(v);
	char *at = to, *end = to + DIGITS_F64_BYTES, *first;
	if (!(abs < 0x1p63) || decimals < 0 || decimals > 18)
		return 0;
	if (signbit(v))
		*at++ = '-';
	int exp;
	uint64_t m = (uint64_t)ldexp(frexp(abs, &exp), 53); /* abs = m * 2^(exp - 53) */
	int k = 53 - exp;
	uint64_t whole = 0, frac = 0;
	if (k <= 0) {
		whole = m << -k;
	} else if (k < 127) {
		uint64_t rest = k < 64 ? m & (((uint64_t)1 << k) - 1) : m;
		whole = k < 64 ? m >> k : 0;
		unsigned __int128 scaled = (unsigned __int128)rest * pow10[decimals];
		unsigned __int128 half = (unsigned __int128)1 << (k - 1);
		unsigned __int128 below = scaled & ((half << 1) - 1);
		frac = (uint64_t)(scaled >> k);
		bool odd = decimals ? frac & 1 : whole & 1;
		if (below > half || (below == half && odd))
			frac++;
		if (frac >= pow10[decimals]) {
			whole++;
			frac -= pow10[decimals];
		}
	}
	first = digits_u64(end, whole);
	memmove(at, first, (size_t)(end - first));
	at += end - first;
	if (!decimals)
		return (size_t)(at - to);
	*at++ = '.';
	for (int i = decimals; i--; frac /= 10)
		at[i] = (char)('0' + frac % 10);
	return (size_t)(at - to) + (size_t)decimals;
}
