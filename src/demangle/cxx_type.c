#include "demangle/cxx_parse_priv.h"

/* Types up to an E; a single void means no parameters. */
struct cxx_node *cxx_parse_types(struct parser *p, bool to_end)
{
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	while (!p->bad && *p->p && *p->p != 'E' && *p->p != '.' && *p->p != '@') {
		if ((*p->p == 'R' || *p->p == 'O') && p->p[1] == 'E')
			break; /* a reference qualifier of the function */
		list_add(p, &tail, cxx_parse_type(p));
	}
	if (to_end)
		expect(p, 'E');
	if (list->a && list->a->kind == CXX_BUILTIN && *list->a->text == 'v' && !strcmp(list->a->text, "void") &&
	    !list->b->a)
		return make(p, CXX_LIST, NULL, NULL);
	return list;
}

/* L <type> <value> E, L _Z <encoding> E */
struct cxx_node *cxx_parse_literal(struct parser *p)
{
	struct cxx_node *n;
	expect(p, 'L');
	if (take2(p, "_Z") || take(p, 'Z')) {
		n = cxx_parse_encoding(p, false);
	} else {
		struct cxx_node *type = cxx_parse_type(p);
		bool negative = take(p, 'n');
		const char *text = p->p;
		while (*p->p && *p->p != 'E')
			p->p++;
		n = make_text(p, CXX_LITERAL, text, (size_t)(p->p - text));
		n->a = type;
		n->number = negative;
	}
	expect(p, 'E');
	return p->bad ? NULL : n;
}

struct cxx_node *cxx_parse_template_arg(struct parser *p)
{
	struct cxx_node *n = NULL;
	if (enter(p)) {
		if (*p->p == 'L') {
			n = cxx_parse_literal(p);
		} else if (take(p, 'X')) {
			n = cxx_parse_expression(p);
			expect(p, 'E');
		} else if (*p->p == 'I' || *p->p == 'J') {
			n = cxx_parse_template_args(p);
		} else {
			n = cxx_parse_type(p);
		}
	}
	p->depth--;
	return p->bad ? NULL : n;
}

struct cxx_node *cxx_parse_template_args(struct parser *p)
{
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	bool was = p->in_conversion;
	p->in_conversion = false;
	if (!take(p, 'I'))
		expect(p, 'J');
	while (!p->bad && *p->p != 'E')
		list_add(p, &tail, cxx_parse_template_arg(p));
	expect(p, 'E');
	p->in_conversion = was;
	return p->bad ? NULL : list;
}

static struct cxx_node *make_builtin(struct parser *p, const char *text, uint32_t literal, const char *suffix)
{
	struct cxx_node *n = make_text(p, CXX_BUILTIN, text, strlen(text));
	n->number = literal;
	n->long_text = suffix;
	return n;
}

static struct cxx_node *parse_builtin(struct parser *p)
{
	static const struct {
		const char *text, *suffix;
		uint32_t literal;
	} types['z' - 'a' + 1] = {
		['a' - 'a'] = { "signed char" },
		['b' - 'a'] = { "bool", NULL, CXX_LITERAL_BOOL },
		['c' - 'a'] = { "char" },
		['d' - 'a'] = { "double", NULL, CXX_LITERAL_FLOAT },
		['e' - 'a'] = { "long double", NULL, CXX_LITERAL_FLOAT },
		['f' - 'a'] = { "float", NULL, CXX_LITERAL_FLOAT },
		['g' - 'a'] = { "__float128", NULL, CXX_LITERAL_FLOAT },
		['h' - 'a'] = { "unsigned char" },
		['i' - 'a'] = { "int", NULL, CXX_LITERAL_INT },
		['j' - 'a'] = { "unsigned int", "u", CXX_LITERAL_SUFFIX },
		['l' - 'a'] = { "long", "l", CXX_LITERAL_SUFFIX },
		['m' - 'a'] = { "unsigned long", "ul", CXX_LITERAL_SUFFIX },
		['n' - 'a'] = { "__int128" },
		['o' - 'a'] = { "unsigned __int128" },
		['s' - 'a'] = { "short" },
		['t' - 'a'] = { "unsigned short" },
		['v' - 'a'] = { "void" },
		['w' - 'a'] = { "wchar_t" },
		['x' - 'a'] = { "long long", "ll", CXX_LITERAL_SUFFIX },
		['y' - 'a'] = { "unsigned long long", "ull", CXX_LITERAL_SUFFIX },
		['z' - 'a'] = { "..." },
	};
	int i = *p->p - 'a';
	if (!types[i].text)
		return fail(p);
	p->p++;
	return make_builtin(p, types[i].text, types[i].literal, types[i].suffix);
}

/* DF16_, DF16b, DF32x … */
static struct cxx_node *parse_float_type(struct parser *p)
{
	bool any;
	uint32_t bits = parse_digits(p, &any);
	const char *suffix = take(p, 'x') ? "x" : "";
	if (!*suffix && take(p, 'b'))
		return make_builtin(p, "std::bfloat16_t", CXX_LITERAL_FLOAT, NULL);
	if (!*suffix)
		expect(p, '_');
	char *text = arena_printf(p->arena, "_Float%u%s", bits, suffix);
	return make_builtin(p, text, CXX_LITERAL_FLOAT, NULL);
}

static struct cxx_node *parse_vector(struct parser *p)
{
	struct cxx_node *dimension;
	if (take(p, '_')) {
		dimension = cxx_parse_expression(p);
	} else {
		const char *text = p->p;
		bool any;
		parse_digits(p, &any);
		dimension = make_text(p, CXX_NAME, text, (size_t)(p->p - text));
	}
	expect(p, '_');
	struct cxx_node *element = cxx_parse_type(p);
	return make(p, CXX_VECTOR, element, dimension);
}

static struct cxx_node *parse_function_type(struct parser *p);
static struct cxx_node *parse_qualified_function(struct parser *p);

/* Do, DO<expression>E, Dw<types>E, Dx before a function type. */
static struct cxx_node *parse_exception_spec(struct parser *p, char kind)
{
	uint32_t flag = kind == 'x' ? CXX_TRANSACTION_SAFE : kind == 'w' ? CXX_THROWS : CXX_NOEXCEPT;
	struct cxx_node *detail = NULL;
	if (kind == 'O') {
		detail = cxx_parse_expression(p);
		expect(p, 'E');
	} else if (kind == 'w') {
		detail = cxx_parse_types(p, true);
	}
	struct cxx_node *n = parse_qualified_function(p);
	if (!n || n->kind != CXX_FUNCTION)
		return fail(p);
	struct cxx_node *with = make(p, CXX_FUNCTION, n->a, n->b);
	with->number = n->number | flag;
	with->c = detail ? detail : n->c;
	return with;
}

/* D…: decltype, pack expansions, vectors, newer builtins. *ret_new says whether it can be substituted. */
static struct cxx_node *parse_d_type(struct parser *p, bool *ret_new)
{
	static const struct {
		char code;
		const char *text;
		uint32_t literal;
	} builtins[] = {
		{ 'f', "decimal32" },      { 'd', "decimal64" },
		{ 'e', "decimal128" },     { 'h', "half", CXX_LITERAL_FLOAT },
		{ 's', "char16_t" },       { 'i', "char32_t" },
		{ 'u', "char8_t" },        { 'a', "auto" },
		{ 'c', "decltype(auto)" }, { 'n', "decltype(nullptr)" },
	};
	p->p++;
	char kind = *p->p;
	if (!kind)
		return fail(p);
	p->p++;
	*ret_new = false;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (builtins[i].code == kind)
			return make_builtin(p, builtins[i].text, builtins[i].literal, NULL);
	if (kind == 'F')
		return parse_float_type(p);
	*ret_new = true;
	struct cxx_node *n;
	switch (kind) {
	case 't':
	case 'T':
		n = cxx_parse_expression(p);
		expect(p, 'E');
		return make(p, CXX_DECLTYPE, n, NULL);
	case 'p':
		n = cxx_parse_type(p);
		return make(p, CXX_PACK_EXPANSION, n, NULL);
	case 'v':
		return parse_vector(p);
	case 'o':
	case 'O':
	case 'w':
	case 'x':
		return parse_exception_spec(p, kind);
	}
	return fail(p);
}

/* F [Y] <types> [R|O] E: the first type is the result. */
static struct cxx_node *parse_function_type(struct parser *p)
{
	expect(p, 'F');
	take(p, 'Y');
	struct cxx_node *result = cxx_parse_type(p), *list = cxx_parse_types(p, false);
	struct cxx_node *n = make(p, CXX_FUNCTION, result, list);
	if (take(p, 'R'))
		n->number = CXX_THIS_LVALUE;
	else if (take(p, 'O'))
		n->number = CXX_THIS_RVALUE;
	expect(p, 'E');
	return n;
}

static struct cxx_node *parse_array_type(struct parser *p)
{
	struct cxx_node *dimension = NULL;
	expect(p, 'A');
	if (is_digit(*p->p)) {
		const char *text = p->p;
		bool any;
		parse_digits(p, &any);
		dimension = make_text(p, CXX_NAME, text, (size_t)(p->p - text));
	} else if (*p->p != '_') {
		dimension = cxx_parse_expression(p);
	}
	expect(p, '_');
	struct cxx_node *element = cxx_parse_type(p);
	return make(p, CXX_ARRAY, element, dimension);
}

static struct cxx_node *parse_vendor_type(struct parser *p)
{
	struct cxx_node *name = cxx_parse_source_name(p);
	if (!name)
		return NULL;
	struct cxx_node *n = make_text(p, CXX_VENDOR_TYPE, name->text, name->text_bytes);
	if (*p->p == 'I')
		n->a = cxx_parse_template_args(p);
	return n;
}

static struct cxx_node *parse_t_type(struct parser *p)
{
	if (p->p[1] == 's' || p->p[1] == 'u' || p->p[1] == 'e') {
		p->p += 2;
		return cxx_parse_name(p);
	}
	struct cxx_node *n = cxx_parse_template_param(p);
	if (*p->p != 'I')
		return n;
	/* In cvT_I…E the arguments belong to the conversion, unless more arguments follow. */
	const char *args_at = p->p;
	size_t noted = p->substitutions.len;
	substitute(p, n);
	struct cxx_node *args = cxx_parse_template_args(p);
	if (!p->in_conversion || *p->p == 'I')
		return make(p, CXX_TEMPLATE, n, args);
	if (!p->bad) {
		p->p = args_at;
		p->substitutions.len = noted;
	}
	return n;
}

/* A type without prefixes. */
static struct cxx_node *parse_type_body(struct parser *p, bool *ret_new)
{
	struct cxx_node *a, *b;
	const char *from = p->p;
	*ret_new = true;
	switch (*p->p) {
	case 'D':
		return parse_d_type(p, ret_new);
	case 'F':
		return parse_function_type(p);
	case 'A':
		return parse_array_type(p);
	case 'M':
		p->p++;
		a = cxx_parse_type(p);
		b = cxx_parse_type(p);
		return make(p, CXX_MEMBER_POINTER, a, b);
	case 'T':
		return parse_t_type(p);
	case 'u':
		p->p++;
		return parse_vendor_type(p);
	}
	if (is_lower(*p->p)) {
		*ret_new = false;
		return parse_builtin(p);
	}
	bool substituted = *from == 'S' && from[1] != 't';
	size_t noted = p->substitutions.len;
	a = cxx_parse_name(p);
	/* Arguments make a new type of a substitution; names with ABI tags are noted already. */
	*ret_new = !substituted || (a && a->kind == CXX_TEMPLATE && p->p[-1] == 'E') || noted > p->substitutions.len;
	return a;
}

static bool begins_exception_spec(const struct parser *p)
{
	return p->p[0] == 'D' && p->p[1] && strchr("oOwx", p->p[1]);
}

/* A function type after qualifiers: alone it cannot be substituted. */
static struct cxx_node *parse_qualified_function(struct parser *p)
{
	struct cxx_node *n = NULL;
	if (enter(p)) {
		if (*p->p == 'F') {
			n = parse_function_type(p);
		} else if (begins_exception_spec(p)) {
			p->p += 2;
			n = parse_exception_spec(p, p->p[-1]);
		} else {
			fail(p);
		}
	}
	p->depth--;
	return p->bad ? NULL : n;
}

/* Adjacent qualifiers make one new type: they are not noted one by one. */
static struct cxx_node *parse_cv_type(struct parser *p)
{
	enum cxx_kind kinds[8];
	int n = 0;
	for (; n < 8; p->p++) {
		if (*p->p == 'r')
			kinds[n++] = CXX_RESTRICT;
		else if (*p->p == 'V')
			kinds[n++] = CXX_VOLATILE;
		else if (*p->p == 'K')
			kinds[n++] = CXX_CONST;
		else
			break;
	}
	bool of_function = *p->p == 'F' || begins_exception_spec(p);
	struct cxx_node *type = of_function ? parse_qualified_function(p) : cxx_parse_type(p);
	if (!type)
		return NULL;
	if (of_function) { /* of member functions: they follow the parameters */
		struct cxx_node *f = make(p, CXX_FUNCTION, type->a, type->b);
		f->number = type->number;
		f->c = type->c;
		while (n--)
			f->number |= kinds[n] == CXX_CONST      ? CXX_THIS_CONST
				     : kinds[n] == CXX_VOLATILE ? CXX_THIS_VOLATILE
								: CXX_THIS_RESTRICT;
		return f;
	}
	while (n--)
		type = make(p, kinds[n], type, NULL);
	return type;
}

/* U<vendor qualifier> <type> */
static struct cxx_node *parse_vendor_qualified(struct parser *p)
{
	p->p++;
	struct cxx_node *name = cxx_parse_source_name(p);
	if (*p->p == 'I') {
		struct cxx_node *args = cxx_parse_template_args(p);
		name = make(p, CXX_TEMPLATE, name, args);
	}
	struct cxx_node *type = cxx_parse_type(p);
	return make(p, CXX_VENDOR_QUALIFIER, type, name);
}

struct cxx_node *cxx_parse_type(struct parser *p)
{
	static const struct {
		char code;
		enum cxx_kind kind;
	} prefixes[] = {
		{ 'P', CXX_POINTER }, { 'R', CXX_LVALUE }, { 'O', CXX_RVALUE }, { 'C', CXX_COMPLEX }, { 'G', CXX_IMAGINARY }};
	struct cxx_node *n = NULL;
	bool new = true, done = false;
	if (enter(p)) {
		char c = *p->p;
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes) && !done; i++)
			if (c == prefixes[i].code) {
				p->p++;
				n = make(p, prefixes[i].kind, cxx_parse_type(p), NULL);
				done = true;
			}
		if (!done && (c == 'r' || c == 'V' || c == 'K'))
			n = parse_cv_type(p);
		else if (!done && c == 'U' && p->p[1] != 'l' && p->p[1] != 't')
			n = parse_vendor_qualified(p);
		else if (!done)
			n = parse_type_body(p, &new);
		if (new)
			substitute(p, n);
	}
	p->depth--;
	return p->bad ? NULL : n;
}
