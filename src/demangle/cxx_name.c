#include "demangle/cxx_parse_priv.h"

struct cxx_node *cxx_parse_source_name(struct parser *p)
{
	bool any;
	uint32_t n = parse_digits(p, &any);
	const char *text = p->p;
	if (!any || !n || strnlen(text, n) < n)
		return fail(p);
	p->p += n;
	/* Compilers' names for the unnamed namespace: _GLOBAL_ . N or _ N … */
	if (n >= 10 && !strncmp(text, "_GLOBAL_", 8) && strchr("._$", text[8]) && text[9] == 'N')
		return make_text(p, CXX_NAME, "(anonymous namespace)", strlen("(anonymous namespace)"));
	return make_text(p, CXX_NAME, text, n);
}

static struct cxx_node *parse_abi_tags(struct parser *p, struct cxx_node *n)
{
	while (!p->bad && take(p, 'B')) {
		struct cxx_node *tag = cxx_parse_source_name(p);
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

/* S_ S0_ St Sa Ss …; an abbreviation with ABI tags can itself be substituted. */
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
struct cxx_node *cxx_parse_template_param(struct parser *p)
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

/* Ul <types> E [<number>] _, Ut [<number>] _ */
static struct cxx_node *parse_unnamed(struct parser *p)
{
	struct cxx_node *n;
	expect(p, 'U');
	if (take(p, 'l')) {
		n = make(p, CXX_LAMBDA, NULL, NULL);
		n->a = cxx_parse_types(p, true);
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
		struct cxx_node *type = cxx_parse_type(p);
		p->in_conversion = was;
		return make(p, CXX_CONVERSION, type, NULL);
	}
	if (take2(p, "li")) {
		struct cxx_node *name = cxx_parse_source_name(p);
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
			list_add(p, &tail, cxx_parse_source_name(p));
		expect(p, 'E');
		return make(p, CXX_BINDING, list, NULL);
	}
	bool is_constructor = *p->p++ == 'C', inherited = is_constructor && take(p, 'I');
	if (!is_digit(*p->p) || !class)
		return fail(p);
	p->p++;
	if (inherited)
		cxx_parse_type(p);
	return make(p, is_constructor ? CXX_CONSTRUCTOR : CXX_DESTRUCTOR, (struct cxx_node *)class, NULL);
}

/* Distinguishes entities that would otherwise have the same name; not shown. */
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

struct cxx_node *cxx_parse_unqualified_name(struct parser *p, const struct cxx_node *class)
{
	struct cxx_node *n = NULL;
	if (enter(p)) {
		take(p, 'F'); /* member-like friend */
		bool internal = take(p, 'L');
		if (take2(p, "on"))
			n = parse_operator_name(p);
		else if (is_digit(*p->p))
			n = cxx_parse_source_name(p);
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

/* Between N and E. Each prefix can be substituted, except for the whole name. */
struct cxx_node *cxx_parse_prefixes(struct parser *p)
{
	struct cxx_node *n = NULL;
	while (!p->bad && !take(p, 'E')) {
		char kind = *p->p;
		struct cxx_node *part;
		if (kind == 'M') { /* in a member's initialiser: a lambda follows */
			p->p++;
			continue;
		}
		if (kind == 'I' || kind == 'J') {
			if (!n)
				return fail(p);
			part = cxx_parse_template_args(p);
			n = make(p, CXX_TEMPLATE, n, part);
		} else {
			if (kind == 'S')
				part = parse_substitution(p);
			else if (kind == 'T')
				part = cxx_parse_template_param(p);
			else if (kind == 'D' && (p->p[1] == 't' || p->p[1] == 'T'))
				part = cxx_parse_type(p);
			else
				part = cxx_parse_unqualified_name(p, n);
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
	return cxx_parse_prefixes(p);
}

/* Z <encoding> E (<name> | s | d [<number>] _ <name>) */
static struct cxx_node *parse_local_name(struct parser *p, uint32_t *ret_this)
{
	expect(p, 'Z');
	struct cxx_node *function = cxx_parse_encoding(p, true), *entity;
	expect(p, 'E');
	if (*p->p == 's' && !is_lower(p->p[1])) {
		p->p++;
		entity = make_text(p, CXX_NAME, "string literal", strlen("string literal"));
		skip_discriminator(p);
	} else if (take(p, 'd')) {
		uint32_t number = parse_index(p) + 1;
		entity = make(p, CXX_DEFAULT_ARG, NULL, NULL);
		entity->number = number;
		entity->a = cxx_parse_name_of(p, ret_this);
	} else {
		entity = cxx_parse_name_of(p, ret_this);
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
		n = make(p, CXX_QUALIFIED, std, cxx_parse_unqualified_name(p, NULL));
	} else {
		n = cxx_parse_unqualified_name(p, NULL);
	}
	if (*p->p != 'I') /* a J begins the next argument */
		return n;
	if (!substituted)
		substitute(p, n);
	struct cxx_node *args = cxx_parse_template_args(p);
	return make(p, CXX_TEMPLATE, n, args);
}

struct cxx_node *cxx_parse_name_of(struct parser *p, uint32_t *ret_this)
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

struct cxx_node *cxx_parse_name(struct parser *p)
{
	uint32_t ignored;
	return cxx_parse_name_of(p, &ignored);
}
