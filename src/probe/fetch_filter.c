#include "probe/fetch_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define DEPTH_MAX 32 /* maximum nesting of parentheses and '!' */

/* An expression: a test, or two combined expressions. */
struct node {
	char kind;       /* 't', '&', '|', '!' */
	unsigned first;  /* its first test */
	struct node *left, *right;
};

struct parser {
	const char *text, *at;
	const struct fetch_plan *plan;
	const struct fetch_format *format;
	struct fetch_plan_filter *to;
	struct arena arena;
	unsigned depth;
};

static const struct {
	const char *text;
	uint8_t op;
	bool of_texts, is_negated;
} operators[] = {
	{ "==", FETCH_PLAN_EQ, true, false },
	{ "!=", FETCH_PLAN_NE, true, true },
	{ "<=", FETCH_PLAN_LE, false, false },
	{ ">=", FETCH_PLAN_GE, false, false },
	{ "<", FETCH_PLAN_LT, false, false },
	{ ">", FETCH_PLAN_GT, false, false },
	{ "~", FETCH_PLAN_TEXT_BEGINS, true, false },
	{ "&", FETCH_PLAN_AND, false, false },
};
#define OPERATORS (sizeof(operators) / sizeof(*operators))

static struct strobe_error *wrong(const struct parser *p, const char *what)
{
	return error_create(ERROR_USAGE, "filter \"%s\", column %zu: %s", p->text, (size_t)(p->at - p->text) + 1, what);
}

static char peek(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
	return *p->at;
}

static bool accept(struct parser *p, const char *word)
{
	peek(p);
	if (!text_has_prefix(p->at, word))
		return false;
	p->at += strlen(word);
	return true;
}

/* ---- a test ---- */

static struct strobe_error *unknown_field(const struct parser *p, const char *name, size_t bytes)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (uint32_t i = 0; i < p->format->nr; i++)
		strbuf_addf(&names, "%s, ", p->format->fields[i].name);
	strbuf_addstr(&names, "common_pid");
	return error_create(ERROR_USAGE, "filter \"%s\": the probe has no field '%.*s'; its fields are: %s", p->text, (int)bytes, name,
			    strbuf_str(&names));
}

static struct strobe_error *parse_field(struct parser *p, struct fetch_plan_test *t, bool *ret_is_text)
{
	static const struct {
		const char *name;
		uint16_t at;
		uint8_t bytes;
	} common[] = { { "common_pid", 4, 4 }, { "__probe_ip", 8, 8 }, { "__probe_func", 8, 8 }, { "__probe_ret_ip", 16, 8 } };
	const char *name = p->at;
	size_t n = 0;
	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	p->at += n;
	*ret_is_text = false;
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (strlen(common[i].name) == n && !memcmp(common[i].name, name, n)) {
			*t = (struct fetch_plan_test){ .at = common[i].at, .bytes = common[i].bytes, .is_signed = common[i].bytes == 4 };
			return NULL;
		}
	for (uint32_t i = 0; i < p->format->nr; i++) {
		const struct fetch_plan_arg *a = &p->plan->arg[i];
		if (strlen(p->format->fields[i].name) != n || memcmp(p->format->fields[i].name, name, n) != 0)
			continue;
		if (a->count)
			return wrong(p, "arrays cannot be compared");
		*ret_is_text = a->what == FETCH_PLAN_STRING;
		*t = (struct fetch_plan_test){ .at = a->at, .bytes = a->bytes, .is_signed = a->is_signed };
		return NULL;
	}
	return n ? unknown_field(p, name, n) : wrong(p, "expected the name of a field");
}

static struct strobe_error *parse_number(struct parser *p, struct fetch_plan_test *t)
{
	char *end;
	if (p->at[0] == '\'' && p->at[1] && p->at[2] == '\'') {
		t->value = (unsigned char)p->at[1];
		p->at += 3;
		return NULL;
	}
	t->value = *p->at == '-' ? (uint64_t)strtoll(p->at, &end, 0) : strtoull(p->at, &end, 0);
	if (end == p->at || isalnum((unsigned char)*end))
		return wrong(p, "expected a number");
	p->at = end;
	return NULL;
}

static struct strobe_error *parse_text(struct parser *p, struct fetch_plan_test *t)
{
	const char *begin = p->at + 1, *end = *p->at == '"' ? strchr(begin, '"') : NULL;
	if (!end)
		return wrong(p, "expected a string in double quotes");
	size_t n = (size_t)(end - begin);
	bool begins = t->op == FETCH_PLAN_TEXT_BEGINS && n && begin[n - 1] == '*';
	n -= begins;
	if (t->op == FETCH_PLAN_TEXT_BEGINS && strcspn(begin, "*?[\"") < n)
		return wrong(p, "the only pattern that the kernel can filter is \"TEXT*\"");
	if (n >= FETCH_PLAN_TEXT_BYTES)
		return wrong(p, "the string is too long to be compared in the kernel (47 bytes)");
	memcpy(t->text, begin, n);
	t->text_bytes = (uint8_t)n;
	t->op = begins ? FETCH_PLAN_TEXT_BEGINS : FETCH_PLAN_TEXT_IS;
	p->at = end + 1;
	return NULL;
}

static struct strobe_error *parse_test(struct parser *p, struct node *ret)
{
	bool is_text;
	size_t i = 0;
	if (p->to->tests_nr == FETCH_PLAN_TESTS)
		return wrong(p, "a filter of a probe has 16 comparisons at most");
	struct fetch_plan_test *t = &p->to->test[p->to->tests_nr];
	peek(p);
	TRY(parse_field(p, t, &is_text));
	while (i < OPERATORS && !accept(p, operators[i].text))
		i++;
	if (i == OPERATORS)
		return wrong(p, is_text ? "expected ==, != or ~" : "expected an operator (== != < <= > >= &)");
	bool is_pattern = operators[i].op == FETCH_PLAN_TEXT_BEGINS;
	if (is_text ? !operators[i].of_texts : is_pattern)
		return wrong(p, is_text ? "strings are compared by ==, != or ~" : "numbers are compared by == != < <= > >= &");
	t->op = operators[i].op;
	peek(p);
	TRY(is_text ? parse_text(p, t) : parse_number(p, t));
	*ret = (struct node){ .kind = 't', .first = p->to->tests_nr++ };
	if (!is_text || !operators[i].is_negated)
		return NULL;
	struct node *test = arena_memdup(&p->arena, ret, sizeof(*ret));
	*ret = (struct node){ .kind = '!', .first = test->first, .left = test };
	return NULL;
}

/* ---- expressions ---- */

static struct strobe_error *parse_any(struct parser *p, struct node *ret);

static struct strobe_error *parse_one(struct parser *p, struct node *ret)
{
	char c = peek(p);
	if (p->depth > DEPTH_MAX)
		return wrong(p, "it is nested too deep");
	if (c != '(' && c != '!')
		return parse_test(p, ret);
	p->at++;
	p->depth++;
	TRY(c == '(' ? parse_any(p, ret) : parse_one(p, ret));
	p->depth--;
	if (c == '(')
		return accept(p, ")") ? NULL : wrong(p, "expected ')'");
	struct node *inner = arena_memdup(&p->arena, ret, sizeof(*ret));
	*ret = (struct node){ .kind = '!', .first = inner->first, .left = inner };
	return NULL;
}

static void join(struct parser *p, char kind, struct node *left, const struct node *right)
{
	struct node *l = arena_memdup(&p->arena, left, sizeof(*left)), *r = arena_memdup(&p->arena, right, sizeof(*right));
	*left = (struct node){ .kind = kind, .first = l->first, .left = l, .right = r };
}

static struct strobe_error *parse_all(struct parser *p, struct node *ret)
{
	struct node right;
	TRY(parse_one(p, ret));
	while (accept(p, "&&")) {
		TRY(parse_one(p, &right));
		join(p, '&', ret, &right);
	}
	return NULL;
}

static struct strobe_error *parse_any(struct parser *p, struct node *ret)
{
	struct node right;
	TRY(parse_all(p, ret));
	while (accept(p, "||")) {
		TRY(parse_all(p, &right));
		join(p, '|', ret, &right);
	}
	return NULL;
}

/* Tests are in the order of the text, so the first test of the right side follows the left side. */
static void settle(struct fetch_plan_filter *f, const struct node *n, uint8_t when_true, uint8_t when_false)
{
	switch (n->kind) {
	case '&':
		settle(f, n->left, (uint8_t)n->right->first, when_false);
		settle(f, n->right, when_true, when_false);
		break;
	case '|':
		settle(f, n->left, when_true, (uint8_t)n->right->first);
		settle(f, n->right, when_true, when_false);
		break;
	case '!':
		settle(f, n->left, when_false, when_true);
		break;
	default:
		f->test[n->first].when_true = when_true;
		f->test[n->first].when_false = when_false;
	}
}

struct strobe_error *fetch_filter_parse(const char *text, const struct fetch_plan *plan, const struct fetch_format *format,
					struct fetch_plan_filter *ret)
{
	struct parser p = { .text = text, .at = text, .plan = plan, .format = format, .to = ret };
	struct node all;
	*ret = (struct fetch_plan_filter){};
	arena_init(&p.arena);
	struct strobe_error *err = parse_any(&p, &all);
	if (!err && peek(&p))
		err = wrong(&p, "expected &&, || or the end");
	if (!err)
		settle(ret, &all, FETCH_PLAN_PASSES, FETCH_PLAN_FAILS);
	arena_deinit(&p.arena);
	return err;
}
