#include "demangle/haskell_name.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "demangle/letters.h"
#include "demangle/readable.h"

/* GHC has no larger tuples. */
#define TUPLE_MAX 64

static const struct kind {
	const char *ending, *shown;
} kinds[] = {
	/* the longer ones first */
	{ "_con_info", "constructor " },     { "_con_entry", "constructor " },
	{ "_static_info", "constructor " },  { "_static_entry", "constructor " },
	{ "_closure_tbl", "closures for " }, { "_info", "" },
	{ "_entry", "" },                    { "_slow", "slow entry for " },
	{ "_closure", "closure for " },      { "_bytes", "literal " },
	{ "_srt", "reference table for " },
};

static const struct kind *kind_of(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t ending = strlen(kinds[i].ending);
		if (n > ending && !memcmp(name + n - ending, kinds[i].ending, ending))
			return &kinds[i];
	}
	return NULL;
}

bool haskell_is_mangled(const char *name)
{
	if (!is_upper(name[0]) && !is_lower(name[0]))
		return false;
	bool is_known = !strncmp(name, "base_", 5) || !strncmp(name, "Main_main", 9);
	return (is_known || strpbrk(name, "zZ")) && kind_of(name, strlen(name));
}

/* ---- z-encoding ---- */

/* A letter after z or Z, and the character that both stand for. */
static char escaped_character(char first, char second)
{
	static const char lower[] = "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%zz", upper[] = "L(R)M[N]C:ZZ";
	const char *pairs = first == 'z' ? lower : upper;
	for (size_t i = 0; pairs[i]; i += 2)
		if (pairs[i] == second)
			return pairs[i + 1];
	return 0;
}

/* "z3b1U", a character by its number; returns the bytes consumed, 0: it is not. */
static size_t add_numbered(struct strbuf *b, const char *p, size_t n)
{
	uint32_t c = 0;
	size_t i = 1;
	for (; i < n && i < 8 && text_hex_digit(p[i]) >= 0 && !(is_upper(p[i])); i++)
		c = c << 4 | (uint32_t)text_hex_digit(p[i]);
	if (i == n || p[i] != 'U' || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	char bytes[UTF8_MAX];
	strbuf_add(b, bytes, utf8_encode(c, bytes));
	return i + 1;
}

/* "Z0T" is (), "Z3T" (,,), "Z1H" (# #), "Z3H" (#,,#); returns the bytes consumed, 0: it is not. */
static size_t add_tuple(struct strbuf *b, const char *p, size_t n)
{
	size_t i = 1, members = 0;
	for (; i < n && i < 4 && is_digit(p[i]); i++)
		members = members * 10 + (size_t)(p[i] - '0');
	if (i == n || (p[i] != 'T' && p[i] != 'H') || members > TUPLE_MAX || members == (p[i] == 'T' ? 1 : 0))
		return 0;
	strbuf_addstr(b, p[i] == 'T' ? "(" : members == 1 ? "(# " : "(#");
	for (size_t comma = 1; comma < members; comma++)
		strbuf_addch(b, ',');
	strbuf_addstr(b, p[i] == 'T' ? ")" : "#)");
	return i + 1;
}

static bool add_decoded(struct strbuf *b, const char *p, size_t n)
{
	for (size_t took; n; p += took, n -= took) {
		if (*p != 'z' && *p != 'Z') {
			if (!is_digit(*p) && !is_lower(*p) && !is_upper(*p))
				return false;
			strbuf_addch(b, *p);
			took = 1;
			continue;
		}
		char c = n > 1 ? escaped_character(p[0], p[1]) : 0;
		if (c)
			strbuf_addch(b, c);
		took = c ? 2 : *p == 'z' ? add_numbered(b, p, n) : add_tuple(b, p, n);
		if (!took)
			return false;
	}
	return true;
}

/* ---- what is a name of Haskell ---- */

static bool is_word(char c)
{
	return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || c == '\'' || (unsigned char)c >= 0x80;
}

/* "GHC.Base", ":Main": words that begin with capitals. */
static bool is_module(const char *s)
{
	bool is_first = true;
	s += *s == ':';
	for (; *s; s++) {
		if (is_first ? !is_upper(*s) : !is_word(*s) && *s != '.')
			return false;
		is_first = *s == '.';
	}
	return !is_first;
}

/* "base", "containers-0.6.4.1" */
static bool is_package(const char *s)
{
	if (!is_lower(*s))
		return false;
	for (; *s; s++)
		if (!is_word(*s) && *s != '-' && *s != '.')
			return false;
	return true;
}

/*
 * "map", "I#", "+++", "(,)", and what GHC makes of such: "$fShowInt", "C:Show", "$w$sgo8", "!!1"; not letters with operators after
 * them, which a C name would give by chance.
 */
static bool is_name(const char *s)
{
	if (strchr(s, '$') || (is_upper(s[0]) && s[1] == ':'))
		return true;
	if (!*s || is_digit(*s))
		return false;
	while (*s && !is_word(*s))
		s++;
	while (is_word(*s))
		s++;
	return !s[strspn(s, "#")];
}

/* Whether the decoded text has what no name of C has. */
static bool is_surely_haskell(const char *package, const char *module, const char *name)
{
	if (!strcmp(package, "base") || strchr(package, '-') || strchr(module, '.') || *module == ':')
		return true;
	if (!*package && !strcmp(module, "Main") && !strncmp(name, "main", 4) && !name[4 + strspn(name + 4, "0123456789")])
		return true;
	for (const char *c = name; *c; c++)
		if (!is_word(*c) || *c == '\'')
			return true;
	return false;
}

/* The next part up to '_' or the end, decoded. */
static bool take_part(const char **at, const char *end, struct strbuf *ret)
{
	const char *close = memchr(*at, '_', (size_t)(end - *at));
	size_t n = (size_t)((close ? close : end) - *at);
	bool is_fine = n && add_decoded(ret, *at, n);
	*at = close ? close + 1 : NULL;
	return is_fine && name_is_readable(ret->data, ret->len);
}

char *haskell_demangle(const char *mangled, bool whole)
{
	if (!haskell_is_mangled(mangled))
		return NULL;
	size_t length = strlen(mangled);
	const struct kind *kind = kind_of(mangled, length);
	const char *at = mangled, *end = mangled + length - strlen(kind->ending);
	_cleanup_strbuf_ struct strbuf package = {}, module = {}, name = {}, b = {};
	if (is_lower(*at) && (!take_part(&at, end, &package) || !at))
		return NULL;
	if (!take_part(&at, end, &module) || !at || !take_part(&at, end, &name) || at)
		return NULL;
	const char *of = strbuf_str(&package);
	if ((*of && !is_package(of)) || !is_module(module.data) || !is_name(name.data) || !is_surely_haskell(of, module.data, name.data))
		return NULL;
	strbuf_addstr(&b, kind->shown);
	if (whole && *of)
		strbuf_addf(&b, "%s:", of);
	strbuf_addf(&b, "%s.%s", module.data, name.data);
	return strbuf_take(&b);
}
