#include <stddef.h>
#include <string.h>

#include "base/vector.h"
#include "symbol/cxx_tree.h"

#define DEPTH_MAX 300
#define STEPS_MAX 100000 /* the one place that looks ahead could be nested */

struct parser {
	struct arena *arena;
	const char *p;
	int depth, steps;
	bool bad;
	bool in_conversion; /* the type of a conversion operator is read */
	VEC(struct cxx_node *) substitutions; /* S_, S0_, S1_ … */
};

static struct cxx_node *parse_type(struct parser *p);
static struct cxx_node *parse_name(struct parser *p);
static struct cxx_node *parse_encoding(struct parser *p, bool local);
static struct cxx_node *parse_expression(struct parser *p);
static struct cxx_node *parse_template_args(struct parser *p);
static struct cxx_node *parse_unqualified_name(struct parser *p, const struct cxx_node *class);

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static struct cxx_node *fail(struct parser *p)
{
	p->bad = true;
	p->p = "";
	return NULL;
}

/* Every call is paired with p->depth--. */
static bool enter(struct parser *p)
{
	if (++p->depth > DEPTH_MAX || ++p->steps > STEPS_MAX)
		fail(p);
	return !p->bad;
}

static bool take(struct parser *p, char c)
{
	if (*p->p != c)
		return false;
	p->p++;
	return true;
}

static bool take2(struct parser *p, const char *two)
{
	if (p->p[0] != two[0] || p->p[1] != two[1])
		return false;
	p->p += 2;
	return true;
}

static void expect(struct parser *p, char c)
{
	if (!take(p, c))
		fail(p);
}

static struct cxx_node *make(struct parser *p, enum cxx_kind kind, struct cxx_node *a, struct cxx_node *b)
{
	struct cxx_node *n = arena_new(p->arena, struct cxx_node);
	n->kind = kind;
	n->a = a;
	n->b = b;
	return n;
}

static struct cxx_node *make_text(struct parser *p, enum cxx_kind kind, const char *text, size_t bytes)
{
	struct cxx_node *n = make(p, kind, NULL, NULL);
	n->text = text;
	n->text_bytes = (uint32_t)bytes;
	return n;
}

/* Adds a to the end of a list that is being built; *tail is where the next element goes. */
static void list_add(struct parser *p, struct cxx_node **tail, struct cxx_node *a)
{
	(*tail)->a = a;
	(*tail)->b = make(p, CXX_LIST, NULL, NULL);
	*tail = (*tail)->b;
}

/* Notes what S_ may stand for from here on. */
static void substitute(struct parser *p, struct cxx_node *n)
{
	if (n && !p->bad)
		vec_push(&p->substitutions, n);
}

/* Up to 999999; *ret_any tells whether there was one. */
static uint32_t parse_digits(struct parser *p, bool *ret_any)
{
	uint32_t n = 0;
	*ret_any = is_digit(*p->p);
	for (; is_digit(*p->p); p->p++)
		if (n < 1000000)
			n = n * 10 + (uint32_t)(*p->p - '0');
	return n;
}

/* [<number>] _: 0 where there is no number, one more than it else. */
static uint32_t parse_index(struct parser *p)
{
	bool any;
	uint32_t n = parse_digits(p, &any);
	expect(p, '_');
	return any ? n + 1 : 0;
}

static struct cxx_node *parse_source_name(struct parser *p)
{
	bool any;
	uint32_t n = parse_digits(p, &any);
	const char *text = p->p;
	if (!any || !n || strnlen(text, n) < n)
		return fail(p);
	p->p += n;
	/* What compilers call the unnamed namespace: _GLOBAL_ . N or _ N … */
	if (n >= 10 && !strncmp(text, "_GLOBAL_", 8) && strchr("._$", text[8]) && text[9] == 'N')
		return make_text(p, CXX_NAME, "(anonymous namespace)", strlen("(anonymous namespace)"));
	return make_text(p, CXX_NAME, text, n);
}

static struct cxx_node *parse_abi_tags(struct parser *p, struct cxx_node *n)
{
	while (!p->bad && take(p, 'B')) {
		struct cxx_node *tag = parse_source_name(p);
		if (!tag)
			break;
		struct cxx_node *tagged = make_text(p, CXX_TAGGED, tag->text, tag->text_bytes);
		tagged->a = n;
		n = tagged;
	}
	return n;
}

static struct cxx_node *parse_std_abbreviation(struct parser *p)
{
	static const struct {
		char code;
		const char *text, *spelled;
	} names[] = {
		{ 't', "std", "std" },
		{ 'a', "std::allocator", "std::allocator" },
		{ 'b', "std::basic_string", "std::basic_string" },
		{ 's', "std::string", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >" },
		{ 'i', "std::istream", "std::basic_istream<char, std::char_traits<char> >" },
		{ 'o', "std::ostream", "std::basic_ostream<char, std::char_traits<char> >" },
		{ 'd', "std::iostream", "std::basic_iostream<char, std::char_traits<char> >" },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (take(p, names[i].code)) {
			struct cxx_node *n = make_text(p, CXX_STD, names[i].text, strlen(names[i].text));
			n->long_text = names[i].spelled;
			return n;
		}
	return fail(p);
}

/* S_ S0_ St Sa Ss …; abbreviations with ABI tags become something that can be substituted. */
static struct cxx_node *parse_substitution(struct parser *p)
{
	expect(p, 'S');
	if (*p->p != '_' && !is_digit(*p->p) && !is_upper(*p->p)) {
		struct cxx_node *n = parse_std_abbreviation(p), *tagged = n ? parse_abi_tags(p, n) : NULL;
		if (tagged != n)
			substitute(p, tagged);
		return tagged;
	}
	size_t nr = 0;
	bool any = false;
	for (; is_digit(*p->p) || is_upper(*p->p); p->p++, any = true)
		if (nr < 1000000)
			nr = nr * 36 + (size_t)(is_digit(*p->p) ? *p->p - '0' : *p->p - 'A' + 10);
	expect(p, '_');
	nr = any ? nr + 1 : 0;
	return nr < p->substitutions.len ? p->substitutions.data[nr] : fail(p);
}

/* T_ T0_ TL0__ */
static struct cxx_node *parse_template_param(struct parser *p)
{
	expect(p, 'T');
	if (take(p, 'L')) {
		bool any;
		parse_digits(p, &any);
		expect(p, '_');
	}
	struct cxx_node *n = make(p, CXX_PARAM, NULL, NULL);
	n->number = parse_index(p);
	return p->bad ? NULL : n;
}

/* Types up to an E; one void means none. */
static struct cxx_node *parse_types(struct parser *p, bool to_end)
{
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	while (!p->bad && *p->p && *p->p != 'E' && *p->p != '.' && *p->p != '@') {
		if ((*p->p == 'R' || *p->p == 'O') && p->p[1] == 'E')
			break; /* a reference qualifier of the function */
		list_add(p, &tail, parse_type(p));
	}
	if (to_end)
		expect(p, 'E');
	if (list->a && list->a->kind == CXX_BUILTIN && *list->a->text == 'v' && !strcmp(list->a->text, "void") && !list->b->a)
		return make(p, CXX_LIST, NULL, NULL);
	return list;
}

/* Ul <types> E [<number>] _, Ut [<number>] _ */
static struct cxx_node *parse_unnamed(struct parser *p)
{
	struct cxx_node *n;
	expect(p, 'U');
	if (take(p, 'l')) {
		n = make(p, CXX_LAMBDA, NULL, NULL);
		n->a = parse_types(p, true);
	} else if (take(p, 't')) {
		n = make(p, CXX_UNNAMED, NULL, NULL);
	} else {
		return fail(p);
	}
	n->number = parse_index(p) + 1;
	substitute(p, n->kind == CXX_UNNAMED ? n : NULL);
	return n;
}

static const struct cxx_operator operators[] = {
	{ "aN", "&=", 2 },	{ "aS", "=", 2 },	    { "aa", "&&", 2 },	      { "ad", "&", 1 },
	{ "an", "&", 2 },	{ "at", "alignof ", 1 },    { "aw", "co_await ", 1 }, { "az", "alignof ", 1 },
	{ "cc", "const_cast", 2 }, { "cl", "()", 2 },	    { "cm", ",", 2 },	      { "co", "~", 1 },
	{ "dV", "/=", 2 },	{ "da", "delete[] ", 1 },   { "dc", "dynamic_cast", 2 }, { "de", "*", 1 },
	{ "dl", "delete ", 1 }, { "ds", ".*", 2 },	    { "dt", ".", 2 },	      { "dv", "/", 2 },
	{ "eO", "^=", 2 },	{ "eo", "^", 2 },	    { "eq", "==", 2 },	      { "ge", ">=", 2 },
	{ "gs", "::", 1 },	{ "gt", ">", 2 },	    { "ix", "[]", 2 },	      { "lS", "<<=", 2 },
	{ "le", "<=", 2 },	{ "ls", "<<", 2 },	    { "lt", "<", 2 },	      { "mI", "-=", 2 },
	{ "mL", "*=", 2 },	{ "mi", "-", 2 },	    { "ml", "*", 2 },	      { "mm", "--", 1 },
	{ "na", "new[]", 3 },	{ "ne", "!=", 2 },	    { "ng", "-", 1 },	      { "nt", "!", 1 },
	{ "nw", "new", 3 },	{ "nx", "noexcept", 1 },    { "oR", "|=", 2 },	      { "oo", "||", 2 },
	{ "or", "|", 2 },	{ "pL", "+=", 2 },	    { "pl", "+", 2 },	      { "pm", "->*", 2 },
	{ "pp", "++", 1 },	{ "ps", "+", 1 },	    { "pt", "->", 2 },	      { "qu", "?", 3 },
	{ "rM", "%=", 2 },	{ "rS", ">>=", 2 },	    { "rc", "reinterpret_cast", 2 }, { "rm", "%", 2 },
	{ "rs", ">>", 2 },	{ "sc", "static_cast", 2 }, { "ss", "<=>", 2 },	      { "st", "sizeof ", 1 },
	{ "sz", "sizeof ", 1 }, { "tw", "throw ", 1 },
};

const struct cxx_operator *cxx_operator_by_code(const char *code)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].code[0] == code[0] && operators[i].code[1] == code[1])
			return &operators[i];
	return NULL;
}

static struct cxx_node *parse_operator_name(struct parser *p)
{
	if (take2(p, "cv")) {
		bool was = p->in_conversion;
		p->in_conversion = true;
		struct cxx_node *type = parse_type(p);
		p->in_conversion = was;
		return make(p, CXX_CONVERSION, type, NULL);
	}
	if (take2(p, "li")) {
		struct cxx_node *name = parse_source_name(p);
		return make(p, CXX_LITERAL_OPERATOR, name, NULL);
	}
	const struct cxx_operator *op = p->p[0] ? cxx_operator_by_code(p->p) : NULL;
	if (!op)
		return fail(p);
	p->p += 2;
	struct cxx_node *n = make(p, CXX_OPERATOR, NULL, NULL);
	n->op = op;
	return n;
}

/* C1 C2 CI1<type> D0 D1 DC<names>E */
static struct cxx_node *parse_special_member(struct parser *p, const struct cxx_node *class)
{
	if (take2(p, "DC")) {
		struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
		while (!p->bad && is_digit(*p->p))
			list_add(p, &tail, parse_source_name(p));
		expect(p, 'E');
		return make(p, CXX_BINDING, list, NULL);
	}
	bool is_constructor = *p->p++ == 'C', inherited = is_constructor && take(p, 'I');
	if (!is_digit(*p->p) || !class)
		return fail(p);
	p->p++;
	if (inherited)
		parse_type(p);
	return make(p, is_constructor ? CXX_CONSTRUCTOR : CXX_DESTRUCTOR, (struct cxx_node *)class, NULL);
}

/* Of entities that would else have one name; people do not see it. */
static void skip_discriminator(struct parser *p)
{
	bool any;
	if (!take(p, '_'))
		return;
	bool two = take(p, '_');
	uint32_t n = parse_digits(p, &any);
	if (two && n >= 10)
		take(p, '_');
}

static struct cxx_node *parse_unqualified_name(struct parser *p, const struct cxx_node *class)
{
	struct cxx_node *n = NULL;
	if (enter(p)) {
		take(p, 'F'); /* member-like friend */
		bool internal = take(p, 'L');
		if (take2(p, "on"))
			n = parse_operator_name(p);
		else if (is_digit(*p->p))
			n = parse_source_name(p);
		else if (is_lower(*p->p))
			n = parse_operator_name(p);
		else if (*p->p == 'U')
			n = parse_unnamed(p);
		else if (*p->p == 'C' || *p->p == 'D')
			n = parse_special_member(p, class);
		else
			fail(p);
		if (internal)
			skip_discriminator(p);
		if (n)
			n = parse_abi_tags(p, n);
	}
	p->depth--;
	return n;
}

/* Qualifiers of `this`, as CXX_THIS_*. */
static uint32_t parse_this_qualifiers(struct parser *p)
{
	uint32_t q = 0;
	take(p, 'H'); /* explicit object parameter */
	for (;; p->p++) {
		if (*p->p == 'r')
			q |= CXX_THIS_RESTRICT;
		else if (*p->p == 'V')
			q |= CXX_THIS_VOLATILE;
		else if (*p->p == 'K')
			q |= CXX_THIS_CONST;
		else
			break;
	}
	if (take(p, 'R'))
		q |= CXX_THIS_LVALUE;
	else if (take(p, 'O'))
		q |= CXX_THIS_RVALUE;
	return q;
}

/* Between N and E. Each prefix that is not the whole can be substituted. */
static struct cxx_node *parse_prefixes(struct parser *p)
{
	struct cxx_node *n = NULL;
	while (!p->bad && !take(p, 'E')) {
		char kind = *p->p;
		struct cxx_node *part;
		if (kind == 'M') { /* of a member's initialiser: a lambda follows */
			p->p++;
			continue;
		}
		if (kind == 'I' || kind == 'J') {
			if (!n)
				return fail(p);
			part = parse_template_args(p);
			n = make(p, CXX_TEMPLATE, n, part);
		} else {
			if (kind == 'S')
				part = parse_substitution(p);
			else if (kind == 'T')
				part = parse_template_param(p);
			else if (kind == 'D' && (p->p[1] == 't' || p->p[1] == 'T'))
				part = parse_type(p);
			else
				part = parse_unqualified_name(p, n);
			n = n ? make(p, CXX_QUALIFIED, n, part) : part;
		}
		if (kind != 'S' && *p->p != 'E')
			substitute(p, n);
	}
	return n ? n : fail(p);
}

static struct cxx_node *parse_nested_name(struct parser *p, uint32_t *ret_this)
{
	expect(p, 'N');
	*ret_this = parse_this_qualifiers(p);
	return parse_prefixes(p);
}

static struct cxx_node *parse_name_of(struct parser *p, uint32_t *ret_this);

/* Z <encoding> E (<name> | s | d [<number>] _ <name>) */
static struct cxx_node *parse_local_name(struct parser *p, uint32_t *ret_this)
{
	expect(p, 'Z');
	struct cxx_node *function = parse_encoding(p, true), *entity;
	expect(p, 'E');
	if (*p->p == 's' && !is_lower(p->p[1])) {
		p->p++;
		entity = make_text(p, CXX_NAME, "string literal", strlen("string literal"));
		skip_discriminator(p);
	} else if (take(p, 'd')) {
		uint32_t number = parse_index(p) + 1;
		entity = make(p, CXX_DEFAULT_ARG, NULL, NULL);
		entity->number = number;
		entity->a = parse_name_of(p, ret_this);
	} else {
		entity = parse_name_of(p, ret_this);
		skip_discriminator(p);
	}
	return p->bad ? NULL : make(p, CXX_LOCAL, function, entity);
}

static struct cxx_node *parse_unscoped_name(struct parser *p)
{
	struct cxx_node *n;
	bool substituted = *p->p == 'S' && p->p[1] != 't';
	if (substituted) {
		n = parse_substitution(p);
	} else if (take2(p, "St")) {
		struct cxx_node *std = make_text(p, CXX_NAME, "std", 3);
		n = make(p, CXX_QUALIFIED, std, parse_unqualified_name(p, NULL));
	} else {
		n = parse_unqualified_name(p, NULL);
	}
	if (*p->p != 'I') /* a J begins the next argument */
		return n;
	if (!substituted)
		substitute(p, n);
	struct cxx_node *args = parse_template_args(p);
	return make(p, CXX_TEMPLATE, n, args);
}

static struct cxx_node *parse_name_of(struct parser *p, uint32_t *ret_this)
{
	struct cxx_node *n = NULL;
	*ret_this = 0;
	if (enter(p)) {
		if (*p->p == 'N')
			n = parse_nested_name(p, ret_this);
		else if (*p->p == 'Z')
			n = parse_local_name(p, ret_this);
		else
			n = parse_unscoped_name(p);
	}
	p->depth--;
	return p->bad ? NULL : n;
}

static struct cxx_node *parse_name(struct parser *p)
{
	uint32_t ignored;
	return parse_name_of(p, &ignored);
}

/* L <type> <value> E, L _Z <encoding> E */
static struct cxx_node *parse_literal(struct parser *p)
{
	struct cxx_node *n;
	expect(p, 'L');
	if (take2(p, "_Z") || take(p, 'Z')) {
		n = parse_encoding(p, false);
	} else {
		struct cxx_node *type = parse_type(p);
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

static struct cxx_node *parse_template_arg(struct parser *p)
{
	struct cxx_node *n = NULL;
	if (enter(p)) {
		if (*p->p == 'L') {
			n = parse_literal(p);
		} else if (take(p, 'X')) {
			n = parse_expression(p);
			expect(p, 'E');
		} else if (*p->p == 'I' || *p->p == 'J') {
			n = parse_template_args(p);
		} else {
			n = parse_type(p);
		}
	}
	p->depth--;
	return p->bad ? NULL : n;
}

static struct cxx_node *parse_template_args(struct parser *p)
{
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	bool was = p->in_conversion;
	p->in_conversion = false;
	if (!take(p, 'I'))
		expect(p, 'J');
	while (!p->bad && *p->p != 'E')
		list_add(p, &tail, parse_template_arg(p));
	expect(p, 'E');
	p->in_conversion = was;
	return p->bad ? NULL : list;
}

/* --- types --- */

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
		dimension = parse_expression(p);
	} else {
		const char *text = p->p;
		bool any;
		parse_digits(p, &any);
		dimension = make_text(p, CXX_NAME, text, (size_t)(p->p - text));
	}
	expect(p, '_');
	struct cxx_node *element = parse_type(p);
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
		detail = parse_expression(p);
		expect(p, 'E');
	} else if (kind == 'w') {
		detail = parse_types(p, true);
	}
	struct cxx_node *n = parse_qualified_function(p);
	if (!n || n->kind != CXX_FUNCTION)
		return fail(p);
	struct cxx_node *with = make(p, CXX_FUNCTION, n->a, n->b);
	with->number = n->number | flag;
	with->c = detail ? detail : n->c;
	return with;
}

/* D…: decltype, pack expansions, vectors, newer builtins. *ret_new tells whether it can be substituted. */
static struct cxx_node *parse_d_type(struct parser *p, bool *ret_new)
{
	static const struct {
		char code;
		const char *text;
		uint32_t literal;
	} builtins[] = {
		{ 'f', "decimal32" }, { 'd', "decimal64" }, { 'e', "decimal128" },	{ 'h', "half", CXX_LITERAL_FLOAT },
		{ 's', "char16_t" },  { 'i', "char32_t" },  { 'u', "char8_t" },	{ 'a', "auto" },
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
		n = parse_expression(p);
		expect(p, 'E');
		return make(p, CXX_DECLTYPE, n, NULL);
	case 'p':
		n = parse_type(p);
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
	struct cxx_node *result = parse_type(p), *list = parse_types(p, false);
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
		dimension = parse_expression(p);
	}
	expect(p, '_');
	struct cxx_node *element = parse_type(p);
	return make(p, CXX_ARRAY, element, dimension);
}

static struct cxx_node *parse_vendor_type(struct parser *p)
{
	struct cxx_node *name = parse_source_name(p);
	if (!name)
		return NULL;
	struct cxx_node *n = make_text(p, CXX_VENDOR_TYPE, name->text, name->text_bytes);
	if (*p->p == 'I')
		n->a = parse_template_args(p);
	return n;
}

static struct cxx_node *parse_t_type(struct parser *p)
{
	if (p->p[1] == 's' || p->p[1] == 'u' || p->p[1] == 'e') {
		p->p += 2;
		return parse_name(p);
	}
	struct cxx_node *n = parse_template_param(p);
	if (*p->p != 'I')
		return n;
	/* In cvT_I…E the arguments are the conversion's own, unless more of them follow. */
	const char *args_at = p->p;
	size_t noted = p->substitutions.len;
	substitute(p, n);
	struct cxx_node *args = parse_template_args(p);
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
		a = parse_type(p);
		b = parse_type(p);
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
	a = parse_name(p);
	/* Arguments make a new type of what was substituted; ABI tags have noted theirs. */
	*ret_new = !substituted || (a && a->kind == CXX_TEMPLATE && p->p[-1] == 'E') || noted > p->substitutions.len;
	return a;
}

static bool begins_exception_spec(const struct parser *p)
{
	return p->p[0] == 'D' && p->p[1] && strchr("oOwx", p->p[1]);
}

/* A function type behind qualifiers: alone it is nothing that could be substituted. */
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

/* Qualifiers that stand together make one new type: they are not noted one by one. */
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
	struct cxx_node *type = of_function ? parse_qualified_function(p) : parse_type(p);
	if (!type)
		return NULL;
	if (of_function) { /* of member functions: they stand behind the parameters */
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
	struct cxx_node *name = parse_source_name(p);
	if (*p->p == 'I') {
		struct cxx_node *args = parse_template_args(p);
		name = make(p, CXX_TEMPLATE, name, args);
	}
	struct cxx_node *type = parse_type(p);
	return make(p, CXX_VENDOR_QUALIFIER, type, name);
}

static struct cxx_node *parse_type(struct parser *p)
{
	static const struct {
		char code;
		enum cxx_kind kind;
	} prefixes[] = { { 'P', CXX_POINTER }, { 'R', CXX_LVALUE }, { 'O', CXX_RVALUE }, { 'C', CXX_COMPLEX }, { 'G', CXX_IMAGINARY } };
	struct cxx_node *n = NULL;
	bool new = true, done = false;
	if (enter(p)) {
		char c = *p->p;
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes) && !done; i++)
			if (c == prefixes[i].code) {
				p->p++;
				n = make(p, prefixes[i].kind, parse_type(p), NULL);
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

/* --- expressions --- */

static struct cxx_node *parse_expressions(struct parser *p, char end)
{
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	while (!p->bad && *p->p && *p->p != end)
		list_add(p, &tail, parse_expression(p));
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

/* A name in an expression, perhaps of a template. */
static struct cxx_node *parse_simple_name(struct parser *p)
{
	struct cxx_node *n = parse_unqualified_name(p, NULL);
	if (*p->p != 'I')
		return n;
	struct cxx_node *args = parse_template_args(p);
	return make(p, CXX_TEMPLATE, n, args);
}

/*
 * Behind sr: <type> <name>, or <names> E <name>, where older compilers wrote <name> <name> without an E. An E that no
 * name follows closes something outside.
 */
static struct cxx_node *parse_unresolved_name(struct parser *p)
{
	if (!is_digit(*p->p)) {
		struct cxx_node *type = parse_type(p), *name = parse_simple_name(p);
		return make(p, CXX_QUALIFIED, type, name);
	}
	struct cxx_node *n = parse_simple_name(p);
	/* An old compiler's first name is a type, which can be substituted. */
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
	n->b = parse_expression(p);
	if (n->text[1] == 'L' || n->text[1] == 'R')
		n->c = parse_expression(p);
	return n;
}

/* sizeof... of a parameter pack, or of arguments written out. */
static struct cxx_node *parse_count(struct parser *p)
{
	if (take2(p, "sZ")) {
		struct cxx_node *pack = *p->p == 'T' ? parse_template_param(p) : parse_function_param(p);
		return make(p, CXX_COUNT, pack, NULL);
	}
	p->p += 2;
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	while (!p->bad && *p->p && *p->p != 'E')
		list_add(p, &tail, parse_template_arg(p));
	expect(p, 'E');
	return make(p, CXX_COUNT, list, NULL);
}

static struct cxx_node *parse_cast(struct parser *p)
{
	struct cxx_node *type = parse_type(p), *operand;
	if (take(p, '_'))
		operand = parse_expressions(p, 'E');
	else
		operand = parse_expression(p);
	return make(p, CXX_CAST, type, operand);
}

/* nw <placement> _ <type> (E | pi <expressions> E) */
static struct cxx_node *parse_new(struct parser *p)
{
	struct cxx_node *n = make(p, CXX_NEW, parse_operator(p), NULL);
	n->b = parse_expressions(p, '_');
	struct cxx_node *list = make(p, CXX_LIST, NULL, NULL), *tail = list;
	list_add(p, &tail, parse_type(p));
	if (take2(p, "pi"))
		list_add(p, &tail, parse_expressions(p, 'E'));
	else
		expect(p, 'E');
	n->c = list;
	return n;
}

/* Operators with operands that are all expressions, and those that begin with a type. */
static struct cxx_node *parse_operation(struct parser *p)
{
	struct cxx_node *op = parse_operator(p), *n;
	if (!op)
		return NULL;
	const char *code = op->op->code;
	if (!strcmp(code, "st") || !strcmp(code, "at")) {
		n = make(p, CXX_UNARY, op, parse_type(p));
	} else if (!strcmp(code, "dc") || !strcmp(code, "sc") || !strcmp(code, "cc") || !strcmp(code, "rc")) {
		n = make(p, CXX_NAMED_CAST, op, parse_type(p));
		n->c = parse_expression(p);
	} else if ((!strcmp(code, "pp") || !strcmp(code, "mm")) && !take(p, '_')) {
		n = make(p, CXX_SUFFIX, op, parse_expression(p));
	} else if (op->op->operands == 1) {
		n = make(p, CXX_UNARY, op, parse_expression(p));
	} else if (op->op->operands == 2) {
		n = make(p, CXX_BINARY, op, parse_expression(p));
		n->c = parse_expression(p);
	} else if (!strcmp(code, "qu")) {
		n = make(p, CXX_TERNARY, op, make(p, CXX_LIST, NULL, NULL));
		struct cxx_node *tail = n->b;
		for (int i = 0; i < 3; i++)
			list_add(p, &tail, parse_expression(p));
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
		return parse_literal(p);
	if (c == 'T')
		return parse_template_param(p);
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
		a = parse_prefixes(p);
		b = parse_simple_name(p);
		return make(p, CXX_QUALIFIED, a, b);
	}
	if (take2(p, "sr"))
		return parse_unresolved_name(p);
	if (take2(p, "sp"))
		return make(p, CXX_PACK_EXPANSION, parse_expression(p), NULL);
	if (take2(p, "cv"))
		return parse_cast(p);
	if (take2(p, "il"))
		return make(p, CXX_INITIALISER, NULL, parse_expressions(p, 'E'));
	if (take2(p, "tl")) {
		a = parse_type(p);
		b = parse_expressions(p, 'E');
		return make(p, CXX_INITIALISER, a, b);
	}
	if (take2(p, "cl")) {
		a = parse_expression(p);
		b = parse_expressions(p, 'E');
		return make(p, CXX_CALL, a, b);
	}
	if (take2(p, "gs"))
		return make(p, CXX_GLOBAL_SCOPE, parse_expression(p), NULL);
	if (take2(p, "tr"))
		return make(p, CXX_THROW, NULL, NULL);
	return parse_operation(p);
}

static struct cxx_node *parse_expression(struct parser *p)
{
	struct cxx_node *n = NULL;
	if (enter(p))
		n = parse_expression_body(p);
	p->depth--;
	return p->bad ? NULL : n;
}

/* --- encodings --- */

static void skip_number(struct parser *p)
{
	bool any;
	take(p, 'n');
	parse_digits(p, &any);
	expect(p, '_');
}

/* h <number> _, v <number> _ <number> _: how a thunk adjusts this or its result. */
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
		return make_special(p, "guard variable for ", parse_name(p));
	if (take2(p, "GR")) {
		name = parse_name(p);
		n = make(p, CXX_REFERENCE_TEMPORARY, name, NULL);
		n->number = parse_digits(p, &any);
		return n;
	}
	if (take2(p, "GA"))
		return make_special(p, "hidden alias for ", parse_encoding(p, false));
	if (p->p[1] == 'T' && p->p[2]) {
		const char *text = p->p[2] == 'n' ? "non-transaction clone for " : "transaction clone for ";
		p->p += 3;
		return make_special(p, text, parse_encoding(p, false));
	}
	return fail(p);
}

/* Vtables, type information, thunks, guards and the like: behind T or G. */
static struct cxx_node *parse_special_name(struct parser *p)
{
	static const struct {
		const char *code, *text;
	} types[] = { { "TV", "vtable for " },	{ "TT", "VTT for " },	     { "TI", "typeinfo for " }, { "TS", "typeinfo name for " },
		      { "TF", "typeinfo fn for " }, { "TJ", "java Class for " } };
	if (*p->p == 'G')
		return parse_guard_name(p);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (take2(p, types[i].code))
			return make_special(p, types[i].text, parse_type(p));
	if (take2(p, "TH"))
		return make_special(p, "TLS init function for ", parse_name(p));
	if (take2(p, "TW"))
		return make_special(p, "TLS wrapper function for ", parse_name(p));
	if (take2(p, "TA"))
		return make_special(p, "template parameter object for ", parse_template_arg(p));
	if (take2(p, "Tc")) {
		skip_call_offset(p);
		skip_call_offset(p);
		return make_special(p, "covariant return thunk to ", parse_encoding(p, false));
	}
	if (take2(p, "TC")) {
		struct cxx_node *in = parse_type(p);
		skip_number(p);
		struct cxx_node *of = parse_type(p);
		return make(p, CXX_CONSTRUCTION_VTABLE, of, in);
	}
	if (p->p[1] == 'h' || p->p[1] == 'v') {
		const char *text = p->p[1] == 'h' ? "non-virtual thunk to " : "virtual thunk to ";
		p->p++;
		skip_call_offset(p);
		return make_special(p, text, parse_encoding(p, false));
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

/* Templates say what they return, unless they are constructors, destructors or conversions. */
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

/* local: of a function whose local entity is named; its return type is not written. */
static struct cxx_node *parse_encoding(struct parser *p, bool local)
{
	struct cxx_node *n = NULL;
	uint32_t this;
	if (enter(p)) {
		if (is_special(p)) {
			n = parse_special_name(p);
		} else if ((n = parse_name_of(p, &this)) && *p->p && *p->p != 'E' && *p->p != '.' && *p->p != '@') {
			struct cxx_node *result = NULL;
			if (take(p, 'J') || says_return_type(n))
				result = parse_type(p);
			struct cxx_node *type = make(p, CXX_FUNCTION, local ? NULL : result, parse_types(p, false));
			n = make(p, CXX_FUNCTION_NAME, n, type);
			n->number = this;
		}
	}
	p->depth--;
	return p->bad ? NULL : n;
}

struct cxx_node *cxx_parse(struct arena *arena, const char *mangled)
{
	struct parser p = { .arena = arena, .p = mangled + 2 };
	uint32_t this;
	struct cxx_node *n = is_special(&p) ? parse_special_name(&p) : parse_name_of(&p, &this);
	vec_deinit(&p.substitutions);
	return p.bad ? NULL : n;
}
