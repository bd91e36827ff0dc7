#include <stddef.h>
#include <string.h>

#include "demangle/cxx_tree.h"

#define DEPTH_MAX  1000
#define STEPS_MAX  500000
#define OUTPUT_MAX ((size_t)256 << 10)

/* The template arguments that T_ means, from the inside out: an argument is printed in the scope around its own. */
struct cxx_scope {
	const struct cxx_node *args;
	const struct cxx_scope *next;
};

struct printer {
	struct arena *arena;
	struct strbuf *out;
	const struct cxx_scope *scope;
	const struct cxx_node *template; /* whose name is being printed: of which a conversion's T_ speaks */
	size_t from;      /* where our text begins in out */
	size_t erased_at; /* where a comma was taken back, SIZE_MAX nowhere */
	int depth, steps;
	bool bad;
	bool in_lambda;     /* parameters of a lambda: T_ is auto:1 */
	int pack_index;     /* which element of packs is meant; -1 outside of expansions */
	bool in_array;      /* the element type of an array is printed */
};

static void print(struct printer *p, const struct cxx_node *n);
static void print_left(struct printer *p, const struct cxx_node *n);
static void print_right(struct printer *p, const struct cxx_node *n);

static void add(struct printer *p, const char *s)
{
	if (!p->bad)
		strbuf_addstr(p->out, s);
}

static void add_n(struct printer *p, const char *s, size_t n)
{
	if (!p->bad)
		strbuf_add(p->out, s, n);
}

static void add_number(struct printer *p, uint32_t n)
{
	if (!p->bad)
		strbuf_addf(p->out, "%u", n);
}

static char last(const struct printer *p)
{
	if (p->erased_at == p->out->len)
		return ' ';
	return p->out->len > p->from ? p->out->data[p->out->len - 1] : 0;
}

static bool enter(struct printer *p, const struct cxx_node *n)
{
	if (p->bad || !n || ++p->depth > DEPTH_MAX || ++p->steps > STEPS_MAX || p->out->len - p->from > OUTPUT_MAX) {
		p->bad = true;
		return false;
	}
	return true;
}

/* Element i of a list, or NULL. */
static const struct cxx_node *list_element(const struct cxx_node *list, int i)
{
	while (list && i-- > 0)
		list = list->b;
	return list ? list->a : NULL;
}

static int list_length(const struct cxx_node *list)
{
	int n = 0;
	for (; list && list->a; list = list->b)
		n++;
	return n;
}

static const struct cxx_scope *push_scope(struct printer *p, const struct cxx_node *template)
{
	struct cxx_scope *scope = arena_new(p->arena, struct cxx_scope);
	scope->args = template->b;
	scope->next = p->scope;
	return scope;
}

/* What a template parameter stands for here; NULL (and bad) where that is nothing. */
static const struct cxx_node *resolve(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *a = p->scope ? list_element(p->scope->args, (int)n->number) : NULL;
	if (a && a->kind == CXX_LIST && p->pack_index >= 0)
		a = list_element(a, p->pack_index);
	if (!a)
		p->bad = true;
	return a;
}

/* Where to go on from a parameter: what it stands for, in its scope. Restored by leave_param. */
struct outside {
	const struct cxx_scope *scope;
	int pack_index;
};

static struct outside enter_param(struct printer *p)
{
	struct outside was = { p->scope, p->pack_index };
	if (p->scope)
		p->scope = p->scope->next;
	p->pack_index = -1;
	return was;
}

static void leave_param(struct printer *p, struct outside was)
{
	p->scope = was.scope;
	p->pack_index = was.pack_index;
}

/*
 * A tail that prints nothing (empty packs) leaves no comma, but to the demangler that people know the comma's blank
 * stays the last character: "a<b<c>>", where "b<c> >" is usual. An empty pack before others does leave its comma.
 */
static void print_list(struct printer *p, const struct cxx_node *list)
{
	if (!enter(p, list))
		return;
	if (list->a)
		print(p, list->a);
	if (list->b && list->b->a && !p->bad) {
		size_t before = p->out->len;
		add(p, ", ");
		print_list(p, list->b);
		if (!p->bad && p->out->len == before + 2) {
			p->out->len = before;
			p->out->data[before] = 0;
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
	print_list(p, list);
	add(p, last(p) == '>' ? " >" : ">");
}

static void print_this(struct printer *p, const struct cxx_node *n)
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
			print(p, n->c);
			add(p, ")");
		}
	}
	if (n->number & CXX_THROWS) {
		add(p, " throw(");
		print_list(p, n->c);
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

/* The name without what qualifies it: what a constructor is called. */
static const struct cxx_node *last_name(const struct cxx_node *n)
{
	for (int i = 0; n && i < DEPTH_MAX; i++) {
		if (n->kind == CXX_QUALIFIED || n->kind == CXX_LOCAL)
			n = n->b && n->b->kind == CXX_UNNAMED ? n->a
							      : n->b; /* what has no name is called as what it is in */
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
	print(p, n);
}

/* Std abbreviations are spelled out where their constructor or destructor is named. */
static void print_qualified(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *member = n->b;
	while (member && member->kind == CXX_TAGGED)
		member = member->a;
	bool spell = member && (member->kind == CXX_CONSTRUCTOR || member->kind == CXX_DESTRUCTOR);
	if (spell && n->a && n->a->kind == CXX_STD)
		add(p, n->a->long_text);
	else
		print(p, n->a);
	add(p, "::");
	print(p, n->b);
}

static void print_lambda(struct printer *p, const struct cxx_node *n)
{
	bool was = p->in_lambda;
	add(p, "{lambda(");
	p->in_lambda = true;
	print_list(p, n->a);
	p->in_lambda = was;
	add(p, ")#");
	add_number(p, n->number);
	add(p, "}");
}

static void print_template(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *was = p->template;
	p->template = n;
	print(p, n->a);
	p->template = was;
	print_template_args(p, n->b);
}

/* A conversion template's arguments stand behind the type that they are used in. */
static void print_conversion(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_scope *was = p->scope;
	if (p->template)
		p->scope = push_scope(p, p->template);
	add(p, "operator ");
	print(p, n->a);
	p->scope = was;
}

static void print_name(struct printer *p, const struct cxx_node *n)
{
	bool in_lambda = p->in_lambda;
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
		/* A function has parameters of its own, even inside a lambda's. */
		p->in_lambda = false;
		print(p, n->a);
		p->in_lambda = in_lambda;
		add(p, "::");
		print(p, n->b);
		break;
	case CXX_TEMPLATE:
		print_template(p, n);
		break;
	case CXX_TAGGED:
		print(p, n->a);
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
		print(p, n->a);
		break;
	case CXX_BINDING:
		add(p, "[");
		print_list(p, n->a);
		add(p, "]");
		break;
	case CXX_LAMBDA:
		print_lambda(p, n);
		break;
	case CXX_UNNAMED:
		add(p, "{unnamed type#");
		add_number(p, n->number);
		add(p, "}");
		break;
	case CXX_DEFAULT_ARG:
		add(p, "{default arg#");
		add_number(p, n->number);
		add(p, "}::");
		print(p, n->a);
		break;
	default:
		p->bad = true;
	}
}

/* An encoding with its parameters: in local names without the return type, which the caller has removed. */
static void print_function_name(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_scope *was = p->scope;
	const struct cxx_node *entity = cxx_entity(n->a);
	if (entity && entity->kind == CXX_TEMPLATE)
		p->scope = push_scope(p, entity);
	if (n->b->a) {
		print_left(p, n->b->a);
		add(p, " ");
	}
	print(p, n->a);
	add(p, "(");
	print_list(p, n->b->b);
	add(p, ")");
	print_this(p, n);
	if (n->b->a)
		print_right(p, n->b->a);
	p->scope = was;
}

static void print_special(struct printer *p, const struct cxx_node *n)
{
	switch (n->kind) {
	case CXX_SPECIAL:
		add(p, n->text);
		print(p, n->a);
		break;
	case CXX_CONSTRUCTION_VTABLE:
		add(p, "construction vtable for ");
		print(p, n->a);
		add(p, "-in-");
		print(p, n->b);
		break;
	default:
		add(p, "reference temporary #");
		add_number(p, n->number);
		add(p, " for ");
		print(p, n->a);
	}
}

/* The first pack that an expansion's pattern names; NULL where it names none. */
static const struct cxx_node *find_pack(struct printer *p, const struct cxx_node *n, int depth)
{
	if (!n || depth > 100 || ++p->steps > STEPS_MAX)
		return NULL;
	if (n->kind == CXX_PARAM) {
		const struct cxx_node *a = p->scope ? list_element(p->scope->args, (int)n->number) : NULL;
		return a && a->kind == CXX_LIST ? a : NULL;
	}
	if (n->kind == CXX_PACK_EXPANSION || n->kind == CXX_LAMBDA)
		return NULL;
	const struct cxx_node *found = find_pack(p, n->a, depth + 1);
	if (!found)
		found = find_pack(p, n->b, depth + 1);
	return found ? found : find_pack(p, n->c, depth + 1);
}

static void print_subexpression(struct printer *p, const struct cxx_node *n);

static void print_expansion(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *pack = p->in_lambda ? NULL : find_pack(p, n->a, 0);
	if (!pack) {
		print_subexpression(p, n->a);
		add(p, "...");
		return;
	}
	int was = p->pack_index, count = list_length(pack);
	for (int i = 0; i < count && !p->bad; i++) {
		if (i)
			add(p, ", ");
		p->pack_index = i;
		print(p, n->a);
	}
	p->pack_index = was;
}

static void print_param(struct printer *p, const struct cxx_node *n)
{
	if (p->in_lambda) {
		add(p, "auto:");
		add_number(p, n->number + 1);
		return;
	}
	const struct cxx_node *a = resolve(p, n);
	if (!a)
		return;
	struct outside was = enter_param(p);
	print(p, a);
	leave_param(p, was);
}

/* --- types: what stands left of a declarator, and what stands right of it ("void (*" and ")(int)") --- */

/*
 * What kind of type it is, which decides on parentheses: parameters are looked through. A kind beyond all types where
 * that cannot be told.
 */
static enum cxx_kind kind_of(struct printer *p, const struct cxx_node *n, const struct cxx_node **ret_behind,
			     const struct cxx_scope **ret_scope)
{
	struct outside was = { p->scope, p->pack_index };
	for (int i = 0; n && n->kind == CXX_PARAM && !p->in_lambda && i < 64 && !p->bad; i++) {
		n = resolve(p, n);
		enter_param(p);
	}
	*ret_behind = n;
	*ret_scope = p->scope;
	leave_param(p, was);
	return n ? n->kind : CXX_THROW;
}

/* Whether a pointer to it needs parentheses: of functions and arrays, behind qualifiers too. */
static bool wants_parentheses(struct printer *p, const struct cxx_node *n)
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
			ends = wants_parentheses(p, n->b);
			break;
		}
		if (kind != CXX_POINTER && kind != CXX_LVALUE && kind != CXX_RVALUE)
			break;
		ends = wants_parentheses(p, n->a);
		n = n->a;
	}
	p->scope = was;
	return ends;
}

static void open_declarator(struct printer *p, const struct cxx_node *pointee)
{
	print_left(p, pointee);
	if (wants_parentheses(p, pointee)) {
		if (last(p) != ' ')
			add(p, " ");
		add(p, "(");
	}
}

static void close_declarator(struct printer *p, const struct cxx_node *pointee)
{
	if (wants_parentheses(p, pointee))
		add(p, ")");
	print_right(p, pointee);
}

/* A reference: references to references collapse, & wins. A parameter keeps the scope in which it was met first. */
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
		const struct cxx_node *behind;
		const struct cxx_scope *scope;
		enum cxx_kind kind = kind_of(p, r.to, &behind, &scope);
		if (kind != CXX_LVALUE && kind != CXX_RVALUE)
			break;
		r.lvalue |= kind == CXX_LVALUE;
		if (r.to->kind == CXX_PARAM)
			r.pack_index = -1;
		r.to = behind->a;
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

static void print_left(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *to;
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
		open_declarator(p, n->b);
		if (last(p) != '(')
			add(p, " ");
		print(p, n->a);
		add(p, "::*");
		break;
	case CXX_CONST:
	case CXX_VOLATILE:
	case CXX_RESTRICT:
	case CXX_COMPLEX:
	case CXX_IMAGINARY:
		print_left(p, n->a);
		/* A qualified array is an array of what is qualified; functions carry theirs behind. */
		add(p, qualifier_text(n->kind));
		break;
	case CXX_VENDOR_QUALIFIER:
		print_left(p, n->a);
		add(p, " ");
		print(p, n->b);
		break;
	case CXX_VECTOR:
		print_left(p, n->a);
		add(p, " __vector(");
		print(p, n->b);
		add(p, ")");
		break;
	case CXX_FUNCTION:
		if (n->a) {
			print_left(p, n->a);
			if (!ends_in_declarator(p, n->a))
				add(p, " ");
		}
		break;
	case CXX_ARRAY:
		print_left(p, n->a);
		break;
	case CXX_PARAM:
		if (p->in_lambda) {
			print_param(p, n);
		} else if ((to = resolve(p, n))) {
			struct outside was = enter_param(p);
			if (to->kind == CXX_LIST)
				print_list(p, to);
			else
				print_left(p, to);
			leave_param(p, was);
		}
		break;
	default:
		print(p, n);
	}
	p->depth--;
}

static void print_array_right(struct printer *p, const struct cxx_node *n)
{
	add(p, p->in_array ? "[" : " [");
	if (n->b)
		print(p, n->b);
	add(p, "]");
	bool was = p->in_array;
	p->in_array = true;
	print_right(p, n->a);
	p->in_array = was;
}

static void print_right(struct printer *p, const struct cxx_node *n)
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
		print_right(p, n->a);
		break;
	case CXX_FUNCTION:
		add(p, "(");
		print_list(p, n->b);
		add(p, ")");
		print_this(p, n);
		if (n->a)
			print_right(p, n->a);
		break;
	case CXX_ARRAY:
		print_array_right(p, n);
		break;
	case CXX_PARAM:
		if (!p->in_lambda && (to = resolve(p, n)) && to->kind != CXX_LIST) {
			struct outside was = enter_param(p);
			print_right(p, to);
			leave_param(p, was);
		}
		break;
	default:
		break;
	}
	p->depth--;
}

static void print_type(struct printer *p, const struct cxx_node *n)
{
	bool in_array = p->in_array;
	p->in_array = false;
	print_left(p, n);
	print_right(p, n);
	p->in_array = in_array;
}

/* --- expressions --- */

static void print_subexpression(struct printer *p, const struct cxx_node *n)
{
	bool simple = n && (n->kind == CXX_NAME || n->kind == CXX_QUALIFIED || n->kind == CXX_INITIALISER ||
			    n->kind == CXX_FUNCTION_PARAM);
	if (!simple)
		add(p, "(");
	print(p, n);
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
		print(p, n->a);
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
	/* The address of a member function is written without its parameters. */
	if (!strcmp(code, "ad") && operand && operand->kind == CXX_FUNCTION_NAME && operand->a->kind == CXX_QUALIFIED &&
	    !operand->number)
		operand = operand->a;
	add(p, n->a->op->name);
	if (!strcmp(code, "st") || !strcmp(code, "nx")) {
		add(p, "(");
		print(p, operand);
		add(p, ")");
	} else {
		print_subexpression(p, operand);
	}
}

static void print_binary(struct printer *p, const struct cxx_node *n)
{
	const char *name = n->a->op->name;
	bool closes = !strcmp(name, ">"); /* else it would seem to end template arguments */
	if (closes)
		add(p, "(");
	print_subexpression(p, n->b);
	if (!strcmp(n->a->op->code, "ix")) {
		add(p, "[");
		print(p, n->c);
		add(p, "]");
	} else {
		add(p, name);
		print_subexpression(p, n->c);
	}
	if (closes)
		add(p, ")");
}

static void print_fold(struct printer *p, const struct cxx_node *n)
{
	const char *op = n->a->op->name;
	/* Folds name whole packs. */
	int was = p->pack_index;
	p->pack_index = -1;
	add(p, "(");
	if (n->text[1] == 'l') {
		add(p, "...");
		add(p, op);
		print_subexpression(p, n->b);
	} else if (n->text[1] == 'r') {
		print_subexpression(p, n->b);
		add(p, op);
		add(p, "...");
	} else {
		print_subexpression(p, n->b);
		add(p, op);
		add(p, "...");
		add(p, op);
		print_subexpression(p, n->c);
	}
	add(p, ")");
	p->pack_index = was;
}

static void print_call(struct printer *p, const struct cxx_node *n)
{
	/* Types of the function's parameters are left out where the arguments follow. */
	print_subexpression(p, n->a && n->a->kind == CXX_FUNCTION_NAME ? n->a->a : n->a);
	add(p, "(");
	print_list(p, n->b);
	add(p, ")");
}

static void print_new(struct printer *p, const struct cxx_node *n)
{
	add(p, n->a->op->name);
	add(p, " ");
	if (n->b->a) {
		print_subexpression(p, n->b);
		add(p, " ");
	}
	print(p, n->c->a);
	if (n->c->b && n->c->b->a)
		print_subexpression(p, n->c->b->a);
}

/* The number of elements of the pack that sizeof... asks about. */
static void print_count(struct printer *p, const struct cxx_node *n)
{
	const struct cxx_node *pack = n->a && n->a->kind == CXX_LIST ? n->a : find_pack(p, n->a, 0);
	if (pack)
		add_number(p, (uint32_t)list_length(pack));
	else
		p->bad = true;
}

static void print_expression(struct printer *p, const struct cxx_node *n)
{
	switch (n->kind) {
	case CXX_LITERAL:
		print_literal(p, n);
		break;
	case CXX_FUNCTION_PARAM:
		if (n->number) {
			add(p, "{parm#");
			add_number(p, n->number);
			add(p, "}");
		} else {
			add(p, "this");
		}
		break;
	case CXX_UNARY:
		print_unary(p, n);
		break;
	case CXX_SUFFIX:
		print_subexpression(p, n->b);
		add(p, n->a->op->name);
		break;
	case CXX_BINARY:
		print_binary(p, n);
		break;
	case CXX_TERNARY:
		print_subexpression(p, list_element(n->b, 0));
		add(p, n->a->op->name);
		print_subexpression(p, list_element(n->b, 1));
		add(p, " : ");
		print_subexpression(p, list_element(n->b, 2));
		break;
	case CXX_CAST:
		add(p, "(");
		print(p, n->a);
		add(p, ")");
		print_subexpression(p, n->b);
		break;
	case CXX_NAMED_CAST:
		add(p, n->a->op->name);
		add(p, "<");
		print(p, n->b);
		add(p, ">(");
		print(p, n->c);
		add(p, ")");
		break;
	case CXX_CALL:
		print_call(p, n);
		break;
	case CXX_NEW:
		print_new(p, n);
		break;
	case CXX_INITIALISER:
		if (n->a)
			print(p, n->a);
		add(p, "{");
		print_list(p, n->b);
		add(p, "}");
		break;
	case CXX_FOLD:
		print_fold(p, n);
		break;
	case CXX_COUNT:
		print_count(p, n);
		break;
	case CXX_GLOBAL_SCOPE:
		add(p, "::");
		print(p, n->a);
		break;
	case CXX_THROW:
		add(p, "throw");
		break;
	default:
		p->bad = true;
	}
}

static void print(struct printer *p, const struct cxx_node *n)
{
	if (!enter(p, n))
		return;
	if (n->kind <= CXX_DEFAULT_ARG) {
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
		print(p, n->a);
		add(p, ")");
	} else if (n->kind == CXX_PACK_EXPANSION) {
		print_expansion(p, n);
	} else if (n->kind == CXX_LIST) {
		print_list(p, n);
	} else if (n->kind < CXX_LIST) {
		print_type(p, n);
	} else {
		print_expression(p, n);
	}
	p->depth--;
}

bool cxx_print(struct arena *arena, struct cxx_node *n, struct strbuf *out)
{
	struct printer p = { .arena = arena, .out = out, .from = out->len, .pack_index = -1, .erased_at = SIZE_MAX };
	print(&p, n);
	return !p.bad && out->len - p.from <= OUTPUT_MAX;
}
