#include "counter/metric_expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 100

enum metric_op {
	OP_NUMBER,
	OP_NAME,
	OP_NEGATE,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_MORE,
	OP_MORE_EQUAL,
	OP_EQUAL,
	OP_UNEQUAL,
	OP_AND,
	OP_OR,
	OP_IF, /* a if b else c */
	OP_MIN,
	OP_MAX,
	OP_RATIO,
};

struct metric_node {
	enum metric_op op;
	double number;
	const char *name;
	struct metric_node *a, *b, *c;
};

struct reader {
	struct arena *arena;
	const char *text, *at;
	unsigned depth;
	struct strobe_error *error; /* the first */
};

static struct metric_node *parse_expr(struct reader *r);

static struct metric_node *fail(struct reader *r, const char *what)
{
	if (!r->error)
		r->error = error_create(ERROR_USAGE, "metric '%s', column %zu: %s", r->text, (size_t)(r->at - r->text) + 1, what);
	return NULL;
}

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static bool take(struct reader *r, const char *word)
{
	size_t n = strlen(word);
	skip_blanks(r);
	if (strncmp(r->at, word, n) != 0)
		return false;
	/* A word must end here. */
	if (isalpha((unsigned char)*word) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
		return false;
	r->at += n;
	return true;
}

static struct metric_node *node(struct reader *r, enum metric_op op, struct metric_node *a, struct metric_node *b)
{
	struct metric_node *n = arena_new(r->arena, struct metric_node);
	n->op = op;
	n->a = a;
	n->b = b;
	return n;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

/* The name at r->at; a dash is part of it if a letter or digit follows. */
static size_t name_length(const char *s)
{
	size_t n = 0;
	while (is_name_char(s[n]) || (n && s[n] == '-' && isalnum((unsigned char)s[n + 1])))
		n++;
	return n;
}

static struct metric_node *parse_function(struct reader *r, enum metric_op op)
{
	skip_blanks(r);
	if (!take(r, "("))
		return fail(r, "expected '('");
	struct metric_node *a = parse_expr(r);
	if (!r->error && !take(r, ","))
		return fail(r, "expected ','");
	struct metric_node *b = r->error ? NULL : parse_expr(r);
	if (!r->error && !take(r, ")"))
		return fail(r, "expected ')'");
	return r->error ? NULL : node(r, op, a, b);
}

static struct metric_node *parse_name(struct reader *r)
{
	size_t n = name_length(r->at);
	if (*r->at == '"') {
		const char *end = strchr(r->at + 1, '"');
		if (!end)
			return fail(r, "unterminated '\"'");
		struct metric_node *quoted = node(r, OP_NAME, NULL, NULL);
		quoted->name = arena_strndup(r->arena, r->at + 1, (size_t)(end - r->at - 1));
		r->at = end + 1;
		return quoted;
	}
	if (!n)
		return fail(r, *r->at ? "expected a number, an event or '('" : "unexpected end of the expression");
	struct metric_node *name = node(r, OP_NAME, NULL, NULL);
	name->name = arena_strndup(r->arena, r->at, n);
	r->at += n;
	return name;
}

static struct metric_node *parse_value(struct reader *r)
{
	skip_blanks(r);
	if (take(r, "min"))
		return parse_function(r, OP_MIN);
	if (take(r, "max"))
		return parse_function(r, OP_MAX);
	if (take(r, "d_ratio"))
		return parse_function(r, OP_RATIO);
	if (take(r, "-")) {
		struct metric_node *a = parse_value(r);
		return r->error ? NULL : node(r, OP_NEGATE, a, NULL);
	}
	if (take(r, "(")) {
		struct metric_node *a = parse_expr(r);
		if (!r->error && !take(r, ")"))
			return fail(r, "expected ')'");
		return a;
	}
	if (isdigit((unsigned char)*r->at) || *r->at == '.') {
		char *end;
		struct metric_node *number = node(r, OP_NUMBER, NULL, NULL);
		number->number = strtod(r->at, &end);
		if (end == r->at)
			return fail(r, "invalid number");
		r->at = end;
		return number;
	}
	return parse_name(r);
}

struct operator {
	const char *text;
	enum metric_op op;
	unsigned level; /* higher levels bind tighter */
};

static const struct operator operators[] = {
	{ "|", OP_OR, 1 },         { "&", OP_AND, 2 },        { "==", OP_EQUAL, 3 },    { "!=", OP_UNEQUAL, 3 },
	{ "<=", OP_LESS_EQUAL, 4 }, { ">=", OP_MORE_EQUAL, 4 }, { "<", OP_LESS, 4 },     { ">", OP_MORE, 4 },
	{ "+", OP_ADD, 5 },        { "-", OP_SUBTRACT, 5 },   { "*", OP_MULTIPLY, 6 },  { "/", OP_DIVIDE, 6 },
	{ "%", OP_MODULO, 6 },
};

static const struct operator *next_operator(struct reader *r, unsigned level)
{
	skip_blanks(r);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].level >= level && !strncmp(r->at, operators[i].text, strlen(operators[i].text)))
			return &operators[i];
	return NULL;
}

/* Operators of this level and above, from the left. */
static struct metric_node *parse_operators(struct reader *r, unsigned level)
{
	struct metric_node *a = parse_value(r);
	const struct operator *op;
	while (!r->error && (op = next_operator(r, level))) {
		r->at += strlen(op->text);
		struct metric_node *b = parse_operators(r, op->level + 1);
		a = r->error ? NULL : node(r, op->op, a, b);
	}
	return a;
}

static struct metric_node *parse_expr(struct reader *r)
{
	if (++r->depth > DEPTH_MAX)
		return fail(r, "it is nested too deeply");
	struct metric_node *a = parse_operators(r, 1);
	if (!r->error && take(r, "if")) {
		struct metric_node *condition = parse_operators(r, 1);
		if (!r->error && !take(r, "else"))
			return fail(r, "expected 'else'");
		struct metric_node *c = r->error ? NULL : parse_expr(r);
		a = r->error ? NULL : node(r, OP_IF, a, condition);
		if (a)
			a->c = c;
	}
	r->depth--;
	return a;
}

struct strobe_error *metric_parse(struct arena *arena, const char *text, struct metric_node **ret)
{
	struct reader r = { .arena = arena, .text = text, .at = text };
	*ret = parse_expr(&r);
	skip_blanks(&r);
	if (!r.error && *r.at)
		fail(&r, "unexpected text after the expression");
	return r.error;
}

void metric_each_name(const struct metric_node *n, void (*fn)(void *ctx, const char *name), void *ctx)
{
	if (!n)
		return;
	if (n->op == OP_NAME)
		fn(ctx, n->name);
	metric_each_name(n->a, fn, ctx);
	metric_each_name(n->b, fn, ctx);
	metric_each_name(n->c, fn, ctx);
}

void metric_rename(struct metric_node *n, const char *from, const char *to)
{
	if (!n)
		return;
	if (n->op == OP_NAME && !strcmp(n->name, from))
		n->name = to;
	metric_rename(n->a, from, to);
	metric_rename(n->b, from, to);
	metric_rename(n->c, from, to);
}

static double eval_binary(enum metric_op op, double a, double b)
{
	/* Comparisons with unknown values are unknown, not false. */
	if (isnan(a) || isnan(b))
		return NAN;
	switch (op) {
	case OP_ADD:
		return a + b;
	case OP_SUBTRACT:
		return a - b;
	case OP_MULTIPLY:
		return a * b;
	case OP_DIVIDE:
		return b != 0 ? a / b : NAN;
	case OP_MODULO:
		return b != 0 ? fmod(a, b) : NAN;
	case OP_LESS:
		return a < b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_MORE:
		return a > b;
	case OP_MORE_EQUAL:
		return a >= b;
	case OP_EQUAL:
		return a == b;
	case OP_UNEQUAL:
		return a != b;
	case OP_AND:
		return a != 0 && b != 0;
	case OP_OR:
		return a != 0 || b != 0;
	case OP_MIN:
		return a < b ? a : b;
	case OP_MAX:
		return a > b ? a : b;
	case OP_RATIO:
		return b != 0 ? a / b : 0;
	default:
		return NAN;
	}
}

double metric_eval(const struct metric_node *n, bool (*lookup)(void *ctx, const char *name, double *ret), void *ctx)
{
	double value;
	switch (n->op) {
	case OP_NUMBER:
		return n->number;
	case OP_NAME:
		return lookup(ctx, n->name, &value) ? value : NAN;
	case OP_NEGATE:
		return -metric_eval(n->a, lookup, ctx);
	case OP_IF:
		value = metric_eval(n->b, lookup, ctx);
		return isnan(value) ? NAN : metric_eval(value != 0 ? n->a : n->c, lookup, ctx);
	default:
		return eval_binary(n->op, metric_eval(n->a, lookup, ctx), metric_eval(n->b, lookup, ctx));
	}
}
