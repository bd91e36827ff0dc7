/* Types: the left and the right part of a declarator ("void (*" and ")(int)"). */
#include "demangle/cxx_print_priv.h"

/* The kind of a type, which determines parentheses; parameters are resolved. If unknown, a kind that no type has. */
static enum cxx_kind kind_of(struct printer *p, const struct cxx_node *n, const struct cxx_node **ret_target,
			     const struct cxx_scope **ret_scope)
{
	struct outside was = { p->scope, p->pack_index };
	if (n && n->kind == CXX_PARAM)
		use_context(p);
	for (int i = 0; n && n->kind == CXX_PARAM && !p->in_lambda && i < 64 && !p->bad; i++) {
		n = cxx_resolve(p, n);
		enter_param(p);
	}
	*ret_target = n;
	*ret_scope = p->scope;
	leave_param(p, was);
	return n ? n->kind : CXX_THROW;
}

/* Whether a pointer to it needs parentheses: functions and arrays, also with qualifiers. */
static bool needs_parentheses(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_scope *scope, *was = p->scope;
	enum cxx_kind kind = kind_of(p, n, &n, &scope);
	for (int i = 0; i < 64 && (kind == CXX_CONST || kind == CXX_VOLATILE || kind == CXX_RESTRICT); i++) {
		p->scope = scope;
		kind = kind_of(p, n->a, &n, &scope);
	}
	p->scope = was;
	return kind == CXX_FUNCTION || kind == CXX_ARRAY;
}

/* Whether the left part ends inside parentheses, as in "void (*": the next declarator follows without a blank. */
static bool ends_in_declarator(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_scope *scope, *was = p->scope;
	bool ends = false;
	for (int i = 0; i < 64 && !ends; i++) {
		enum cxx_kind kind = kind_of(p, n, &n, &scope);
		p->scope = scope;
		if (kind == CXX_MEMBER_POINTER) {
			ends = needs_parentheses(p, n->b);
			break;
		}
		if (kind != CXX_POINTER && kind != CXX_LVALUE && kind != CXX_RVALUE)
			break;
		ends = needs_parentheses(p, n->a);
		n = n->a;
	}
	p->scope = was;
	return ends;
}

static void open_declarator(struct printer *p, const struct cxx_node *pointee)
{
	cxx_print_left(p, pointee);
	if (needs_parentheses(p, pointee)) {
		if (last(p) != ' ')
			add(p, " ");
		add(p, "(");
	}
}

static void close_declarator(struct printer *p, const struct cxx_node *pointee)
{
	if (needs_parentheses(p, pointee))
		add(p, ")");
	cxx_print_right(p, pointee);
}

/* A reference to a reference collapses; & wins. A parameter keeps the scope in which it was first printed. */
struct reference {
	const struct cxx_node *to;
	const struct cxx_scope *scope;
	int pack_index;
	bool lvalue;
};

static struct reference collapse(struct printer *p, const struct cxx_node *n)
{
	struct reference r = {
		.to = n->a, .scope = p->scope, .pack_index = p->pack_index, .lvalue = n->kind == CXX_LVALUE};
	if (n->a && n->a->kind == CXX_PARAM && !p->in_lambda) {
		struct cxx_node *param = n->a;
		if (!param->scope)
			param->scope = p->scope;
		r.scope = param->scope;
	}
	const struct cxx_scope *was = p->scope;
	p->scope = r.scope;
	for (int i = 0; i < 32; i++) {
		const struct cxx_node *target;
		const struct cxx_scope *scope;
		enum cxx_kind kind = kind_of(p, r.to, &target, &scope);
		if (kind != CXX_LVALUE && kind != CXX_RVALUE)
			break;
		r.lvalue |= kind == CXX_LVALUE;
		if (r.to->kind == CXX_PARAM)
			r.pack_index = -1;
		r.to = target->a;
		r.scope = p->scope = scope;
	}
	p->scope = was;
	return r;
}

static void print_reference(struct printer *p, const struct cxx_node *n, bool left)
{
	struct reference r = collapse(p, n);
	struct outside was = { p->scope, p->pack_index };
	p->scope = r.scope;
	p->pack_index = r.pack_index;
	if (left) {
		open_declarator(p, r.to);
		add(p, r.lvalue ? "&" : "&&");
	} else {
		close_declarator(p, r.to);
	}
	leave_param(p, was);
}

static const char *qualifier_text(enum cxx_kind kind)
{
	switch (kind) {
	case CXX_CONST:
		return " const";
	case CXX_VOLATILE:
		return " volatile";
	case CXX_RESTRICT:
		return " __restrict";
	case CXX_COMPLEX:
		return " _Complex";
	case CXX_IMAGINARY:
		return " _Imaginary";
	default:
		return NULL;
	}
}

static void print_member_pointer(struct printer *p, const struct cxx_node *n)
{
	open_declarator(p, n->b);
	if (last(p) != '(')
		add(p, " ");
	cxx_print_node(p, n->a);
	add(p, "::*");
}

static void print_param_left(struct printer *p, const struct cxx_node *n)
{
	if (p->in_lambda) {
		cxx_print_param(p, n);
		return;
	}
	const struct cxx_node *to = cxx_resolve(p, n);
	if (!to)
		return;
	struct outside was = enter_param(p);
	if (to->kind == CXX_LIST)
		cxx_print_list(p, to);
	else
		cxx_print_left(p, to);
	leave_param(p, was);
}

void cxx_print_left(struct printer *p, const struct cxx_node *n)
{
	if (!enter(p, n))
		return;
	switch (n->kind) {
	case CXX_POINTER:
		open_declarator(p, n->a);
		add(p, "*");
		break;
	case CXX_LVALUE:
	case CXX_RVALUE:
		print_reference(p, n, true);
		break;
	case CXX_MEMBER_POINTER:
		print_member_pointer(p, n);
		break;
	case CXX_CONST:
	case CXX_VOLATILE:
	case CXX_RESTRICT:
	case CXX_COMPLEX:
	case CXX_IMAGINARY:
		cxx_print_left(p, n->a);
		/* A qualified array is an array of qualified elements; the qualifiers of functions follow them. */
		add(p, qualifier_text(n->kind));
		break;
	case CXX_VENDOR_QUALIFIER:
		cxx_print_left(p, n->a);
		add(p, " ");
		cxx_print_node(p, n->b);
		break;
	case CXX_VECTOR:
		cxx_print_left(p, n->a);
		add(p, " __vector(");
		cxx_print_node(p, n->b);
		add(p, ")");
		break;
	case CXX_FUNCTION:
		if (n->a) {
			cxx_print_left(p, n->a);
			if (!ends_in_declarator(p, n->a))
				add(p, " ");
		}
		break;
	case CXX_ARRAY:
		cxx_print_left(p, n->a);
		break;
	case CXX_PARAM:
		print_param_left(p, n);
		break;
	default:
		cxx_print_node(p, n);
	}
	p->depth--;
}

static void print_array_right(struct printer *p, const struct cxx_node *n)
{
	add(p, p->in_array ? "[" : " [");
	if (n->b)
		cxx_print_node(p, n->b);
	add(p, "]");
	bool was = p->in_array;
	p->in_array = true;
	cxx_print_right(p, n->a);
	p->in_array = was;
}

void cxx_print_right(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *to;
	if (!enter(p, n))
		return;
	switch (n->kind) {
	case CXX_POINTER:
		close_declarator(p, n->a);
		break;
	case CXX_LVALUE:
	case CXX_RVALUE:
		print_reference(p, n, false);
		break;
	case CXX_MEMBER_POINTER:
		close_declarator(p, n->b);
		break;
	case CXX_CONST:
	case CXX_VOLATILE:
	case CXX_RESTRICT:
	case CXX_COMPLEX:
	case CXX_IMAGINARY:
	case CXX_VENDOR_QUALIFIER:
	case CXX_VECTOR:
		cxx_print_right(p, n->a);
		break;
	case CXX_FUNCTION:
		add(p, "(");
		cxx_print_list(p, n->b);
		add(p, ")");
		cxx_print_this(p, n);
		if (n->a)
			cxx_print_right(p, n->a);
		break;
	case CXX_ARRAY:
		print_array_right(p, n);
		break;
	case CXX_PARAM:
		if (!p->in_lambda && (to = cxx_resolve(p, n)) && to->kind != CXX_LIST) {
			struct outside was = enter_param(p);
			cxx_print_right(p, to);
			leave_param(p, was);
		}
		break;
	default:
		break;
	}
	p->depth--;
}

void cxx_print_type(struct printer *p, const struct cxx_node *n)
{
	bool in_array = p->in_array;
	p->in_array = false;
	cxx_print_left(p, n);
	cxx_print_right(p, n);
	p->in_array = in_array;
}
