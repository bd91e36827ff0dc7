#include "demangle/cxx_parse_priv.h"

static struct cxx_node *parse_expressions(struct parser *p, char end)
{
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	while (!p->bad && *p->p && *p->p != end)
		list_add(p, &tail, cxx_parse_expression(p));
	expect(p, end);
	return list;
}

/* fp_ fpT fp0_ fL0p_ */
static struct cxx_node *parse_function_param(struct parser *p)
{
	bool any;
	struct cxx_node *n = make(p, CXX_FUNCTION_PARAM, NULL, NULL);
	if (take2(p, "fL")) {
		parse_digits(p, &any);
		expect(p, 'p');
	} else if (!take2(p, "fp")) {
		return fail(p);
	} else if (take(p, 'T')) {
		return n;
	}
	while (*p->p == 'r' || *p->p == 'V' || *p->p == 'K')
		p->p++;
	n->number = parse_index(p) + 1;
	return n;
}

/* A name in an expression, possibly of a template. */
static struct cxx_node *parse_simple_name(struct parser *p)
{
	struct cxx_node *n = cxx_parse_unqualified_name(p, NULL);
	if (*p->p != 'I')
		return n;
	struct cxx_node *args = cxx_parse_template_args(p);
	return make(p, CXX_TEMPLATE, n, args);
}

/*
 * After sr: <type> <name>, or <names> E <name>; older compilers wrote <name> <name> without an E. An E without a following name
 * closes something outside.
 */
static struct cxx_node *parse_unresolved_name(struct parser *p)
{
	if (!is_digit(*p->p)) {
		struct cxx_node *type = cxx_parse_type(p), *name = parse_simple_name(p);
		return make(p, CXX_QUALIFIED, type, name);
	}
	struct cxx_node *n = parse_simple_name(p);
	/* In the form of old compilers the first name is a type, which can be substituted. */
	while (!p->bad && is_digit(*p->p)) {
		struct cxx_node *next = parse_simple_name(p);
		n = make(p, CXX_QUALIFIED, n, next);
	}
	if (p->p[0] == 'E' && (is_digit(p->p[1]) || (p->p[1] == 'o' && p->p[2] == 'n'))) {
		p->p++;
		struct cxx_node *next = parse_simple_name(p);
		n = make(p, CXX_QUALIFIED, n, next);
	}
	return n;
}

static struct cxx_node *parse_operator(struct parser *p)
{
	const struct cxx_operator *op = *p->p ? cxx_operator_by_code(p->p) : NULL;
	if (!op)
		return fail(p);
	p->p += 2;
	struct cxx_node *n = make(p, CXX_OPERATOR, NULL, NULL);
	n->op = op;
	return n;
}

static struct cxx_node *parse_fold(struct parser *p)
{
	struct cxx_node *n = make_text(p, CXX_FOLD, p->p, 2);
	p->p += 2;
	n->a = parse_operator(p);
	n->b = cxx_parse_expression(p);
	if (n->text[1] == 'L' || n->text[1] == 'R')
		n->c = cxx_parse_expression(p);
	return n;
}

/* sizeof... of a parameter pack, or of explicit arguments. */
static struct cxx_node *parse_count(struct parser *p)
{
	if (take2(p, "sZ")) {
		struct cxx_node *pack = *p->p == 'T' ? cxx_parse_template_param(p) : parse_function_param(p);
		return make(p, CXX_COUNT, pack, NULL);
	}
	p->p += 2;
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	while (!p->bad && *p->p && *p->p != 'E')
		list_add(p, &tail, cxx_parse_template_arg(p));
	expect(p, 'E');
	return make(p, CXX_COUNT, list, NULL);
}

static struct cxx_node *parse_cast(struct parser *p)
{
	struct cxx_node *type = cxx_parse_type(p), *operand;
	if (take(p, '_'))
		operand = parse_expressions(p, 'E');
	else
		operand = cxx_parse_expression(p);
	return make(p, CXX_CAST, type, operand);
}

/* nw <placement> _ <type> (E | pi <expressions> E) */
static struct cxx_node *parse_new(struct parser *p)
{
	struct cxx_node *n = make(p, CXX_NEW, parse_operator(p), NULL);
	n->b = parse_expressions(p, '_');
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	list_add(p, &tail, cxx_parse_type(p));
	if (take2(p, "pi"))
		list_add(p, &tail, parse_expressions(p, 'E'));
	else
		expect(p, 'E');
	n->c = list;
	return n;
}

/* Operators whose operands are all expressions, and those that begin with a type. */
static struct cxx_node *parse_operation(struct parser *p)
{
	struct cxx_node *op = parse_operator(p), *n;
	if (!op)
		return NULL;
	const char *code = op->op->code;
	if (!strcmp(code, "st") || !strcmp(code, "at")) {
		n = make(p, CXX_UNARY, op, cxx_parse_type(p));
	} else if (!strcmp(code, "dc") || !strcmp(code, "sc") || !strcmp(code, "cc") || !strcmp(code, "rc")) {
		n = make(p, CXX_NAMED_CAST, op, cxx_parse_type(p));
		n->c = cxx_parse_expression(p);
	} else if ((!strcmp(code, "pp") || !strcmp(code, "mm")) && !take(p, '_')) {
		n = make(p, CXX_SUFFIX, op, cxx_parse_expression(p));
	} else if (op->op->operands == 1) {
		n = make(p, CXX_UNARY, op, cxx_parse_expression(p));
	} else if (op->op->operands == 2) {
		n = make(p, CXX_BINARY, op, cxx_parse_expression(p));
		n->c = cxx_parse_expression(p);
	} else if (!strcmp(code, "qu")) {
		n = make(p, CXX_TERNARY, op, make(p, CXX_LIST, NULL, NULL));
		struct cxx_node *tail = n->b;
		for (int i = 0; i < 3; i++)
			list_add(p, &tail, cxx_parse_expression(p));
	} else {
		n = fail(p);
	}
	return n;
}

static struct cxx_node *parse_expression_body(struct parser *p)
{
	char c = p->p[0], d = c ? p->p[1] : 0;
	struct cxx_node *a, *b;
	if (c == 'L')
		return cxx_parse_literal(p);
	if (c == 'T')
		return cxx_parse_template_param(p);
	if (is_digit(c) || (c == 'o' && d == 'n'))
		return parse_simple_name(p);
	if (c == 'f' && (d == 'p' || (d == 'L' && is_digit(p->p[2]))))
		return parse_function_param(p);
	if (c == 'f' && d && strchr("lrLR", d))
		return parse_fold(p);
	if (c == 's' && (d == 'Z' || d == 'P'))
		return parse_count(p);
	if (c == 'n' && (d == 'w' || d == 'a'))
		return parse_new(p);
	if (c == 's' && d == 'r' && p->p[2] == 'N') {
		p->p += 3;
		a = cxx_parse_prefixes(p);
		b = parse_simple_name(p);
		return make(p, CXX_QUALIFIED, a, b);
	}
	if (take2(p, "sr"))
		return parse_unresolved_name(p);
	if (take2(p, "sp"))
		return make(p, CXX_PACK_EXPANSION, cxx_parse_expression(p), NULL);
	if (take2(p, "cv"))
		return parse_cast(p);
	if (take2(p, "il"))
		return make(p, CXX_INITIALISER, NULL, parse_expressions(p, 'E'));
	if (take2(p, "tl")) {
		a = cxx_parse_type(p);
		b = parse_expressions(p, 'E');
		return make(p, CXX_INITIALISER, a, b);
	}
	if (take2(p, "cl")) {
		a = cxx_parse_expression(p);
		b = parse_expressions(p, 'E');
		return make(p, CXX_CALL, a, b);
	}
	if (take2(p, "gs"))
		return make(p, CXX_GLOBAL_SCOPE, cxx_parse_expression(p), NULL);
	if (take2(p, "tr"))
		return make(p, CXX_THROW, NULL, NULL);
	return parse_operation(p);
}

struct cxx_node *cxx_parse_expression(struct parser *p)
{
	struct cxx_node *n = NULL;
	if (enter(p))
		n = parse_expression_body(p);
	p->depth--;
	return p->bad ? NULL : n;
}
