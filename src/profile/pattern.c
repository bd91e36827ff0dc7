#include "profile/pattern.h"

#include <string.h>

#include "base/strbuf.h"

/* Inside of brackets a class is a range without further brackets. */
static void add_escape(struct strbuf *b, char c, bool in_brackets)
{
	if (c == 'd')
		strbuf_addstr(b, in_brackets ? "0-9" : "[0-9]");
	else if (c == 'w' && in_brackets)
		strbuf_addstr(b, "[:alnum:]_");
	else if (c == 's' && in_brackets)
		strbuf_addstr(b, "[:space:]");
	else if (c == 'D' && !in_brackets)
		strbuf_addstr(b, "[^0-9]");
	else if (in_brackets)
		strbuf_addch(b, c);
	else
		strbuf_addf(b, "\\%c", c);
}

static void translate(const char *s, struct strbuf *b)
{
	bool in_brackets = false;
	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			add_escape(b, *++s, in_brackets);
		} else if (in_brackets) {
			in_brackets = *s != ']';
			strbuf_addch(b, *s);
		} else if (*s == '[') {
			size_t n = s[1] == '^' ? 2 : 1;
			n += s[n] == ']';
			strbuf_add(b, s, n);
			s += n - 1;
			in_brackets = true;
		} else if (!strncmp(s, "(?:", 3)) {
			strbuf_addch(b, '(');
			s += 2;
		} else {
			strbuf_addch(b, *s);
			if (strchr("*+?}", *s) && s[1] == '?')
				s++;
		}
	}
}

struct strobe_error *pattern_compile(const char *expression, regex_t *ret)
{
	_cleanup_strbuf_ struct strbuf posix = {};
	char why[200];
	bool ignores_case = !strncmp(expression, "(?i)", 4);
	translate(expression + (ignores_case ? 4 : 0), &posix);
	int failed = regcomp(ret, strbuf_str(&posix), REG_EXTENDED | REG_NOSUB | (ignores_case ? REG_ICASE : 0));
	if (!failed)
		return NULL;
	regerror(failed, ret, why, sizeof(why));
	return error_create(ERROR_USAGE, "invalid regular expression '%s': %s", expression, why);
}
