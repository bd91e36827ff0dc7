#include <string.h>

#include "demangle/cxx_print_priv.h"

void cxx_print_subexpression(struct printer *p, const struct cxx_node *n)
{
	bool simple = n && (n->kind == CXX_NAME || n->kind == CXX_QUALIFIED || n->kind == CXX_INITIALISER ||
			    n->kind == CXX_FUNCTION_PARAM);
	if (!simple)
		add(p, "(");
	cxx_print_node(p, n);
	if (!simple)
		add(p, ")");
}

static void print_literal(struct printer *p, const struct cxx_node *n)
{
	uint32_t how = n->a->kind == CXX_BUILTIN ? n->a->number : CXX_LITERAL_DEFAULT;
	if (how == CXX_LITERAL_BOOL && n->text_bytes == 1 && !n->number && (*n->text == '0' || *n->text == '1')) {
		add(p, *n->text == '1' ? "true" : "false");
		return;
	}
	if (how != CXX_LITERAL_INT && how != CXX_LITERAL_SUFFIX) {
		add(p, "(");
		cxx_print_node(p, n->a);
		add(p, ")");
	}
	if (n->number)
		add(p, "-");
	if (how == CXX_LITERAL_FLOAT)
		add(p, "[");
	add_n(p, n->text, n->text_bytes);
	if (how == CXX_LITERAL_FLOAT)
		add(p, "]");
	if (how == CXX_LITERAL_SUFFIX)
		add(p, n->a->long_text);
}

static void print_unary(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *operand = n->b;
	const char *code = n->a->op->code;
	/* The address of a member function is printed without parameters. */
	if (!strcmp(code, "ad") && operand && operand->kind == CXX_FUNCTION_NAME && operand->a->kind == CXX_QUALIFIED &&
	    !operand->number)
		operand = operand->a;
	add(p, n->a->op->name);
	if (!strcmp(code, "st") || !strcmp(code, "nx")) {
		add(p, "(");
		cxx_print_node(p, operand);
		add(p, ")");
	} else {
		cxx_print_subexpression(p, operand);
	}
}

static void print_binary(struct printer *p, const struct cxx_node *n)
{
	const char *name = n->a->op->name;
	bool closes = !strcmp(name, ">"); /* else it would appear to end the template arguments */
	if (closes)
		add(p, "(");
	cxx_print_subexpression(p, n->b);
	if (!strcmp(n->a->op->code, "ix")) {
		add(p, "[");
		cxx_print_node(p, n->c);
		add(p, "]");
	} else {
		add(p, name);
		cxx_print_subexpression(p, n->c);
	}
	if (closes)
		add(p, ")");
}

static void print_fold(struct printer *p, const struct cxx_node *n)
{
	const char *op = n->a->op->name;
	/* Folds apply to whole packs. */
	int was = p->pack_index;
	p->pack_index = -1;
	add(p, "(");
	if (n->text[1] == 'l') {
		add(p, "...");
		add(p, op);
		cxx_print_subexpression(p, n->b);
	} else if (n->text[1] == 'r') {
		cxx_print_subexpression(p, n->b);
		add(p, op);
		add(p, "...");
	} else {
		cxx_print_subexpression(p, n->b);
		add(p, op);
		add(p, "...");
		add(p, op);
		cxx_print_subexpression(p, n->c);
	}
	add(p, ")");
	p->pack_index = was;
}

static void print_call(struct printer *p, const struct cxx_node *n)
{
	/* The parameter types of the function are omitted if arguments follow. */
	cxx_print_subexpression(p, n->a && n->a->kind == CXX_FUNCTION_NAME ? n->a->a : n->a);
	add(p, "(");
	cxx_print_list(p, n->b);
	add(p, ")");
}

static void print_new(struct printer *p, const struct cxx_node *n)
{
	add(p, n->a->op->name);
	add(p, " ");
	if (n->b->a) {
		cxx_print_subexpression(p, n->b);
		add(p, " ");
	}
	cxx_print_node(p, n->c->a);
	if (n->c->b && n->c->b->a)
		cxx_print_subexpression(p, n->c->b->a);
}

/* The number of elements of the pack in sizeof.... */
static void print_count(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *pack = n->a && n->a->kind == CXX_LIST ? n->a : cxx_find_pack(p, n->a, 0);
	if (pack)
		add_number(p, (uint32_t)list_length(pack));
	else
		p->bad = true;
}

static void print_ternary(struct printer *p, const struct cxx_node *n)
{
	cxx_print_subexpression(p, list_element(n->b, 0));
	add(p, n->a->op->name);
	cxx_print_subexpression(p, list_element(n->b, 1));
	add(p, " : ");
	cxx_print_subexpression(p, list_element(n->b, 2));
}

static void print_named_cast(struct printer *p, const struct cxx_node *n)
{
	add(p, n->a->op->name);
	add(p, "<");
	cxx_print_node(p, n->b);
	add(p, ">(");
	cxx_print_node(p, n->c);
	add(p, ")");
}

static void print_initialiser(struct printer *p, const struct cxx_node *n)
{
	if (n->a)
		cxx_print_node(p, n->a);
	add(p, "{");
	cxx_print_list(p, n->b);
	add(p, "}");
}

void cxx_print_expression(struct printer *p, const struct cxx_node *n)
{
	switch (n->kind) {
	case CXX_LITERAL:
		print_literal(p, n);
		break;
	case CXX_FUNCTION_PARAM:
		if (n->number)
			add_numbered(p, "{parm#", n->number, "}");
		else
			add(p, "this");
		break;
	case CXX_UNARY:
		print_unary(p, n);
		break;
	case CXX_SUFFIX:
		cxx_print_subexpression(p, n->b);
		add(p, n->a->op->name);
		break;
	case CXX_BINARY:
		print_binary(p, n);
		break;
	case CXX_TERNARY:
		print_ternary(p, n);
		break;
	case CXX_CAST:
		add(p, "(");
		cxx_print_node(p, n->a);
		add(p, ")");
		cxx_print_subexpression(p, n->b);
		break;
	case CXX_NAMED_CAST:
		print_named_cast(p, n);
		break;
	case CXX_CALL:
		print_call(p, n);
		break;
	case CXX_NEW:
		print_new(p, n);
		break;
	case CXX_INITIALISER:
		print_initialiser(p, n);
		break;
	case CXX_FOLD:
		print_fold(p, n);
		break;
	case CXX_COUNT:
		print_count(p, n);
		break;
	case CXX_GLOBAL_SCOPE:
		add(p, "::");
		cxx_print_node(p, n->a);
		break;
	case CXX_THROW:
		add(p, "throw");
		break;
	default:
		p->bad = true;
	}
}
