#include "cmd/trace/choose.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* The end of a word: a comma that is in no braces and between no slashes of an event's terms. */
static const char *word_end(const char *p)
{
	bool terms = false;
	unsigned depth = 0;
	if (*p == '/')
		return p + strcspn(p, ",");
	for (; *p; p++) {
		if (*p == '/')
			terms = !terms;
		else if (*p == '{' && !terms)
			depth++;
		else if (*p == '}' && !terms && depth)
			depth--;
		else if (*p == ',' && !terms && !depth)
			break;
	}
	return p;
}

/* What no system call is called like may be an event (cycles); where it is none, the calls' message is the better one. */
static struct strobe_error *take_unknown(struct trace_options *o, const char *word, bool *ret_taken)
{
	_cleanup_error_ struct strobe_error *err = event_parse(&o->events, sys_live(), word);
	*ret_taken = !err;
	return NULL;
}

static struct strobe_error *take_word(struct trace_options *o, const char *word, struct strbuf *calls)
{
	bool is_event = *word == '{' || (strpbrk(word, ":/") && *word != '/' && *word != '%');
	if (is_event)
		return event_parse(&o->events, sys_live(), word);
	if (!syscall_is_known_word(word) && !strpbrk(word, "*?[="))
		TRY(take_unknown(o, word, &is_event));
	if (!is_event)
		strbuf_addf(calls, "%s%s", calls->len ? "," : "", word);
	return NULL;
}

struct strobe_error *trace_choose(struct trace_options *o, const char *text)
{
	_cleanup_strbuf_ struct strbuf calls = {};
	const char *end;
	bool negated = *text == '!';
	if (o->calls && (negated || *o->calls == '!'))
		return error_create(ERROR_USAGE, "a list that begins with ! cannot be combined with others");
	o->last_events = o->events.events.len;
	if (o->calls)
		strbuf_addf(&calls, "%s", o->calls);
	for (const char *p = text; *p; p = *end ? end + 1 : end) {
		end = word_end(p);
		_cleanup_free_ char *word = xstrndup(p, (size_t)(end - p));
		if (negated)
			strbuf_addf(&calls, "%s%s", calls.len ? "," : "", word);
		else if (*word)
			TRY(take_word(o, word, &calls));
	}
	if (!calls.len)
		return NULL;
	free(o->calls_owned);
	o->calls = o->calls_owned = xstrdup(strbuf_str(&calls));
	return NULL;
}
