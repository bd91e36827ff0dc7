#include "demangle/cxx_parse_priv.h"

static void skip_number(struct parser *p)
{
	bool any;
	take(p, 'n');
	parse_digits(p, &any);
	expect(p, '_');
}

/* h <number> _, v <number> _ <number> _: the adjustment of this or of the result by a thunk. */
static void skip_call_offset(struct parser *p)
{
	if (take(p, 'v'))
		skip_number(p);
	else
		expect(p, 'h');
	skip_number(p);
}

static struct cxx_node *make_special(struct parser *p, const char *text, struct cxx_node *a)
{
	struct cxx_node *n = make_text(p, CXX_SPECIAL, text, strlen(text));
	n->a = a;
	return n;
}

static struct cxx_node *parse_guard_name(struct parser *p)
{
	bool any;
	struct cxx_node *n, *name;
	if (take2(p, "GV"))
		return make_special(p, "guard variable for ", cxx_parse_name(p));
	if (take2(p, "GR")) {
		name = cxx_parse_name(p);
		n = make(p, CXX_REFERENCE_TEMPORARY, name, NULL);
		n->number = parse_digits(p, &any);
		return n;
	}
	if (take2(p, "GA"))
		return make_special(p, "hidden alias for ", cxx_parse_encoding(p, false));
	if (p->p[1] == 'T' && p->p[2]) {
		const char *text = p->p[2] == 'n' ? "non-transaction clone for " : "transaction clone for ";
		p->p += 3;
		return make_special(p, text, cxx_parse_encoding(p, false));
	}
	return fail(p);
}

/* After T or G: vtables, type information, thunks, guards and the like. */
static struct cxx_node *parse_special_name(struct parser *p)
{
	static const struct {
		const char *code, *text;
	} types[] = { { "TV", "vtable for " },        { "TT", "VTT for " },         { "TI", "typeinfo for " },
		     { "TS", "typeinfo name for " }, { "TF", "typeinfo fn for " }, { "TJ", "java Class for " } };
	if (*p->p == 'G')
		return parse_guard_name(p);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (take2(p, types[i].code))
			return make_special(p, types[i].text, cxx_parse_type(p));
	if (take2(p, "TH"))
		return make_special(p, "TLS init function for ", cxx_parse_name(p));
	if (take2(p, "TW"))
		return make_special(p, "TLS wrapper function for ", cxx_parse_name(p));
	if (take2(p, "TA"))
		return make_special(p, "template parameter object for ", cxx_parse_template_arg(p));
	if (take2(p, "Tc")) {
		skip_call_offset(p);
		skip_call_offset(p);
		return make_special(p, "covariant return thunk to ", cxx_parse_encoding(p, false));
	}
	if (take2(p, "TC")) {
		struct cxx_node *in = cxx_parse_type(p);
		skip_number(p);
		struct cxx_node *of = cxx_parse_type(p);
		return make(p, CXX_CONSTRUCTION_VTABLE, of, in);
	}
	if (p->p[1] == 'h' || p->p[1] == 'v') {
		const char *text = p->p[1] == 'h' ? "non-virtual thunk to " : "virtual thunk to ";
		p->p++;
		skip_call_offset(p);
		return make_special(p, text, cxx_parse_encoding(p, false));
	}
	return fail(p);
}

static bool is_special(const struct parser *p)
{
	return *p->p == 'G' || (*p->p == 'T' && p->p[1] != '_' && !is_digit(p->p[1]));
}

const struct cxx_node *cxx_entity(const struct cxx_node *n)
{
	while (n && (n->kind == CXX_LOCAL || n->kind == CXX_DEFAULT_ARG))
		n = n->kind == CXX_LOCAL ? n->b : n->a;
	return n;
}

/* Names of templates include a return type, unless they are constructors, destructors or conversions. */
static bool says_return_type(const struct cxx_node *name)
{
	const struct cxx_node *n = cxx_entity(name);
	if (!n || n->kind != CXX_TEMPLATE)
		return false;
	for (n = n->a; n; n = n->b) {
		while (n->kind == CXX_TAGGED)
			n = n->a;
		if (n->kind == CXX_CONSTRUCTOR || n->kind == CXX_DESTRUCTOR || n->kind == CXX_CONVERSION)
			return false;
		if (n->kind != CXX_QUALIFIED && n->kind != CXX_LOCAL)
			break;
	}
	return true;
}

/* local: the function of a local entity, whose return type is not mangled. */
struct cxx_node *cxx_parse_encoding(struct parser *p, bool local)
{
	struct cxx_node *n = NULL;
	uint32_t this;
	if (enter(p)) {
		if (is_special(p)) {
			n = parse_special_name(p);
		} else if ((n = cxx_parse_name_of(p, &this)) && *p->p && *p->p != 'E' && *p->p != '.' && *p->p != '@') {
			struct cxx_node *result = NULL;
			if (take(p, 'J') || says_return_type(n))
				result = cxx_parse_type(p);
			struct cxx_node *type = make(p, CXX_FUNCTION, local ? NULL : result, cxx_parse_types(p, false));
			n = make(p, CXX_FUNCTION_NAME, n, type);
			n->number = this;
		}
	}
	p->depth--;
	return p->bad ? NULL : n;
}

#define SUBSTITUTIONS 64 /* enough for most names without growing */

struct cxx_node *cxx_parse(struct arena *arena, const char *mangled, bool whole)
{
	struct parser p = { .arena = arena, .p = mangled + 2 };
	uint32_t this;
	vec_reserve(&p.substitutions, SUBSTITUTIONS);
	struct cxx_node *n = whole	       ? cxx_parse_encoding(&p, false) :
			     is_special(&p) ? parse_special_name(&p) :
					      cxx_parse_name_of(&p, &this);
	vec_deinit(&p.substitutions);
	return p.bad ? NULL : n;
}
