/*
 * Formats numbers into a caller's buffer, for out and strbuf. No NUL is written.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_U64_BYTES 20
#define DIGITS_F64_BYTES 40

/* "00" to "99". */
extern const char digits_pairs[201];
/* The last three digits of v, with leading zeros. */
static inline void digits_three(char *to, uint64_t v)
{
	unsigned last = (unsigned)(v % 1000);
	to[0] = (char)('0' + last / 100);
	memcpy(to + 1, digits_pairs + last % 100 * 2, 2);
}

/* Powers of ten. */
#define DIGITS_POWERS 18
extern const uint64_t digits_power[DIGITS_POWERS + 1];

/* Writes v to the end of a buffer of DIGITS_U64_BYTES, `end` after it; returns its first digit. */
char *digits_u64(char *end, uint64_t v);
/* The same with a point and frac as the last `decimals` digits. Room: DIGITS_F64_BYTES. */
char *digits_point(char *end, uint64_t whole, uint64_t frac, unsigned decimals);
/* "%.*f" in the C locale, exactly; returns the number of bytes. 0: NaN, infinite, too large (2^63) or more than 18 decimals. */
size_t digits_f64(char to[static DIGITS_F64_BYTES], double v, int decimals);
