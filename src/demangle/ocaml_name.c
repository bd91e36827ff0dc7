#include "demangle/ocaml_name.h"

#include <stddef.h>
#include <string.h>

#include "base/strbuf.h"
#include "demangle/letters.h"
#include "demangle/readable.h"

bool ocaml_is_mangled(const char *name)
{
	return !strncmp(name, "caml", 4) && is_upper(name[4]);
}

/* Lower-case only, as the compiler writes them. */
static int hex_digit(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* p[0..n) with "$3e" as '>'; false: an escape is not one. */
static bool add_unescaped(struct strbuf *b, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != '$') {
			strbuf_addch(b, p[i]);
			continue;
		}
		int high = n - i > 2 ? hex_digit(p[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(p[i + 2]);
		if (low < 0)
			return false;
		strbuf_addch(b, (char)(high << 4 | low));
		i += 2;
	}
	return true;
}

/*
 * Where the unit's name ends: at ".", or, in old names, after its last part that begins with an upper-case letter. A function's
 * name may contain "__", too, and operators begin with an escape.
 */
static const char *end_of_unit(const char *unit, size_t *ret_separator)
{
	size_t length = strcspn(unit, ".$");
	if (unit[length] == '.') {
		*ret_separator = 1;
		return unit + length;
	}
	const char *end = strstr(unit, "__");
	*ret_separator = 2;
	for (const char *at = end; at && at[2] != '_' && at[2] != '$'; at = strstr(at + 2, "__"))
		if (is_upper(at[2])) {
			const char *after = strstr(at + 2, "__");
			end = after ? after : end;
		}
	return end;
}

/* The length without "_200", which tells functions of one name apart. */
static size_t without_stamp(const char *name, size_t n)
{
	size_t digits = 0;
	while (digits < n && is_digit(name[n - digits - 1]))
		digits++;
	return digits && n > digits + 1 && name[n - digits - 1] == '_' ? n - digits - 1 : n;
}

static size_t shown_length(const char *name, bool whole)
{
	static const char code[] = "_code"; /* flambda 2: "add_12_200_code" */
	size_t n = strlen(name), end = sizeof(code) - 1;
	if (whole)
		return n;
	if (n > end && !strcmp(name + n - end, code)) {
		size_t once = without_stamp(name, n - end), twice = without_stamp(name, once);
		return twice < once ? twice : n;
	}
	size_t shown = without_stamp(name, n);
	return shown == 3 && !memcmp(name, "fun", 3) ? n : shown;
}

char *ocaml_demangle(const char *name, bool whole)
{
	_cleanup_strbuf_ struct strbuf b = {};
	if (!ocaml_is_mangled(name))
		return NULL;
	size_t separator;
	const char *unit = name + 4, *end = end_of_unit(unit, &separator);
	if (!end || !end[separator])
		return NULL;
	for (const char *part = unit; part < end;) {
		const char *next = strstr(part, "__");
		size_t n = (size_t)((next && next < end ? next : end) - part);
		strbuf_add(&b, part, n);
		strbuf_addch(&b, '.');
		part += part + n < end ? n + 2 : n;
	}
	if (!add_unescaped(&b, end + separator, shown_length(end + separator, whole)) || !name_is_readable(b.data, b.len))
		return NULL;
	return strbuf_take(&b);
}
