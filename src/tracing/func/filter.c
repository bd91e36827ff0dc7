#include "tracing/func/filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vector.h"

#define TERMS_MAX 64
#define DEPTH_MAX 32

enum comparison { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, HAS_BITS, LIKE, NOT_LIKE };

static const struct {
	const char *text;
	enum comparison comparison;
} operators[] = { /* the longer ones first */
	{ "==", EQUAL }, { "!=", NOT_EQUAL }, { "<=", LESS_EQUAL }, { ">=", GREATER_EQUAL }, { "!~", NOT_LIKE },
	{ "<", LESS },	 { ">", GREATER },    { "&", HAS_BITS },    { "~", LIKE },
};

struct term {
	const char *name;
	enum comparison comparison;
	bool is_text;
	const char *text;
	uint64_t number;
};

enum op { OP_TERM, OP_AND, OP_OR, OP_NOT };

struct func_filter {
	struct arena arena;
	VEC(struct term) terms;
	VEC(uint8_t) ops; /* in postfix order; terms in theirs */
};

struct parser {
	struct func_filter *f;
	const char *text, *at;
	unsigned depth;
};

static struct strobe_error *wrong(const struct parser *p, const char *what)
{
	return error_create(ERROR_USAGE, "filter \"%s\", column %zu: %s", p->text, (size_t)(p->at - p->text) + 1, what);
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool accept(struct parser *p, const char *word)
{
	skip_blanks(p);
	if (!text_has_prefix(p->at, word))
		return false;
	p->at += strlen(word);
	return true;
}

static struct strobe_error *parse_comparison(struct parser *p, struct term *t)
{
	skip_blanks(p);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (!text_has_prefix(p->at, operators[i].text) || (operators[i].comparison == HAS_BITS && p->at[1] == '&'))
			continue;
		p->at += strlen(operators[i].text);
		t->comparison = operators[i].comparison;
		return NULL;
	}
	return wrong(p, "expected an operator (== != < <= > >= & ~ !~)");
}

static struct strobe_error *parse_number(struct parser *p, struct term *t)
{
	char *end;
	if (*p->at == '\'' && p->at[1] && p->at[2] == '\'') {
		t->number = (unsigned char)p->at[1];
		p->at += 3;
		return NULL;
	}
	t->number = *p->at == '-' ? (uint64_t)strtoll(p->at, &end, 0) : strtoull(p->at, &end, 0);
	if (end == p->at || isalnum((unsigned char)*end))
		return wrong(p, "expected a number or a string in quotes");
	p->at = end;
	return NULL;
}

static struct strobe_error *parse_value(struct parser *p, struct term *t)
{
	skip_blanks(p);
	if (*p->at == '"') {
		const char *end = strchr(p->at + 1, '"');
		if (!end)
			return wrong(p, "the closing quote is missing");
		t->is_text = true;
		t->text = arena_strndup(&p->f->arena, p->at + 1, (size_t)(end - p->at - 1));
		p->at = end + 1;
		if (t->comparison > NOT_EQUAL && t->comparison < LIKE)
			return wrong(p, "strings are compared by == != ~ !~");
		return NULL;
	}
	if (t->comparison >= LIKE)
		return wrong(p, "~ requires a string in quotes");
	return parse_number(p, t);
}

static struct strobe_error *parse_term(struct parser *p)
{
	struct term t = {};
	skip_blanks(p);
	size_t n = 0;
	while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
		n++;
	if (!n || isdigit((unsigned char)*p->at))
		return wrong(p, "expected the name of an argument, or ret");
	if (p->f->terms.len == TERMS_MAX)
		return wrong(p, "too many comparisons");
	t.name = arena_strndup(&p->f->arena, p->at, n);
	p->at += n;
	TRY(parse_comparison(p, &t));
	TRY(parse_value(p, &t));
	vec_push(&p->f->terms, t);
	vec_push(&p->f->ops, OP_TERM);
	return NULL;
}

static struct strobe_error *parse_or(struct parser *p);

static struct strobe_error *parse_factor(struct parser *p)
{
	bool negated = accept(p, "!");
	if (!accept(p, "(")) {
		TRY(parse_term(p));
	} else {
		if (++p->depth > DEPTH_MAX)
			return wrong(p, "too many parentheses");
		TRY(parse_or(p));
		if (!accept(p, ")"))
			return wrong(p, "expected )");
		p->depth--;
	}
	if (negated)
		vec_push(&p->f->ops, OP_NOT);
	return NULL;
}

static struct strobe_error *parse_and(struct parser *p)
{
	TRY(parse_factor(p));
	while (accept(p, "&&")) {
		TRY(parse_factor(p));
		vec_push(&p->f->ops, OP_AND);
	}
	return NULL;
}

static struct strobe_error *parse_or(struct parser *p)
{
	TRY(parse_and(p));
	while (accept(p, "||")) {
		TRY(parse_and(p));
		vec_push(&p->f->ops, OP_OR);
	}
	return NULL;
}

static struct strobe_error *parse_all(struct parser *p)
{
	TRY(parse_or(p));
	skip_blanks(p);
	return *p->at ? wrong(p, "expected && or ||") : NULL;
}

struct strobe_error *func_filter_parse(const char *text, struct func_filter **ret)
{
	struct func_filter *f = xcalloc(1, sizeof(*f));
	struct parser p = { .f = f, .text = text, .at = text };
	arena_init(&f->arena);
	struct strobe_error *err = parse_all(&p);
	if (err) {
		func_filter_destroy(f);
		return err;
	}
	*ret = f;
	return NULL;
}

void func_filter_destroy(struct func_filter *f)
{
	if (!f)
		return;
	vec_deinit(&f->terms);
	vec_deinit(&f->ops);
	arena_deinit(&f->arena);
	free(f);
}

bool func_filter_needs_result(const struct func_filter *f)
{
	for (size_t i = 0; i < f->terms.len; i++)
		if (!strcmp(f->terms.data[i].name, "ret"))
			return true;
	return false;
}

static bool compare_text(const struct term *t, const struct func_value *v)
{
	if (!v->text)
		return false;
	char *copy = xstrndup(v->text, v->text_bytes);
	bool same = t->comparison >= LIKE ? text_glob(t->text, copy) : !strcmp(t->text, copy);
	free(copy);
	return same == (t->comparison == EQUAL || t->comparison == LIKE);
}

static bool compare_numbers(const struct term *t, const struct func_value *v)
{
	uint64_t a = v->number, b = t->number;
	int order = v->is_signed ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);
	switch (t->comparison) {
	case EQUAL:
		return !order;
	case NOT_EQUAL:
		return order;
	case LESS:
		return order < 0;
	case LESS_EQUAL:
		return order <= 0;
	case GREATER:
		return order > 0;
	case GREATER_EQUAL:
		return order >= 0;
	default:
		return a & b;
	}
}

static bool term_matches(const struct term *t, const struct func_call *call)
{
	struct func_value v;
	if (!func_call_value(call, t->name, &v))
		return false;
	return t->is_text ? compare_text(t, &v) : compare_numbers(t, &v);
}

bool func_filter_matches(const struct func_filter *f, const struct func_call *call)
{
	bool stack[TERMS_MAX];
	size_t n = 0, term = 0;
	for (size_t i = 0; i < f->ops.len; i++) {
		switch ((enum op)f->ops.data[i]) {
		case OP_TERM:
			stack[n++] = term_matches(&f->terms.data[term++], call);
			break;
		case OP_AND:
			n--;
			stack[n - 1] &= stack[n];
			break;
		case OP_OR:
			n--;
			stack[n - 1] |= stack[n];
			break;
		case OP_NOT:
			stack[n - 1] = !stack[n - 1];
			break;
		}
	}
	return stack[0];
}
