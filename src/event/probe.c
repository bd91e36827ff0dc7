/*
 * Probes among events: finds the end of their text, and converts it to a definition for strobe probe.
 *
 *	u:FILE:PLACE(ARGUMENT, …)   ur:FILE:FUNCTION($retval)   k:PLACE(ARGUMENT, …)   kr:FUNCTION($retval)
 *
 * Places and arguments have the syntax of strobe probe (probe/definition.h). Parentheses are omitted without arguments. A backslash
 * removes the special meaning of the next character.
 */
#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "event/parse_priv.h"

static const struct {
	const char *begin;
	bool is_kernel, is_return;
} kinds[] = {
	{ "u:", false, false },
	{ "ur:", false, true },
	{ "k:", true, false },
	{ "kr:", true, true },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static size_t kind_of(const char *text)
{
	size_t i = 0;
	while (i < KINDS && !text_has_prefix(text, kinds[i].begin))
		i++;
	return i;
}

bool event_is_probe(const char *text)
{
	return kind_of(text) < KINDS;
}

/* The first character of `set`, or blank, without a backslash before it; else the end. */
static const char *find_end(const char *text, const char *set)
{
	while (*text && !isspace((unsigned char)*text) && !strchr(set, *text))
		text += 1 + (*text == '\\' && text[1]);
	return text;
}

/* Up to the colon that ends it. */
static struct strobe_error *parse_path(struct parser *p, const char **ret)
{
	_cleanup_strbuf_ struct strbuf path = {};
	const char *start = p->at, *end = find_end(start, ":,{}");
	if (*end != ':' || end == start)
		return parse_fail(p, start, "expected the path of a program or library and a place in it: u:/usr/bin/zsh:zfree");
	for (const char *at = start; at < end; at++) {
		at += *at == '\\';
		strbuf_addch(&path, *at);
	}
	*ret = arena_strdup(&p->list->arena, strbuf_str(&path));
	p->at = end + 1;
	return NULL;
}

/* The end of an argument: a comma or closing parenthesis outside of nested ones. */
static const char *argument_end(const char *text)
{
	unsigned depth = 0;
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (*text == '(')
			depth++;
		else if ((*text == ')' && !depth) || (*text == ',' && !depth))
			break;
		else if (*text == ')')
			depth--;
	}
	return text;
}

static void trim(const char **begin, const char **end)
{
	while (*begin < *end && isspace((unsigned char)**begin))
		++*begin;
	while (*end > *begin && isspace((unsigned char)(*end)[-1]))
		--*end;
}

/* "(p=%di, sz)" at p->at: words for the definition. */
static struct strobe_error *parse_arguments(struct parser *p, struct strbuf *definition)
{
	const char *open = p->at++;
	for (size_t nr = 0;; nr++) {
		const char *begin = p->at, *end = argument_end(begin), *last = end;
		trim(&begin, &last);
		if (!*end)
			return parse_fail(p, open, "unmatched (");
		if (begin == last && (nr || *end == ',')) /* "()" has none */
			return parse_fail(p, end, "expected an argument before '%c'", *end);
		for (const char *at = begin; at < last; at++)
			if (isspace((unsigned char)*at))
				return parse_fail(p, at, "arguments are separated by commas");
		if (begin < last)
			strbuf_addf(definition, " %.*s", (int)(last - begin), begin);
		p->at = end + 1;
		if (*end == ')')
			return NULL;
	}
}

struct strobe_error *parse_probe_text(struct parser *p)
{
	size_t kind = kind_of(p->at);
	struct event_probe probe = { .is_return = kinds[kind].is_return };
	_cleanup_strbuf_ struct strbuf definition = {};
	p->at += strlen(kinds[kind].begin);
	if (!kinds[kind].is_kernel)
		TRY(parse_path(p, &probe.path));
	const char *place = p->at, *end = find_end(place, "(,{}");
	if (end == place)
		return parse_fail(p, place, "expected a place: a function, FUNCTION+OFFSET, or FILE.c:LINE");
	strbuf_addf(&definition, "%.*s%s", (int)(end - place), place, probe.is_return ? "%return" : "");
	p->at = end;
	if (*end == '(')
		TRY(parse_arguments(p, &definition));
	probe.definition = arena_strdup(&p->list->arena, strbuf_str(&definition));
	struct event *e = event_list_add(p->list, EVENT_PROBE, PERF_TYPE_TRACEPOINT, 0, "");
	e->probe = arena_memdup(&p->list->arena, &probe, sizeof(probe));
	return NULL;
}
