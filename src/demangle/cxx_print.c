#include <stddef.h>
#include <string.h>

#include "demangle/cxx_print_priv.h"

static const struct cxx_scope *push_scope(struct printer *p, const struct cxx_node *template)
{
	struct cxx_scope *scope = arena_new(p->arena, struct cxx_scope);
	scope->args = template->b;
	scope->next = p->scope;
	return scope;
}

const struct cxx_node *cxx_resolve(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *a = p->scope ? list_element(p->scope->args, (int)n->number) : NULL;
	use_context(p);
	if (a && a->kind == CXX_LIST && p->pack_index >= 0)
		a = list_element(a, p->pack_index);
	if (!a)
		p->bad = true;
	return a;
}

/*
 * A tail that prints nothing (empty packs) leaves no comma, but as in libiberty's demangler, the blank of that comma still counts as the
 * last character: "a<b<c>>" instead of the usual "b<c> >". An empty pack before other elements does leave its comma.
 */
void cxx_print_list(struct printer *p, const struct cxx_node *list)
{
	if (!enter(p, list))
		return;
	if (list->a)
		cxx_print_node(p, list->a);
	if (list->b && list->b->a && !p->bad) {
		size_t before = p->out->len;
		add(p, ", ");
		cxx_print_list(p, list->b);
		if (!p->bad && p->out->len == before + 2) {
			p->out->len = before;
			p->erased_at = before;
		}
	}
	p->depth--;
}

static void print_template_args(struct printer *p, const struct cxx_node *list)
{
	if (last(p) == '<')
		add(p, " ");
	add(p, "<");
	cxx_print_list(p, list);
	add(p, last(p) == '>' ? " >" : ">");
}

void cxx_print_this(struct printer *p, const struct cxx_node *n)
{
	if (n->number & CXX_THIS_CONST)
		add(p, " const");
	if (n->number & CXX_THIS_VOLATILE)
		add(p, " volatile");
	if (n->number & CXX_THIS_RESTRICT)
		add(p, " __restrict");
	if (n->number & CXX_TRANSACTION_SAFE)
		add(p, " transaction_safe");
	if (n->number & CXX_NOEXCEPT) {
		add(p, " noexcept");
		if (n->c) {
			add(p, "(");
			cxx_print_node(p, n->c);
			add(p, ")");
		}
	}
	if (n->number & CXX_THROWS) {
		add(p, " throw(");
		cxx_print_list(p, n->c);
		add(p, ")");
	}
	if (n->number & CXX_THIS_LVALUE)
		add(p, " &");
	if (n->number & CXX_THIS_RVALUE)
		add(p, " &&");
}

static void print_operator_name(struct printer *p, const struct cxx_operator *op)
{
	size_t n = strlen(op->name);
	add(p, "operator");
	if (op->name[0] >= 'a' && op->name[0] <= 'z')
		add(p, " ");
	add_n(p, op->name, op->name[n - 1] == ' ' ? n - 1 : n);
}

/* The unqualified name, which a constructor is called by. */
static const struct cxx_node *last_name(const struct cxx_node *n)
{
	for (int i = 0; n && i < DEPTH_MAX; i++) {
		if (n->kind == CXX_QUALIFIED || n->kind == CXX_LOCAL)
			n = n->b && n->b->kind == CXX_UNNAMED ? n->a
							      : n->b; /* an unnamed entity has the name of what contains it */
		else if (n->kind == CXX_TEMPLATE || n->kind == CXX_TAGGED)
			n = n->a;
		else
			return n;
	}
	return NULL;
}

static void print_class_name(struct printer *p, const struct cxx_node *n)
{
	n = last_name(n);
	if (n && n->kind == CXX_STD) {
		/* The last word before template arguments. */
		const char *name = n->long_text, *end = strchr(name, '<');
		size_t bytes = end ? (size_t)(end - name) : strlen(name);
		while (bytes && name[bytes - 1] == ' ')
			bytes--;
		const char *colon = memrchr(name, ':', bytes);
		if (colon) {
			bytes -= (size_t)(colon + 1 - name);
			name = colon + 1;
		}
		add_n(p, name, bytes);
		return;
	}
	cxx_print_node(p, n);
}

/* Std abbreviations are printed in full before their constructor or destructor. */
static void print_qualified(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *member = n->b;
	while (member && member->kind == CXX_TAGGED)
		member = member->a;
	bool spell = member && (member->kind == CXX_CONSTRUCTOR || member->kind == CXX_DESTRUCTOR);
	if (spell && n->a && n->a->kind == CXX_STD)
		add(p, n->a->long_text);
	else
		cxx_print_node(p, n->a);
	add(p, "::");
	cxx_print_node(p, n->b);
}

static void print_lambda(struct printer *p, const struct cxx_node *n)
{
	bool was = p->in_lambda;
	add(p, "{lambda(");
	p->in_lambda = true;
	cxx_print_list(p, n->a);
	p->in_lambda = was;
	add(p, ")#");
	add_number(p, n->number);
	add(p, "}");
}

static void print_template(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *was = p->template;
	p->template = n;
	cxx_print_node(p, n->a);
	p->template = was;
	print_template_args(p, n->b);
}

/* The arguments of a conversion template follow the type that uses them. */
static void print_conversion(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_scope *was = p->scope;
	use_context(p);
	if (p->template)
		p->scope = push_scope(p, p->template);
	add(p, "operator ");
	cxx_print_node(p, n->a);
	p->scope = was;
}

static void print_local(struct printer *p, const struct cxx_node *n)
{
	bool in_lambda = p->in_lambda;
	/* A function has parameters of its own, even inside a lambda's. */
	p->in_lambda = false;
	cxx_print_node(p, n->a);
	p->in_lambda = in_lambda;
	add(p, "::");
	cxx_print_node(p, n->b);
}

static void print_name(struct printer *p, const struct cxx_node *n)
{
	switch (n->kind) {
	case CXX_NAME:
		add_n(p, n->text, n->text_bytes);
		break;
	case CXX_STD:
		add(p, n->text);
		break;
	case CXX_QUALIFIED:
		print_qualified(p, n);
		break;
	case CXX_LOCAL:
		print_local(p, n);
		break;
	case CXX_TEMPLATE:
		print_template(p, n);
		break;
	case CXX_TAGGED:
		cxx_print_node(p, n->a);
		add(p, "[abi:");
		add_n(p, n->text, n->text_bytes);
		add(p, "]");
		break;
	case CXX_CONSTRUCTOR:
		print_class_name(p, n->a);
		break;
	case CXX_DESTRUCTOR:
		add(p, "~");
		print_class_name(p, n->a);
		break;
	case CXX_OPERATOR:
		print_operator_name(p, n->op);
		break;
	case CXX_CONVERSION:
		print_conversion(p, n);
		break;
	case CXX_LITERAL_OPERATOR:
		add(p, "operator\"\" ");
		cxx_print_node(p, n->a);
		break;
	case CXX_BINDING:
		add(p, "[");
		cxx_print_list(p, n->a);
		add(p, "]");
		break;
	case CXX_LAMBDA:
		print_lambda(p, n);
		break;
	case CXX_UNNAMED:
		add_numbered(p, "{unnamed type#", n->number, "}");
		break;
	case CXX_DEFAULT_ARG:
		add_numbered(p, "{default arg#", n->number, "}::");
		cxx_print_node(p, n->a);
		break;
	default:
		p->bad = true;
	}
}

/* A function with its parameters: in local names without the return type, which the caller has removed. */
static void print_function_name(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_scope *was = p->scope;
	const struct cxx_node *entity = cxx_entity(n->a);
	if (entity && entity->kind == CXX_TEMPLATE)
		p->scope = push_scope(p, entity);
	if (n->b->a) {
		cxx_print_left(p, n->b->a);
		add(p, " ");
	}
	cxx_print_node(p, n->a);
	add(p, "(");
	cxx_print_list(p, n->b->b);
	add(p, ")");
	cxx_print_this(p, n);
	if (n->b->a)
		cxx_print_right(p, n->b->a);
	p->scope = was;
}

static void print_special(struct printer *p, const struct cxx_node *n)
{
	switch (n->kind) {
	case CXX_SPECIAL:
		add(p, n->text);
		cxx_print_node(p, n->a);
		break;
	case CXX_CONSTRUCTION_VTABLE:
		add(p, "construction vtable for ");
		cxx_print_node(p, n->a);
		add(p, "-in-");
		cxx_print_node(p, n->b);
		break;
	default:
		add(p, "reference temporary #");
		add_number(p, n->number);
		add(p, " for ");
		cxx_print_node(p, n->a);
	}
}

const struct cxx_node *cxx_find_pack(struct printer *p, const struct cxx_node *n, int depth)
{
	if (!n || depth > 100 || ++p->steps > STEPS_MAX)
		return NULL;
	use_context(p);
	if (n->kind == CXX_PARAM) {
		const struct cxx_node *a = p->scope ? list_element(p->scope->args, (int)n->number) : NULL;
		return a && a->kind == CXX_LIST ? a : NULL;
	}
	if (n->kind == CXX_PACK_EXPANSION || n->kind == CXX_LAMBDA)
		return NULL;
	const struct cxx_node *found = cxx_find_pack(p, n->a, depth + 1);
	if (!found)
		found = cxx_find_pack(p, n->b, depth + 1);
	return found ? found : cxx_find_pack(p, n->c, depth + 1);
}

static void print_expansion(struct printer *p, const struct cxx_node *n)
{
	use_context(p);
	const struct cxx_node *pack = p->in_lambda ? NULL : cxx_find_pack(p, n->a, 0);
	if (!pack) {
		cxx_print_subexpression(p, n->a);
		add(p, "...");
		return;
	}
	int was = p->pack_index, count = list_length(pack);
	for (int i = 0; i < count && !p->bad; i++) {
		if (i)
			add(p, ", ");
		p->pack_index = i;
		cxx_print_node(p, n->a);
	}
	p->pack_index = was;
}

void cxx_print_param(struct printer *p, const struct cxx_node *n)
{
	use_context(p);
	if (p->in_lambda) {
		add(p, "auto:");
		add_number(p, n->number + 1);
		return;
	}
	const struct cxx_node *a = cxx_resolve(p, n);
	if (!a)
		return;
	struct outside was = enter_param(p);
	cxx_print_node(p, a);
	leave_param(p, was);
}

static void copy_printed(struct printer *p, size_t at, size_t n)
{
	strbuf_reserve(p->out, n + 1);
	add_n(p, p->out->data + p->from + at, n);
}

/*
 * A name that a substitution repeats is copied from its first output, unless its text depends on the context. Most names of templates
 * are repetitions: each argument is repeated in the types that are made of it.
 */
static void print_once(struct printer *p, struct cxx_node *n)
{
	size_t at = p->out->len - p->from;
	unsigned uses = p->context_uses;
	if (n->printed_bytes) {
		copy_printed(p, n->printed_at, n->printed_bytes);
		return;
	}
	print_name(p, n);
	if (!p->bad && p->context_uses == uses && p->erased_at != p->out->len) {
		n->printed_at = (uint32_t)at;
		n->printed_bytes = (uint32_t)(p->out->len - p->from - at);
	}
}

void cxx_print_node(struct printer *p, const struct cxx_node *n)
{
	if (!enter(p, n))
		return;
	if (n->kind == CXX_QUALIFIED || n->kind == CXX_LOCAL || n->kind == CXX_TEMPLATE) {
		print_once(p, (struct cxx_node *)n);
	} else if (n->kind <= CXX_DEFAULT_ARG) {
		print_name(p, n);
	} else if (n->kind == CXX_FUNCTION_NAME) {
		print_function_name(p, n);
	} else if (n->kind <= CXX_REFERENCE_TEMPORARY) {
		print_special(p, n);
	} else if (n->kind == CXX_BUILTIN) {
		add(p, n->text);
	} else if (n->kind == CXX_VENDOR_TYPE) {
		add_n(p, n->text, n->text_bytes);
		if (n->a)
			print_template_args(p, n->a);
	} else if (n->kind == CXX_DECLTYPE) {
		add(p, "decltype (");
		cxx_print_node(p, n->a);
		add(p, ")");
	} else if (n->kind == CXX_PACK_EXPANSION) {
		print_expansion(p, n);
	} else if (n->kind == CXX_LIST) {
		cxx_print_list(p, n);
	} else if (n->kind < CXX_LIST) {
		cxx_print_type(p, n);
	} else {
		cxx_print_expression(p, n);
	}
	p->depth--;
}

bool cxx_print(struct arena *arena, struct cxx_node *n, struct strbuf *out)
{
	struct printer p = { .arena = arena, .out = out, .from = out->len, .pack_index = -1, .erased_at = SIZE_MAX };
	cxx_print_node(&p, n);
	strbuf_add(out, "", 0);
	return !p.bad && out->len - p.from <= OUTPUT_MAX;
}
