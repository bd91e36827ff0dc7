#include "demangle/rust_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "demangle/rust_v0.h"

/* "h" and 16 hex digits; with too few different digits it is not a hash. */
static bool is_hash(const char *ident, size_t n)
{
	unsigned seen = 0;
	if (n != 17 || ident[0] != 'h')
		return false;
	for (size_t i = 1; i < n; i++) {
		int digit = text_hex_digit(ident[i]);
		if (digit < 0 || isupper((unsigned char)ident[i]))
			return false;
		seen |= 1u << digit;
	}
	return __builtin_popcount(seen) >= 5;
}

void rust_add_utf8(struct strbuf *b, uint32_t c)
{
	char bytes[UTF8_MAX];
	strbuf_add(b, bytes, utf8_encode(c, bytes));
}

/* $LT$ and the like, $u20$; returns the number of bytes consumed, 0 if it is not an escape. */
static size_t add_escape(struct strbuf *b, const char *p, size_t n)
{
	static const struct {
		const char *code;
		char means;
	} escapes[] = { { "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' },
			{ "GT", '>' }, { "LP", '(' }, { "RP", ')' }, { "C", ',' } };
	const char *close = n > 1 ? memchr(p + 1, '$', n - 1) : NULL;
	if (!close)
		return 0;
	size_t length = (size_t)(close - p - 1);
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++)
		if (strlen(escapes[i].code) == length && !memcmp(p + 1, escapes[i].code, length)) {
			strbuf_addch(b, escapes[i].means);
			return length + 2;
		}
	if (p[1] != 'u' || length < 2 || length > 7)
		return 0;
	uint32_t c = 0;
	for (const char *h = p + 2; h < close; h++) {
		int digit = text_hex_digit(*h);
		if (digit < 0 || isupper((unsigned char)*h))
			return 0;
		c = c << 4 | (uint32_t)digit;
	}
	if (c < 0x20 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	rust_add_utf8(b, c);
	return length + 2;
}

static void add_legacy_ident(struct strbuf *b, const char *p, size_t n)
{
	if (n >= 2 && p[0] == '_' && p[1] == '$') { /* added so that it began like a C++ identifier */
		p++;
		n--;
	}
	while (n) {
		size_t took = *p == '$' ? add_escape(b, p, n) : 0;
		if (*p == '$' && !took) { /* unknown escape: the rest is copied */
			strbuf_add(b, p, n);
			return;
		}
		if (!took && n >= 2 && p[0] == '.' && p[1] == '.') {
			strbuf_addstr(b, "::");
			took = 2;
		}
		if (!took) {
			strbuf_addch(b, *p);
			took = 1;
		}
		p += took;
		n -= took;
	}
}

/* <number><identifier> at *at, before end; false if malformed. */
static bool next_ident(const char **at, const char *end, const char **ret, size_t *ret_n)
{
	const char *p = *at;
	size_t n = 0;
	if (p == end || *p < '1' || *p > '9')
		return false;
	while (p < end && *p >= '0' && *p <= '9' && n < 100000)
		n = n * 10 + (size_t)(*p++ - '0');
	if (n > (size_t)(end - p))
		return false;
	*ret = p;
	*ret_n = n;
	*at = p + n;
	return true;
}

/* _ZN <identifiers> 17h<hash> E, possibly with a suffix that begins with a dot. */
static char *demangle_legacy(const char *name)
{
	const char *p = name + 3, *ident = NULL, *last = NULL;
	size_t n = 0, count = 0;
	const char *end = name + strlen(name), *at = p;
	while (next_ident(&at, end, &ident, &n)) {
		last = ident;
		count++;
	}
	if (count < 2 || *at != 'E' || (at[1] && at[1] != '.') || !is_hash(ident, n))
		return NULL;
	for (const char *c = p; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_$.:@", *c))
			return NULL;
	_cleanup_strbuf_ struct strbuf b = {};
	for (at = p; next_ident(&at, end, &ident, &n) && ident != last;) {
		if (b.len)
			strbuf_addstr(&b, "::");
		add_legacy_ident(&b, ident, n);
	}
	return xstrdup(strbuf_str(&b));
}

char *rust_demangle(const char *name)
{
	if (name[0] != '_')
		return NULL;
	if (name[1] == 'R')
		return rust_v0_demangle(name + 2);
	if (name[1] == 'Z' && name[2] == 'N')
		return demangle_legacy(name);
	return NULL;
}
