#include "ftrace/duration.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 32 /* maximum bytes of a duration */

/* The function after the bar: "f();", "f [module]();", or the comment after a brace. */
static void find_function(const char *p, const char *end, struct ftrace_duration *ret)
{
	static const char open[] = "/* ", close[] = " */";
	while (p < end && isspace((unsigned char)*p))
		p++;
	const char *stop = NULL;
	if (p < end && *p == '}') {
		p = memmem(p, (size_t)(end - p), open, sizeof(open) - 1);
		p = p ? p + sizeof(open) - 1 : end;
		stop = memmem(p, (size_t)(end - p), close, sizeof(close) - 1);
	} else {
		stop = memchr(p, '(', (size_t)(end - p));
	}
	ret->function = p;
	ret->function_bytes = stop ? (size_t)(stop - p) : 0;
}

bool ftrace_duration_parse(const char *line, size_t n, struct ftrace_duration *ret)
{
	const char *end = line + n, *bar = memchr(line, '|', n);
	const char *p = bar ? memchr(line, ')', (size_t)(bar - line)) : NULL;
	char number[NUMBER_MAX], *rest;
	if (!p)
		return false;
	while (p < bar && !isdigit((unsigned char)*p))
		p++;
	size_t digits = strspn(p, "0123456789.");
	if (!digits || digits >= sizeof(number) || p + digits + 3 > bar || memcmp(p + digits, " us", 3) != 0)
		return false;
	memcpy(number, p, digits);
	number[digits] = 0;
	ret->us = strtod(number, &rest);
	if (*rest)
		return false;
	find_function(bar + 1, end, ret);
	return true;
}

unsigned long ftrace_lost_events(const char *line, size_t n)
{
	static const char word[] = "[LOST ";
	const char *at = n > 4 && !memcmp(line, "CPU:", 4) ? memmem(line, n, word, sizeof(word) - 1) : NULL;
	unsigned long lost = 0;
	for (at = at ? at + sizeof(word) - 1 : line + n; at < line + n && isdigit((unsigned char)*at) && lost < ~0UL / 100; at++)
		lost = lost * 10 + (unsigned long)(*at - '0');
	return lost;
}
