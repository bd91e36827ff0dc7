#include "symbol/cxx_name.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/vector.h"

#define DEPTH_MAX  200
#define OUTPUT_MAX ((uint64_t)256 << 10)

/*
 * A few hundred bytes of mangled text can stand for gigabytes: each substitution may repeat all that came before it. So
 * the walk also adds up how long the readable text will be, by the ABI's numbering of what can be substituted. The sum
 * is generous with each piece; what matters is that it grows where the text does.
 */
struct walker {
	const char *p;
	int depth;
	bool bad;
	uint64_t length;       /* of the readable text so far */
	VEC(uint64_t) lengths; /* of what S_, S0_, S1_ … stand for */
	uint64_t argument;     /* longest template argument of the function that is being read: T_ stands for one */
	bool in_signature;
};

static void walk_type(struct walker *w);
static void walk_name(struct walker *w);
static void walk_encoding(struct walker *w);
static void walk_expression(struct walker *w);
static void walk_template_args(struct walker *w);
static void walk_unqualified_name(struct walker *w);

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

static void fail(struct walker *w)
{
	w->bad = true;
	w->p = "";
}

static void add_length(struct walker *w, uint64_t n)
{
	w->length += n;
	if (w->length > OUTPUT_MAX)
		fail(w);
}

/* What was read since `from` can be substituted from here on. */
static void add_candidate(struct walker *w, uint64_t from)
{
	if (!w->bad)
		vec_push(&w->lengths, w->length - from);
}

static bool enter(struct walker *w)
{
	if (w->bad || ++w->depth > DEPTH_MAX) {
		fail(w);
		return false;
	}
	return true;
}

static bool take(struct walker *w, char c)
{
	if (*w->p != c)
		return false;
	w->p++;
	return true;
}

static bool take2(struct walker *w, const char *two)
{
	if (w->p[0] != two[0] || w->p[1] != two[1])
		return false;
	w->p += 2;
	return true;
}

static void expect(struct walker *w, char c)
{
	if (!take(w, c))
		fail(w);
}

/* [n] <decimal>; may be absent. */
static void walk_number(struct walker *w)
{
	take(w, 'n');
	while (is_digit(*w->p))
		w->p++;
}

/* <number> <that many characters> */
static void walk_source_name(struct walker *w)
{
	size_t n = 0;
	if (!is_digit(*w->p)) {
		fail(w);
		return;
	}
	while (is_digit(*w->p) && n < 1000000)
		n = n * 10 + (size_t)(*w->p++ - '0');
	if (!n || strnlen(w->p, n) < n) {
		fail(w);
		return;
	}
	w->p += n;
	add_length(w, n + 2); /* "::", or ", " */
}

/* [<base 36 number>] _: its value, 0 where there are no digits, one more than the number else. */
static size_t walk_sequence(struct walker *w)
{
	size_t n = 0;
	bool any = false;
	for (; is_digit(*w->p) || is_upper(*w->p); w->p++, any = true)
		if (n < 1000000)
			n = n * 36 + (size_t)(is_digit(*w->p) ? *w->p - '0' : *w->p - 'A' + 10);
	expect(w, '_');
	return any ? n + 1 : 0;
}

/* T_ T0_ TL0__ … */
static void walk_template_param(struct walker *w)
{
	expect(w, 'T');
	if (take(w, 'L')) {
		walk_number(w);
		expect(w, '_');
	}
	walk_number(w);
	expect(w, '_');
	add_length(w, w->argument + 8);
}

/* S_ S0_ St Sa Ss …: abbreviations carry ABI tags ("Ss" of B5cxx11). */
static void walk_substitution(struct walker *w)
{
	expect(w, 'S');
	if (*w->p == '_' || is_digit(*w->p) || is_upper(*w->p)) {
		size_t nr = walk_sequence(w);
		if (nr < w->lengths.len)
			add_length(w, w->lengths.data[nr] + 2);
		else
			fail(w);
		return;
	}
	if (!*w->p || !strchr("tabsiod", *w->p)) {
		fail(w);
		return;
	}
	w->p++;
	add_length(w, 80); /* std::basic_string<char, std::char_traits<char>, std::allocator<char> > */
	while (take(w, 'B'))
		walk_source_name(w);
}

static void walk_abi_tags(struct walker *w)
{
	while (!w->bad && take(w, 'B'))
		walk_source_name(w);
}

/* Types up to an E, which is taken. */
static void walk_types_to_end(struct walker *w)
{
	while (!w->bad && *w->p && *w->p != 'E')
		walk_type(w);
	expect(w, 'E');
}

/* Ul <types> E [<number>] _, Ut [<number>] _ */
static void walk_unnamed(struct walker *w)
{
	expect(w, 'U');
	if (take(w, 'l')) {
		walk_types_to_end(w);
	} else if (!take(w, 't')) {
		fail(w);
		return;
	}
	walk_number(w);
	expect(w, '_');
	add_length(w, 40);
}

static void walk_operator_name(struct walker *w)
{
	if (!is_lower(w->p[0]) || !w->p[1]) {
		fail(w);
	} else if (take2(w, "cv")) {
		walk_type(w);
	} else if (take2(w, "li")) {
		walk_source_name(w);
	} else if (w->p[0] == 'v' && is_digit(w->p[1])) { /* vendor operators */
		w->p += 2;
		walk_source_name(w);
	} else {
		w->p += 2;
	}
	add_length(w, 20);
}

/* C1 C2 CI1<type> D0 D1 DC<names>E: constructors, destructors, structured bindings. */
static void walk_special_member(struct walker *w)
{
	if (take2(w, "DC")) {
		while (!w->bad && is_digit(*w->p))
			walk_source_name(w);
		expect(w, 'E');
		return;
	}
	bool inherited = w->p[0] == 'C' && w->p[1] == 'I';
	w->p += inherited ? 2 : 1;
	if (!is_digit(*w->p))
		fail(w);
	else
		w->p++;
	if (inherited)
		walk_type(w);
	/* The name of the class again: what stands before it is at least as long. */
	add_length(w, w->lengths.len ? vec_last(&w->lengths) : 80);
}

static void walk_discriminator(struct walker *w)
{
	if (!take(w, '_'))
		return;
	bool two = take(w, '_');
	const char *digits = w->p;
	walk_number(w);
	if (two && w->p - digits > 1)
		take(w, '_');
}

static void walk_unqualified_name(struct walker *w)
{
	if (!enter(w))
		return;
	take(w, 'F'); /* member-like friend */
	bool internal = take(w, 'L');
	if (take2(w, "on"))
		walk_operator_name(w);
	else if (is_digit(*w->p))
		walk_source_name(w);
	else if (is_lower(*w->p))
		walk_operator_name(w);
	else if (*w->p == 'U')
		walk_unnamed(w);
	else if (*w->p == 'C' || *w->p == 'D')
		walk_special_member(w);
	else
		fail(w);
	if (internal)
		walk_discriminator(w);
	walk_abi_tags(w);
	w->depth--;
}

/* Qualifiers of `this`: r V K, then R or O. */
static void walk_this_qualifiers(struct walker *w)
{
	take(w, 'H'); /* explicit object parameter */
	while (*w->p == 'r' || *w->p == 'V' || *w->p == 'K')
		w->p++;
	if (*w->p == 'R' || *w->p == 'O')
		w->p++;
}

/* Between N and E. Each prefix that is not the whole can be substituted. */
static void walk_prefixes(struct walker *w)
{
	uint64_t from = w->length;
	while (!w->bad && !take(w, 'E')) {
		char kind = *w->p;
		if (*w->p == 'S')
			walk_substitution(w);
		else if (*w->p == 'I' || *w->p == 'J')
			walk_template_args(w);
		else if (*w->p == 'T')
			walk_template_param(w);
		else if (w->p[0] == 'D' && (w->p[1] == 't' || w->p[1] == 'T'))
			walk_type(w);
		else if (!take(w, 'M')) /* of a member's initialiser: a lambda follows */
			walk_unqualified_name(w);
		if (kind != 'S' && kind != 'M' && *w->p != 'E')
			add_candidate(w, from);
	}
}

static void walk_nested_name(struct walker *w)
{
	expect(w, 'N');
	walk_this_qualifiers(w);
	walk_prefixes(w);
}

/* Z <encoding> E, up to where the entity's own name begins. */
static void walk_local_function(struct walker *w)
{
	expect(w, 'Z');
	walk_encoding(w);
	expect(w, 'E');
	if (take(w, 'd')) { /* in the default argument of a parameter */
		walk_number(w);
		expect(w, '_');
	}
}

static void walk_local_name(struct walker *w)
{
	walk_local_function(w);
	if (*w->p == 's' && !is_lower(w->p[1]))
		w->p++;
	else
		walk_name(w);
	walk_discriminator(w);
}

static void walk_name(struct walker *w)
{
	if (!enter(w))
		return;
	if (*w->p == 'N') {
		walk_nested_name(w);
	} else if (*w->p == 'Z') {
		walk_local_name(w);
	} else {
		uint64_t from = w->length;
		bool substituted = *w->p == 'S' && w->p[1] != 't';
		if (substituted) {
			walk_substitution(w);
		} else {
			if (take2(w, "St"))
				add_length(w, 5);
			walk_unqualified_name(w);
		}
		if (*w->p == 'I') { /* a J begins the next argument */
			if (!substituted)
				add_candidate(w, from);
			walk_template_args(w);
		}
	}
	w->depth--;
}

/* L <type> <value> E, L <mangled name> E */
static void walk_literal(struct walker *w)
{
	expect(w, 'L');
	take(w, '_'); /* L_Z…E; some compilers wrote LZ…E */
	if (take(w, 'Z')) {
		walk_encoding(w);
	} else {
		walk_type(w);
		/* The value runs to the next E: digits, or the bytes of a floating number in lower case. */
		const char *value = w->p;
		while (*w->p && *w->p != 'E')
			w->p++;
		add_length(w, (uint64_t)(w->p - value) + 8);
	}
	expect(w, 'E');
}

static void walk_template_arg(struct walker *w)
{
	if (!enter(w))
		return;
	if (*w->p == 'L') {
		walk_literal(w);
	} else if (take(w, 'X')) {
		walk_expression(w);
		expect(w, 'E');
	} else if (*w->p == 'I' || *w->p == 'J') {
		walk_template_args(w);
	} else {
		walk_type(w);
	}
	w->depth--;
}

static void walk_template_args(struct walker *w)
{
	uint64_t longest = 0;
	if (!take(w, 'I'))
		expect(w, 'J');
	while (!w->bad && *w->p != 'E') {
		uint64_t from = w->length;
		walk_template_arg(w);
		add_length(w, 3);
		if (w->length - from > longest)
			longest = w->length - from;
	}
	expect(w, 'E');
	if (!w->in_signature)
		w->argument = longest;
}

/* D…: decltype, pack expansions, vectors, and the newer builtin types. */
static void walk_d_type(struct walker *w)
{
	w->p++;
	char kind = *w->p;
	if (!kind) {
		fail(w);
		return;
	}
	w->p++;
	switch (kind) {
	case 't':
	case 'T':
		walk_expression(w);
		expect(w, 'E');
		break;
	case 'p':
		walk_type(w);
		break;
	case 'v': /* Dv <number> _ <type>, Dv _ <expression> _ <type> */
		if (take(w, '_'))
			walk_expression(w);
		else
			walk_number(w);
		expect(w, '_');
		walk_type(w);
		break;
	case 'F': /* DF16_ DF16b DF32x */
		walk_number(w);
		if (!take(w, '_') && !take(w, 'b'))
			expect(w, 'x');
		break;
	case 'B':
	case 'U':
		if (is_digit(*w->p))
			walk_number(w);
		else
			walk_expression(w);
		expect(w, '_');
		break;
	case 'o': /* noexcept, and so a function type follows */
	case 'x':
		walk_type(w);
		break;
	case 'O':
		walk_expression(w);
		expect(w, 'E');
		walk_type(w);
		break;
	case 'w':
		walk_types_to_end(w);
		walk_type(w);
		break;
	default:
		if (!strchr("fdehsuiacnk", kind))
			fail(w);
	}
}

/* F [Y] <types> [R|O] E */
static void walk_function_type(struct walker *w)
{
	expect(w, 'F');
	take(w, 'Y');
	while (!w->bad && *w->p && *w->p != 'E') {
		if ((*w->p == 'R' || *w->p == 'O') && w->p[1] == 'E')
			w->p++;
		else
			walk_type(w);
	}
	expect(w, 'E');
}

static void walk_array_type(struct walker *w)
{
	expect(w, 'A');
	if (is_digit(*w->p))
		walk_number(w);
	else if (*w->p != '_')
		walk_expression(w);
	expect(w, '_');
	walk_type(w);
}

/* Everything that goes before another type. */
static bool is_type_prefix(char c)
{
	return c && strchr("rVKPROCG", c);
}

static bool is_cv(char c)
{
	return c == 'r' || c == 'V' || c == 'K';
}

/* T_, or a template template parameter with its arguments. */
static void walk_type_of_param(struct walker *w)
{
	uint64_t from = w->length;
	walk_template_param(w);
	if (*w->p == 'I') {
		add_candidate(w, from);
		walk_template_args(w);
	}
}

/* U<vendor qualifier> <type>, or a lambda or unnamed type. */
static void walk_u_type(struct walker *w)
{
	if (w->p[1] == 'l' || w->p[1] == 't') {
		walk_name(w);
		return;
	}
	w->p++;
	walk_source_name(w);
	if (*w->p == 'I')
		walk_template_args(w);
	walk_type(w);
}

/* A type without prefixes; whether it can be substituted: builtins, and what was substituted itself, cannot. */
static bool walk_type_body(struct walker *w)
{
	const char *from = w->p;
	switch (*w->p) {
	case 'D':
		walk_d_type(w);
		return !strchr("fdehsuiacnFBU", from[1] ? from[1] : 'f');
	case 'F':
		walk_function_type(w);
		return true;
	case 'A':
		walk_array_type(w);
		return true;
	case 'M':
		w->p++;
		walk_type(w);
		walk_type(w);
		return true;
	case 'T':
		if (w->p[1] == 's' || w->p[1] == 'u' || w->p[1] == 'e') {
			w->p += 2;
			walk_name(w);
		} else {
			walk_type_of_param(w);
		}
		return true;
	case 'U':
		walk_u_type(w);
		return true;
	case 'u':
		w->p++;
		walk_source_name(w);
		if (*w->p == 'I')
			walk_template_args(w);
		return true;
	}
	if (is_lower(*w->p)) {
		w->p++;
		return false;
	}
	bool substituted = *from == 'S' && from[1] != 't';
	walk_name(w);
	/* Arguments make a new type of what was substituted. */
	return !substituted || (w->p > from && !w->bad && w->p[-1] == 'E');
}

static void walk_type(struct walker *w)
{
	if (!enter(w))
		return;
	uint64_t from = w->length;
	int prefixes = 0;
	for (bool cv = false; is_type_prefix(*w->p); w->p++) {
		/* Qualifiers that stand together make one new type. */
		prefixes += !(cv && is_cv(*w->p));
		cv = is_cv(*w->p);
	}
	add_length(w, 12 * (uint64_t)prefixes + 18);
	if (walk_type_body(w))
		add_candidate(w, from);
	while (prefixes--)
		add_candidate(w, from);
	w->depth--;
}

static void walk_expressions_to_end(struct walker *w)
{
	while (!w->bad && *w->p && *w->p != 'E')
		walk_expression(w);
	expect(w, 'E');
}

/* fp_ fpT fp0_ fL0p_: a parameter of the function in an expression of its signature. */
static void walk_function_param(struct walker *w)
{
	if (take2(w, "fL")) {
		walk_number(w);
		expect(w, 'p');
	} else {
		w->p += 2;
		if (take(w, 'T'))
			return;
	}
	while (*w->p == 'r' || *w->p == 'V' || *w->p == 'K')
		w->p++;
	walk_number(w);
	expect(w, '_');
}

/* A name in an expression: source names and operators, perhaps of a template. */
static void walk_expression_name(struct walker *w)
{
	walk_unqualified_name(w);
	if (*w->p == 'I')
		walk_template_args(w);
}

/*
 * Behind sr: <type> <name>, or <names> E <name>, where older compilers wrote <name> <name> without an E. An E that no
 * name follows closes something outside.
 */
static void walk_unresolved_name(struct walker *w)
{
	if (!is_digit(*w->p)) {
		walk_type(w);
		walk_expression_name(w);
		return;
	}
	while (!w->bad && is_digit(*w->p))
		walk_expression_name(w);
	if (w->p[0] == 'E' && (is_digit(w->p[1]) || (w->p[1] == 'o' && w->p[2] == 'n'))) {
		w->p++;
		walk_expression_name(w);
	}
}

/* [gs] nw <expressions> _ <type> (E | pi <expressions> E) */
static void walk_new(struct walker *w)
{
	while (!w->bad && *w->p && *w->p != '_')
		walk_expression(w);
	expect(w, '_');
	walk_type(w);
	if (take2(w, "pi"))
		walk_expressions_to_end(w);
	else
		expect(w, 'E');
}

/* Operators by their number of operands; those with types or lists are treated before. */
static int operands(const char *op)
{
	static const char unary[] = "psngaddecontppmmszaznxawtwtedlda", ternary[] = "qu",
			  binary[] = "plmimldvrmanoreoaSpLmImLdVrMaNoReOlsrslSrSeqneltgtlegessaaoocmpmixds";
	for (const char *u = unary; *u; u += 2)
		if (u[0] == op[0] && u[1] == op[1])
			return 1;
	for (const char *b = binary; *b && b[1]; b += 2)
		if (b[0] == op[0] && b[1] == op[1])
			return 2;
	return op[0] == ternary[0] && op[1] == ternary[1] ? 3 : 0;
}

/* Expressions that begin with two letters and are not plain operators. */
static bool walk_special_expression(struct walker *w)
{
	if (w->p[0] == 'f' && (w->p[1] == 'p' || (w->p[1] == 'L' && is_digit(w->p[2])))) {
		walk_function_param(w);
	} else if (w->p[0] == 'f' && strchr("lrLR", w->p[1] ? w->p[1] : '?')) { /* folds */
		bool two = w->p[1] == 'L' || w->p[1] == 'R';
		w->p += 4;
		walk_expression(w);
		if (two)
			walk_expression(w);
	} else if (take2(w, "sr")) {
		walk_unresolved_name(w);
	} else if (take2(w, "sp")) {
		walk_expression(w);
	} else if (take2(w, "sZ")) {
		if (*w->p == 'T')
			walk_template_param(w);
		else
			walk_function_param(w);
	} else if (take2(w, "sP")) {
		while (!w->bad && *w->p && *w->p != 'E')
			walk_template_arg(w);
		expect(w, 'E');
	} else if (take2(w, "il") || take2(w, "cl") || take2(w, "cp")) {
		walk_expressions_to_end(w);
	} else if (take2(w, "tl")) {
		walk_type(w);
		walk_expressions_to_end(w);
	} else if (take2(w, "cv")) {
		walk_type(w);
		if (take(w, '_'))
			walk_expressions_to_end(w);
		else
			walk_expression(w);
	} else if (take2(w, "dc") || take2(w, "sc") || take2(w, "cc") || take2(w, "rc")) {
		walk_type(w);
		walk_expression(w);
	} else if (take2(w, "st") || take2(w, "at") || take2(w, "ti")) {
		walk_type(w);
	} else if (take2(w, "nw") || take2(w, "na")) {
		walk_new(w);
	} else if (take2(w, "dt") || take2(w, "pt")) {
		walk_expression(w);
		walk_expression(w);
	} else if (!take2(w, "tr")) {
		return false;
	}
	return true;
}

static void walk_expression_body(struct walker *w)
{
	if (*w->p == 'L') {
		walk_literal(w);
		return;
	}
	if (*w->p == 'T') {
		walk_template_param(w);
		return;
	}
	if (w->p[0] == 'o' && w->p[1] == 'n') {
		walk_expression_name(w);
		return;
	}
	if (is_digit(*w->p)) {
		walk_expression_name(w);
		return;
	}
	if (w->p[0] == 's' && w->p[1] == 'r' && w->p[2] == 'N') { /* sr N <type> <names> E <name> */
		w->p += 3;
		walk_prefixes(w);
		walk_expression_name(w);
		return;
	}
	if (walk_special_expression(w))
		return;
	int n = w->p[0] ? operands(w->p) : 0;
	if (!n) {
		fail(w);
		return;
	}
	w->p += 2;
	take(w, '_'); /* pp_ mm_: prefix forms */
	while (n--)
		walk_expression(w);
}

static void walk_expression(struct walker *w)
{
	if (!enter(w))
		return;
	take2(w, "gs");
	walk_expression_body(w);
	w->depth--;
}

/* h <number> _, v <number> _ <number> _: how a thunk adjusts `this` or the result. */
static void walk_call_offset(struct walker *w)
{
	if (take(w, 'v')) {
		walk_number(w);
		expect(w, '_');
	} else {
		expect(w, 'h');
	}
	walk_number(w);
	expect(w, '_');
}

/* Vtables, type information, thunks, guards and the like: behind T or G. */
static void walk_special_name(struct walker *w)
{
	bool guard = *w->p == 'G';
	char kind = w->p[1];
	if (!kind) {
		fail(w);
		return;
	}
	w->p++;
	if (!guard && (kind == 'h' || kind == 'v')) {
		walk_call_offset(w);
		walk_encoding(w);
		return;
	}
	w->p++;
	if (!guard && kind == 'c') {
		walk_call_offset(w);
		walk_call_offset(w);
		walk_encoding(w);
	} else if (!guard && kind == 'C') {
		walk_type(w);
		walk_number(w);
		expect(w, '_');
		walk_type(w);
	} else if (!guard && (kind == 'H' || kind == 'W')) {
		walk_name(w);
	} else if (!guard && kind == 'A') {
		walk_template_arg(w);
	} else if (!guard && strchr("VTISFJ", kind)) {
		walk_type(w);
	} else if (guard && kind == 'R') {
		/* Its number's "_" is left: __cxa_demangle does not take it where the name could not end in one. */
		walk_name(w);
		walk_number(w);
	} else if (guard && kind == 'V') {
		walk_name(w);
	} else if (guard && kind == 'A') {
		walk_encoding(w);
	} else if (guard && kind == 'T') { /* clones for transactions */
		w->p += *w->p != 0;
		walk_encoding(w);
	} else {
		fail(w);
	}
}

static bool is_special(const struct walker *w)
{
	return *w->p == 'G' || (*w->p == 'T' && w->p[1] != '_' && !is_digit(w->p[1]));
}

static void walk_encoding(struct walker *w)
{
	if (!enter(w))
		return;
	uint64_t argument = w->argument;
	bool in_signature = w->in_signature;
	w->in_signature = false;
	if (is_special(w)) {
		walk_special_name(w);
	} else {
		walk_name(w);
		w->in_signature = true;
		take(w, 'J'); /* a return type follows */
		while (!w->bad && *w->p && *w->p != 'E' && *w->p != '.' && *w->p != '@')
			walk_type(w);
	}
	w->argument = argument;
	w->in_signature = in_signature;
	w->depth--;
}

static bool append(struct strbuf *ret, const struct walker *w, const char *from)
{
	if (w->bad)
		return false;
	strbuf_add(ret, from, (size_t)(w->p - from));
	return true;
}

/* N <qualifiers> …: the qualifiers are left out. */
static bool append_name(struct strbuf *ret, struct walker *w)
{
	const char *from = w->p;
	if (*w->p == 'N') {
		w->p++;
		walk_this_qualifiers(w);
		strbuf_addch(ret, 'N');
		from = w->p;
		walk_prefixes(w);
	} else {
		walk_name(w);
	}
	return append(ret, w, from);
}

static bool reduce(struct walker *w, struct strbuf *ret)
{
	const char *from = w->p;
	if (is_special(w)) {
		walk_special_name(w);
		return append(ret, w, from);
	}
	if (*w->p != 'Z')
		return append_name(ret, w);
	walk_local_function(w);
	if (!append(ret, w, from))
		return false;
	if (*w->p == 's' && !is_lower(w->p[1])) {
		strbuf_addch(ret, 's');
		return true;
	}
	if (!append_name(ret, w))
		return false;
	from = w->p;
	walk_discriminator(w);
	return append(ret, w, from);
}

bool cxx_name_reduce(const char *mangled, struct strbuf *ret)
{
	struct walker w = { .p = mangled + 2 };
	strbuf_addstr(ret, "_Z");
	bool done = reduce(&w, ret);
	vec_deinit(&w.lengths);
	return done;
}
