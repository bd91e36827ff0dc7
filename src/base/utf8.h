/*
 * UTF-8 one character at a time. Reading is strict: no overlong forms, surrogates, or code points past U+10FFFF.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of the character at s (n > 0 bytes are available); 0: invalid UTF-8. */
static inline size_t utf8_decode(const char *s, size_t n, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t len;
	uint32_t min, v;
	if (p[0] < 0x80) {
		*ret = p[0];
		return 1;
	}
	if ((p[0] & 0xe0) == 0xc0) {
		len = 2, min = 0x80, v = p[0] & 0x1f;
	} else if ((p[0] & 0xf0) == 0xe0) {
		len = 3, min = 0x800, v = p[0] & 0x0f;
	} else if ((p[0] & 0xf8) == 0xf0) {
		len = 4, min = 0x10000, v = p[0] & 0x07;
	} else {
		return 0;
	}
	if (n < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < min || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*ret = v;
	return len;
}

#define UTF8_MAX 4

/* Writes the character (up to U+1FFFFF) and returns its size. */
static inline size_t utf8_encode(uint32_t c, char ret[UTF8_MAX])
{
	size_t n = 0;
	if (c < 0x80) {
		ret[n++] = (char)c;
		return n;
	}
	if (c >= 0x10000)
		ret[n++] = (char)(0xf0 | c >> 18);
	else if (c >= 0x800)
		ret[n++] = (char)(0xe0 | c >> 12);
	else
		ret[n++] = (char)(0xc0 | c >> 6);
	if (c >= 0x10000)
		ret[n++] = (char)(0x80 | (c >> 12 & 0x3f));
	if (c >= 0x800)
		ret[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	ret[n++] = (char)(0x80 | (c & 0x3f));
	return n;
}

/*
 * Whether a character could disguise or reorder text: control characters, bidirectional marks, and invisible characters, which
 * are shown by number.
 */
static inline bool utf8_steers(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xe0000 && c <= 0xe0fff);
}
