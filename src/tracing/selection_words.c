/* Parses the argument of -e: system calls (decode/syscall.h) and events (event/event.h), word by word. */
#include "tracing/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "decode/syscall.h"

/*
 * The end of a word: a comma outside of braces, parentheses and slashes of event terms. For a probe, whose path has slashes, terms come
 * after the parentheses.
 */
static const char *word_end(const char *p)
{
	bool terms = false, is_probe = event_is_probe(p);
	unsigned depth = 0;
	if (*p == '/')
		return p + strcspn(p, ",");
	for (; *p; p++) {
		if (*p == '/' && !is_probe)
			terms = !terms;
		else if (strchr("{(", *p) && !terms)
			depth++;
		else if (strchr("})", *p) && !terms && depth)
			is_probe &= --depth > 0 || *p == '}';
		else if (*p == ',' && !terms && !depth)
			break;
	}
	return p;
}

/* A word that is not a system call may be an event (cycles); for an unknown one, the message for calls is the better one. */
static bool take_as_event(struct trace_selection *s, const struct sys *sys, const char *word)
{
	_cleanup_error_ struct strobe_error *err = event_parse(&s->events, sys, word);
	return !err;
}

static struct strobe_error *take_word(struct trace_selection *s, const struct sys *sys, const char *word, struct strbuf *calls)
{
	if (*word == '{' || event_is_probe(word) || (strpbrk(word, ":/") && *word != '/' && *word != '%'))
		return event_parse(&s->events, sys, word);
	if (!syscall_is_known_word(word) && !strpbrk(word, "*?[=") && take_as_event(s, sys, word))
		return NULL;
	strbuf_addf(calls, "%s%s", calls->len ? "," : "", word);
	return NULL;
}

struct strobe_error *trace_selection_add(struct trace_selection *s, const struct sys *sys, const char *text)
{
	_cleanup_strbuf_ struct strbuf calls = {};
	const char *end;
	bool negated = *text == '!';
	if (s->calls && (negated || *s->calls == '!'))
		return error_create(ERROR_USAGE, "a list that begins with ! cannot be combined with others");
	if (s->calls)
		strbuf_addf(&calls, "%s", s->calls);
	for (const char *p = text; *p; p = *end ? end + 1 : end) {
		end = word_end(p);
		_cleanup_free_ char *word = xstrndup(p, (size_t)(end - p));
		if (negated)
			strbuf_addf(&calls, "%s%s", calls.len ? "," : "", word);
		else if (*word)
			TRY(take_word(s, sys, word, &calls));
	}
	if (!calls.len)
		return NULL;
	free(s->calls);
	s->calls = xstrdup(strbuf_str(&calls));
	return NULL;
}
