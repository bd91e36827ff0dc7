#include "base/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* Digits from *at on; false where there are none or the number is too large. */
static bool scan_u64(const char **at, unsigned base, uint64_t *ret)
{
	const char *p = *at;
	uint64_t v = 0;
	for (;; p++) {
		int digit = text_hex_digit(*p);
		if (digit < 0 || (unsigned)digit >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, (unsigned)digit, &v))
			return false;
	}
	if (p == *at)
		return false;
	*at = p;
	*ret = v;
	return true;
}

static bool scan_number(const char **at, uint64_t *ret)
{
	bool hex = (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x';
	if (hex)
		*at += 2;
	return scan_u64(at, hex ? 16 : 10, ret);
}

size_t text_hex(const char *s, size_t n, uint64_t *ret)
{
	size_t i = 0;
	*ret = 0;
	for (int digit; i < n && i < 16 && (digit = text_hex_digit(s[i])) >= 0; i++)
		*ret = *ret << 4 | (unsigned)digit;
	return i;
}

bool text_hex_to_bytes(const char *s, size_t n, uint8_t *ret)
{
	for (size_t i = 0; i < n; i++) {
		int high = text_hex_digit(s[2 * i]), low = high < 0 ? -1 : text_hex_digit(s[2 * i + 1]);
		if (low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

void text_bytes_to_hex(const uint8_t *bytes, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		ret[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
}

bool text_to_u64(const char *s, uint64_t *ret)
{
	uint64_t v;
	if (!scan_number(&s, &v) || *s)
		return false;
	*ret = v;
	return true;
}

bool text_to_i64(const char *s, int64_t *ret)
{
	bool negative = *s == '-';
	uint64_t v;
	if (!text_to_u64(s + (negative || *s == '+'), &v))
		return false;
	if (v > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)-v : (int64_t)v;
	return true;
}

bool text_to_f64(const char *s, double *ret)
{
	if (!*s || isspace((unsigned char)*s))
		return false;
	/* glibc hands out its built-in C locale here, without an allocation. */
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return false;
	char *end;
	double v = strtod_l(s, &end, c);
	freelocale(c);
	if (*end || end == s || isinf(v) || isnan(v))
		return false;
	*ret = v;
	return true;
}

static bool scale(uint64_t v, uint64_t by, uint64_t *ret)
{
	uint64_t scaled;
	if (__builtin_mul_overflow(v, by, &scaled))
		return false;
	*ret = scaled;
	return true;
}

bool text_to_bytes(const char *s, uint64_t *ret)
{
	uint64_t v;
	if (!scan_number(&s, &v))
		return false;
	unsigned shift = 0;
	if (*s) {
		static const char units[] = "BKMGT";
		const char *unit = strchr(units, toupper((unsigned char)*s));
		if (!unit || s[1])
			return false;
		shift = (unsigned)(unit - units) * 10;
	}
	return scale(v, (uint64_t)1 << shift, ret);
}

bool text_to_duration_ns(const char *s, uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },		     { "us", 1000 },
		{ "ms", 1000000 },	     { "s", 1000000000 },
		{ "m", 60000000000 },	     { "h", 3600000000000 },
		{ "d", 86400000000000 },
	};
	uint64_t v;
	if (!scan_u64(&s, 10, &v))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(s, units[i].name))
			return scale(v, units[i].ns, ret);
	return false;
}

bool text_each_cpu(const char *list, uint32_t max, bool (*fn)(void *ctx, uint32_t cpu), void *ctx)
{
	const char *p = list;
	/* An empty list is what sysfs says for no CPUs. */
	while (isspace((unsigned char)*p))
		p++;
	if (!*p)
		return true;
	for (;;) {
		uint64_t first, last;
		if (!scan_u64(&p, 10, &first))
			return false;
		last = first;
		if (*p == '-') {
			p++;
			if (!scan_u64(&p, 10, &last))
				return false;
		}
		if (last < first || last > max)
			return false;
		for (uint64_t cpu = first; cpu <= last; cpu++)
			if (!fn(ctx, (uint32_t)cpu))
				return false;
		if (*p != ',')
			break;
		p++;
	}
	while (isspace((unsigned char)*p))
		p++;
	return !*p;
}

/* Matches c against the set after '['; *ret_end is after its ']'. NULL there where the set is not closed. */
static bool in_set(const char *p, char c, const char **ret_end)
{
	bool negate = *p == '!' || *p == '^', hit = false;
	if (negate)
		p++;
	for (bool first = true; *p && (first || *p != ']'); first = false) {
		char low = *p++, high = low;
		if (*p == '-' && p[1] && p[1] != ']') {
			high = p[1];
			p += 2;
		}
		if ((unsigned char)low <= (unsigned char)c && (unsigned char)c <= (unsigned char)high)
			hit = true;
	}
	*ret_end = *p ? p + 1 : NULL;
	return hit != negate;
}

bool text_glob(const char *pattern, const char *s)
{
	/* Back to the last star with one byte more under it: linear in pattern × string at worst. */
	const char *star = NULL, *star_s = NULL;
	for (;;) {
		const char *next = NULL;
		bool ok;
		if (*pattern == '*') {
			star = ++pattern;
			star_s = s;
			continue;
		}
		if (!*s && !*pattern)
			return true;
		if (*pattern == '[' && *s && (ok = in_set(pattern + 1, *s, &next), next)) {
			/* next is after the set */
		} else if (*pattern == '\\' && pattern[1]) {
			ok = *s && pattern[1] == *s;
			next = pattern + 2;
		} else {
			ok = *s && *pattern && (*pattern == '?' || *pattern == *s);
			next = pattern + 1;
		}
		if (ok) {
			pattern = next;
			s++;
			continue;
		}
		if (!star || !*star_s)
			return false;
		pattern = star;
		s = ++star_s;
	}
}

char *text_timestamp(struct timespec t)
{
	struct tm tm;
	char text[32];
	localtime_r(&t.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s%02ld", text, t.tv_nsec / 10000000);
}

bool text_has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool text_has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n >= m && !strcmp(s + n - m, suffix);
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

#define DISTANCE_MAX 256

unsigned text_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n > DISTANCE_MAX || m > DISTANCE_MAX)
		return (unsigned)(n > m ? n : m); /* such a name is not mistyped */
	unsigned rows[3][DISTANCE_MAX + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= m; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);
			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
		unsigned *oldest = before;
		before = above;
		above = row;
		row = oldest;
	}
	return above[m];
}

const char *text_nearest(const char *name, const char *const *names, size_t n)
{
	size_t length = strlen(name);
	/* A third of the letters may be wrong, and one of a short name. */
	unsigned limit = length < 4 ? 1 : (unsigned)(length / 3);
	const char *best = NULL;
	unsigned best_distance = limit + 1;
	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(names[i]);
		if ((other > length ? other - length : length - other) >= best_distance)
			continue;
		unsigned d = text_distance(name, names[i]);
		if (d < best_distance) {
			best_distance = d;
			best = names[i];
		}
	}
	return best;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* The broad blocks of Unicode's East Asian Width W and F, and of the combining marks; wcwidth() requires a locale. */
static unsigned char_columns(uint32_t c)
{
	static const struct range none[] = {
		{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a }, { 0x064b, 0x065f },
		{ 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
		{ 0x202a, 0x202e }, { 0x2060, 0x2064 }, { 0x20d0, 0x20f0 }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
		{ 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
	};
	static const struct range wide[] = {
		{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x23e9, 0x23ec },	  { 0x2614, 0x2615 },
		{ 0x26a1, 0x26a1 },   { 0x2705, 0x2705 },   { 0x2753, 0x2755 },	  { 0x2e80, 0x303e },
		{ 0x3041, 0xa4cf },   { 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },	  { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },	  { 0x16fe0, 0x18aff },
		{ 0x1b000, 0x1b2ff }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};
	if (in_ranges(c, none, sizeof(none) / sizeof(*none)))
		return 0;
	return in_ranges(c, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}

size_t text_columns(const char *s)
{
	size_t columns = 0, n = strlen(s);
	for (size_t i = 0; i < n;) {
		uint32_t c = 0;
		size_t len = utf8_decode(s + i, n - i, &c);
		columns += !len ? 1 : c < 0x300 ? 1 : char_columns(c);
		i += len ? len : 1;
	}
	return columns;
}
