#include "probe/filter.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"

#define DEPTH_MAX 64 /* maximum nesting of parentheses and '!' */
#define SIGNS	  "!&|()"
#define BLANKS	  " \t\n"

struct probe_filter {
	char kind; /* 0: a glob; else the operator */
	const char *glob;
	const struct probe_filter *left, *right; /* '!' only has left */
};

struct parser {
	const char *text, *at;
	struct arena *arena;
	unsigned depth;
};

static const struct probe_filter *make(struct arena *a, char kind, const struct probe_filter *left, const struct probe_filter *right)
{
	struct probe_filter *f = arena_calloc(a, sizeof(*f));
	*f = (struct probe_filter){ .kind = kind, .left = left, .right = right };
	return f;
}

static char peek(struct parser *p)
{
	p->at += strspn(p->at, BLANKS);
	return *p->at;
}

static struct strobe_error *wrong(const struct parser *p)
{
	if (!*p->at)
		return error_create(ERROR_USAGE, "the filter '%s' ends too early", p->text);
	return error_create(ERROR_USAGE, "unexpected '%s' in the filter '%s'", p->at, p->text);
}

static struct strobe_error *parse_any(struct parser *p, const struct probe_filter **ret);

static struct strobe_error *parse_one(struct parser *p, const struct probe_filter **ret)
{
	char c = peek(p);
	if (p->depth > DEPTH_MAX)
		return error_create(ERROR_USAGE, "the filter '%s' is nested too deep", p->text);
	if (c == '!' || c == '(') {
		p->at++;
		p->depth++;
		TRY(c == '!' ? parse_one(p, ret) : parse_any(p, ret));
		p->depth--;
		if (c == '!')
			*ret = make(p->arena, '!', *ret, NULL);
		else if (peek(p) != ')')
			return wrong(p);
		p->at += c == '(';
		return NULL;
	}
	size_t n = strcspn(p->at, SIGNS BLANKS);
	if (!n)
		return wrong(p);
	struct probe_filter *f = arena_calloc(p->arena, sizeof(*f));
	f->glob = arena_strndup(p->arena, p->at, n);
	p->at += n;
	*ret = f;
	return NULL;
}

static struct strobe_error *parse_all(struct parser *p, const struct probe_filter **ret)
{
	TRY(parse_one(p, ret));
	while (peek(p) == '&') {
		const struct probe_filter *right;
		p->at++;
		TRY(parse_one(p, &right));
		*ret = make(p->arena, '&', *ret, right);
	}
	return NULL;
}

static struct strobe_error *parse_any(struct parser *p, const struct probe_filter **ret)
{
	TRY(parse_all(p, ret));
	while (peek(p) == '|') {
		const struct probe_filter *right;
		p->at++;
		TRY(parse_all(p, &right));
		*ret = make(p->arena, '|', *ret, right);
	}
	return NULL;
}

struct strobe_error *probe_filter_parse(const char *text, struct arena *arena, const struct probe_filter **ret)
{
	struct parser p = { .text = text, .at = text, .arena = arena };
	TRY(parse_any(&p, ret));
	return peek(&p) ? wrong(&p) : NULL;
}

const struct probe_filter *probe_filter_or(const struct probe_filter *a, const struct probe_filter *b, struct arena *arena)
{
	return a && b ? make(arena, '|', a, b) : a ? a : b;
}

bool probe_filter_matches(const struct probe_filter *f, const char *name)
{
	if (!f)
		return true;
	switch (f->kind) {
	case '!': return !probe_filter_matches(f->left, name);
	case '&': return probe_filter_matches(f->left, name) && probe_filter_matches(f->right, name);
	case '|': return probe_filter_matches(f->left, name) || probe_filter_matches(f->right, name);
	default: return text_glob(f->glob, name);
	}
}

bool probe_filter_matches_event(const struct probe_filter *f, const char *group, const char *event)
{
	_cleanup_strbuf_ struct strbuf both = {};
	strbuf_addf(&both, "%s:%s", group, event);
	return probe_filter_matches(f, event) || probe_filter_matches(f, strbuf_str(&both));
}
