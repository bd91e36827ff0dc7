#include "demangle/d_name.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "demangle/letters.h"
#include "demangle/readable.h"

/* Back references may multiply the text: longer names stay mangled. */
#define OUTPUT_MAX  65536
#define STEPS_MAX   100000
#define DEPTH_MAX   200
#define PRINTED_MAX (16 * OUTPUT_MAX)
#define BACK_DIGITS 8

struct d_names {
	const char *start, *p; /* p[0] at the end is NUL */
	struct strbuf out;
	size_t printed;        /* bytes, also those that were withdrawn or moved */
	int depth, steps;
	int quiet;             /* > 0: parse without printing */
	bool bad;              /* does not follow the grammar: an alternative may */
	bool exceeded;         /* a limit: nothing is tried any more */
};

struct span {
	const char *from, *end;
};

static void read_type(struct d_names *d);
static void read_qualified(struct d_names *d);
static void read_mangled(struct d_names *d, bool whole);
static void read_value(struct d_names *d, char type, struct span type_text);

/* ---- the cursor and the output ---- */

static void fail(struct d_names *d)
{
	d->bad = true;
}

static bool enter(struct d_names *d)
{
	if (++d->depth > DEPTH_MAX || ++d->steps > STEPS_MAX || d->out.len > OUTPUT_MAX || d->printed > PRINTED_MAX)
		d->bad = d->exceeded = true;
	return !d->bad;
}

static void leave(struct d_names *d)
{
	d->depth--;
}

/* Loops without enter(): back references may repeat them. */
static void charge(struct d_names *d, struct span s)
{
	d->steps += (int)(s.end - s.from > STEPS_MAX ? STEPS_MAX : s.end - s.from) / 16;
	if (d->steps > STEPS_MAX)
		d->bad = d->exceeded = true;
}

static bool take(struct d_names *d, char c)
{
	if (d->bad || *d->p != c)
		return false;
	d->p++;
	return true;
}

static bool take_text(struct d_names *d, const char *s)
{
	size_t n = strlen(s);
	if (d->bad || strncmp(d->p, s, n) != 0)
		return false;
	d->p += n;
	return true;
}

static void print_n(struct d_names *d, const char *s, size_t n)
{
	if (d->quiet || d->bad)
		return;
	d->printed += n;
	if (d->printed > PRINTED_MAX)
		d->bad = d->exceeded = true;
	else
		strbuf_add(&d->out, s, n);
}

static void print(struct d_names *d, const char *s)
{
	print_n(d, s, strlen(s));
}

/* What is mangled before is sometimes written after: exchanges out[from..middle) and out[middle..end). */
static void exchange(struct d_names *d, size_t from, size_t middle)
{
	size_t first = middle - from, second = d->out.len - middle;
	if (!first || !second || d->bad)
		return;
	d->printed += first + second;
	_cleanup_free_ char *copy = xstrndup(d->out.data + from, first);
	memmove(d->out.data + from, d->out.data + middle, second);
	memcpy(d->out.data + from + second, copy, first);
}

static void withdraw(struct d_names *d, size_t length)
{
	if (d->out.len > length) {
		d->out.len = length;
		d->out.data[length] = 0;
	}
}

static struct span read_digits(struct d_names *d)
{
	struct span digits = { d->p, d->p };
	while (!d->bad && is_digit(*d->p))
		d->p++;
	digits.end = d->p;
	charge(d, digits);
	if (digits.end == digits.from)
		fail(d);
	return digits;
}

static uint64_t read_number(struct d_names *d)
{
	struct span digits = read_digits(d);
	uint64_t n = 0;
	for (const char *at = digits.from; at < digits.end; at++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
			fail(d);
	return d->bad ? 0 : n;
}

/* Where the back reference at p points, and its own end; NULL: it is none. "Qb": 1 byte before the Q; "QBa": 26. */
static const char *back_reference(const struct d_names *d, const char *p, const char **ret_end)
{
	uint64_t distance = 0;
	const char *q = p;
	*ret_end = p;
	if (*p++ != 'Q')
		return NULL;
	while (*p >= 'A' && *p <= 'Z' && p - q < BACK_DIGITS)
		distance = distance * 26 + (uint64_t)(*p++ - 'A');
	if (*p < 'a' || *p > 'z')
		return NULL;
	distance = distance * 26 + (uint64_t)(*p++ - 'a');
	*ret_end = p;
	return distance && distance <= (uint64_t)(q - d->start) ? q - distance : NULL;
}

/* ---- names ---- */

static bool is_symbol_ahead(const struct d_names *d)
{
	const char *end, *target;
	if (d->bad)
		return false;
	if (is_digit(*d->p) || !strncmp(d->p, "__T", 3) || !strncmp(d->p, "__U", 3))
		return true;
	target = back_reference(d, d->p, &end);
	return target && is_digit(*target);
}

/* <number><name>, or a reference to one. */
static struct span read_identifier(struct d_names *d)
{
	const char *end, *target = back_reference(d, d->p, &end);
	if (target)
		d->p = target;
	uint64_t n = read_number(d);
	struct span name = { d->p, d->p };
	if (d->bad || n > strnlen(d->p, n)) {
		fail(d);
		return name;
	}
	name.end = name.from + n;
	d->p = target ? end : name.end;
	return name;
}

static bool span_equals(struct span s, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(s.end - s.from) == n && !memcmp(s.from, text, n);
}

/* "__S12" stands for the function around a symbol, if two of one name are in it. */
static bool is_local_parent(struct span name)
{
	if (name.end - name.from < 4 || memcmp(name.from, "__S", 3) != 0)
		return false;
	for (const char *at = name.from + 3; at < name.end; at++)
		if (!is_digit(*at))
			return false;
	return true;
}

static void print_identifier(struct d_names *d, struct span name)
{
	if (span_equals(name, "__ctor"))
		print(d, "this");
	else if (span_equals(name, "__dtor"))
		print(d, "~this");
	else if (span_equals(name, "__postblit") && take_text(d, "MFZ"))
		print(d, "this(this)");
	else
		print_n(d, name.from, (size_t)(name.end - name.from));
}

/* The value's type is not shown, but for structures. */
static void read_value_argument(struct d_names *d)
{
	const char *end, *target = back_reference(d, d->p, &end), *type = target ? target : d->p;
	for (int i = 0; i < DEPTH_MAX && (*type == 'x' || *type == 'y' || *type == 'O'); i++)
		type++;
	size_t length = d->out.len;
	read_type(d);
	if (d->bad)
		return;
	_cleanup_free_ char *text = xstrndup(strbuf_str(&d->out) + length, d->out.len - length);
	withdraw(d, length);
	read_value(d, *type, (struct span){ text, text + strlen(text) });
}

static void read_template_argument(struct d_names *d)
{
	take(d, 'H'); /* of a specialised parameter */
	if (take(d, 'T')) {
		read_type(d);
	} else if (take(d, 'V')) {
		read_value_argument(d);
	} else if (take(d, 'S')) {
		if (take_text(d, "_D"))
			read_mangled(d, true);
		else
			read_qualified(d);
	} else if (take(d, 'X')) {
		struct span name = read_identifier(d);
		print_n(d, name.from, (size_t)(name.end - name.from));
	} else {
		fail(d);
	}
}

static void read_template(struct d_names *d)
{
	print_identifier(d, read_identifier(d));
	print(d, "!(");
	for (bool is_first = true; !d->bad && !take(d, 'Z'); is_first = false) {
		if (!is_first)
			print(d, ", ");
		if (enter(d))
			read_template_argument(d);
		leave(d);
	}
	print(d, ")");
}

/* False: nothing is to be shown. */
static bool read_symbol(struct d_names *d)
{
	if (take_text(d, "__T") || take_text(d, "__U")) {
		read_template(d);
		return true;
	}
	if (take(d, '0')) /* anonymous */
		return false;
	struct span name = read_identifier(d);
	if (d->bad || is_local_parent(name))
		return false;
	print_identifier(d, name);
	return true;
}

/* ---- functions ---- */

static struct span read_modifiers(struct d_names *d)
{
	struct span s = { d->p, d->p };
	while (take(d, 'x') || take(d, 'y') || take(d, 'O') || take_text(d, "Ng"))
		s.end = d->p;
	charge(d, s);
	return s;
}

static void print_modifiers(struct d_names *d, struct span s)
{
	for (const char *at = s.from; at < s.end; at++)
		if (*at != 'N')
			print(d, *at == 'x' ? " const" : *at == 'y' ? " immutable" : *at == 'O' ? " shared" : " inout");
}

static const char *attribute_name(char letter)
{
	static const char *const names['n' - 'a'] = {
		['a' - 'a'] = "pure",     ['b' - 'a'] = "nothrow", ['c' - 'a'] = "ref",   ['d' - 'a'] = "@property",
		['e' - 'a'] = "@trusted", ['f' - 'a'] = "@safe",   ['i' - 'a'] = "@nogc", ['j' - 'a'] = "return",
		['l' - 'a'] = "scope",    ['m' - 'a'] = "@live",
	};
	return letter >= 'a' && letter < 'n' ? names[letter - 'a'] : NULL;
}

static struct span read_attributes(struct d_names *d)
{
	struct span s = { d->p, d->p };
	while (!d->bad && d->p[0] == 'N' && attribute_name(d->p[1]))
		d->p += 2;
	s.end = d->p;
	charge(d, s);
	return s;
}

static void read_parameter(struct d_names *d)
{
	for (bool is_storage = true; is_storage && !d->bad;) {
		if (take(d, 'M'))
			print(d, "scope ");
		else if (take_text(d, "Nk"))
			print(d, "return ");
		else if (take(d, 'I'))
			print(d, "in ");
		else if (take(d, 'J'))
			print(d, "out ");
		else if (take(d, 'K'))
			print(d, "ref ");
		else if (take(d, 'L'))
			print(d, "lazy ");
		else
			is_storage = false;
	}
	read_type(d);
}

/* Up to X, Y or Z, in parentheses. */
static void read_parameters(struct d_names *d)
{
	print(d, "(");
	for (bool is_first = true; !d->bad && !take(d, 'Z'); is_first = false) {
		if (take(d, 'X')) {
			print(d, "...");
			break;
		}
		if (!is_first)
			print(d, ", ");
		if (take(d, 'Y')) {
			print(d, "...");
			break;
		}
		read_parameter(d);
	}
	print(d, ")");
}

/* The calling convention, as before a type; NULL: not a function. */
static const char *read_convention(struct d_names *d)
{
	if (take(d, 'F'))
		return "";
	if (take(d, 'U'))
		return "extern(C) ";
	if (take(d, 'W'))
		return "extern(Windows) ";
	if (take(d, 'R'))
		return "extern(C++) ";
	if (take(d, 'Y'))
		return "extern(Objective-C) ";
	return NULL;
}

/* What a function's type begins with, at p or where p refers to. */
static bool is_function_ahead(const struct d_names *d)
{
	const char *end, *target = back_reference(d, d->p, &end);
	char c = target ? *target : *d->p;
	return c && strchr("FUWRY", c);
}

/* Mangled: convention, attributes, parameters, returned type; written: int(char) pure KIND. */
static void read_function_type(struct d_names *d, const char *kind, struct span modifiers)
{
	const char *end, *target = back_reference(d, d->p, &end);
	if (target) {
		d->p = target;
		if (enter(d))
			read_function_type(d, kind, modifiers);
		leave(d);
		d->p = end;
		return;
	}
	const char *convention = read_convention(d);
	if (!convention) {
		fail(d);
		return;
	}
	print(d, convention);
	struct span attributes = read_attributes(d);
	size_t from = d->out.len;
	read_parameters(d);
	size_t middle = d->out.len;
	read_type(d);
	exchange(d, from, middle);
	for (const char *at = attributes.from; at < attributes.end; at += 2) {
		print(d, " ");
		print(d, attribute_name(at[1]));
	}
	print(d, kind);
	print_modifiers(d, modifiers);
}

/* The parameters after a function's name; false: there are none. */
static bool read_name_parameters(struct d_names *d, bool with_modifiers)
{
	struct span modifiers = { d->p, d->p };
	if (take(d, 'M'))
		modifiers = read_modifiers(d);
	if (!read_convention(d))
		return false;
	read_attributes(d);
	read_parameters(d);
	if (with_modifiers)
		print_modifiers(d, modifiers);
	return !d->bad;
}

/* ---- types ---- */

static const char *basic_type(char letter)
{
	static const char *const names['x' - 'a'] = {
		['a' - 'a'] = "char",    ['b' - 'a'] = "bool",    ['c' - 'a'] = "creal",  ['d' - 'a'] = "double",
		['e' - 'a'] = "real",    ['f' - 'a'] = "float",   ['g' - 'a'] = "byte",   ['h' - 'a'] = "ubyte",
		['i' - 'a'] = "int",     ['j' - 'a'] = "ireal",   ['k' - 'a'] = "uint",   ['l' - 'a'] = "long",
		['m' - 'a'] = "ulong",   ['n' - 'a'] = "typeof(null)", ['o' - 'a'] = "ifloat", ['p' - 'a'] = "idouble",
		['q' - 'a'] = "cfloat",  ['r' - 'a'] = "cdouble", ['s' - 'a'] = "short",  ['t' - 'a'] = "ushort",
		['u' - 'a'] = "wchar",   ['v' - 'a'] = "void",    ['w' - 'a'] = "dchar",
	};
	return letter >= 'a' && letter < 'x' ? names[letter - 'a'] : NULL;
}

static void read_wrapped(struct d_names *d, const char *before, const char *after)
{
	print(d, before);
	read_type(d);
	print(d, after);
}

/* "const(int)", "__vector(float[4])"; false: none of these. */
static bool read_modified_type(struct d_names *d)
{
	if (take(d, 'x'))
		read_wrapped(d, "const(", ")");
	else if (take(d, 'y'))
		read_wrapped(d, "immutable(", ")");
	else if (take(d, 'O'))
		read_wrapped(d, "shared(", ")");
	else if (take_text(d, "Ng"))
		read_wrapped(d, "inout(", ")");
	else if (take_text(d, "Nh"))
		read_wrapped(d, "__vector(", ")");
	else
		return false;
	return true;
}

/* Arrays, of a size, and by keys: the key is mangled before the value. False: none of these. */
static bool read_array_type(struct d_names *d)
{
	if (take(d, 'A')) {
		read_wrapped(d, "", "[]");
	} else if (take(d, 'G')) {
		struct span size = read_digits(d);
		read_type(d);
		print(d, "[");
		print_n(d, size.from, (size_t)(size.end - size.from));
		print(d, "]");
	} else if (take(d, 'H')) {
		size_t from = d->out.len;
		read_wrapped(d, "[", "]");
		size_t middle = d->out.len;
		read_type(d);
		exchange(d, from, middle);
	} else {
		return false;
	}
	return true;
}

/* Of a number of types, or, in newer compilers, of parameters that a Z ends. */
static void read_tuple(struct d_names *d)
{
	print(d, "Tuple!");
	if (!is_digit(*d->p)) {
		read_parameters(d);
		return;
	}
	print(d, "(");
	uint64_t count = read_number(d);
	for (uint64_t i = 0; i < count && !d->bad; i++) {
		print(d, i ? ", " : "");
		read_parameter(d);
	}
	print(d, ")");
}

static void read_type_reference(struct d_names *d)
{
	const char *end, *target = back_reference(d, d->p, &end);
	if (!target || is_digit(*target)) {
		fail(d);
		return;
	}
	d->p = target;
	read_type(d);
	d->p = end;
}

static void read_other_type(struct d_names *d)
{
	const char *basic = basic_type(*d->p);
	if (basic) {
		d->p++;
		print(d, basic);
	} else if (take_text(d, "zi")) {
		print(d, "cent");
	} else if (take_text(d, "zk")) {
		print(d, "ucent");
	} else if (take_text(d, "Nn")) {
		print(d, "noreturn");
	} else if (take(d, 'P')) {
		if (is_function_ahead(d))
			read_function_type(d, " function", (struct span){});
		else
			read_wrapped(d, "", "*");
	} else if (take(d, 'D')) {
		struct span modifiers = read_modifiers(d);
		read_function_type(d, " delegate", modifiers);
	} else if (take(d, 'C') || take(d, 'S') || take(d, 'E') || take(d, 'T') || take(d, 'I')) {
		read_qualified(d);
	} else if (take(d, 'B')) {
		read_tuple(d);
	} else if (*d->p == 'Q') {
		read_type_reference(d);
	} else {
		read_function_type(d, " function", (struct span){});
	}
}

static void read_type(struct d_names *d)
{
	if (enter(d) && !read_modified_type(d) && !read_array_type(d))
		read_other_type(d);
	leave(d);
}

/* ---- values ---- */

/* As a literal: 'a', '\x0a'; '\u0061'; '\U00000061'. */
static void print_character(struct d_names *d, char type, uint64_t c)
{
	char text[32];
	if (type == 'a' && c >= 0x20 && c < 0x7f)
		snprintf(text, sizeof(text), "'%c'", (char)c);
	else
		snprintf(text, sizeof(text), type == 'a' ? "'\\x%02" PRIx64 "'" : type == 'u' ? "'\\u%04" PRIx64 "'" : "'\\U%08" PRIx64 "'",
			 c);
	print(d, text);
}

static void read_integer(struct d_names *d, char type)
{
	if (type == 'a' || type == 'u' || type == 'w') {
		print_character(d, type, read_number(d));
		return;
	}
	struct span digits = read_digits(d);
	if (type == 'b') {
		print(d, span_equals(digits, "0") ? "false" : "true");
		return;
	}
	print_n(d, digits.from, (size_t)(digits.end - digits.from));
	if (type == 'h' || type == 't' || type == 'k')
		print(d, "u");
	else if (type == 'l' || type == 'm')
		print(d, type == 'l' ? "L" : "uL");
}

/* "18PN2" is 0x1.8p-2. */
static void read_float(struct d_names *d)
{
	if (take_text(d, "NAN")) {
		print(d, "NaN");
		return;
	}
	if (take(d, 'N'))
		print(d, "-");
	if (take_text(d, "INF")) {
		print(d, "Inf");
		return;
	}
	print(d, "0x");
	size_t digits = 0;
	for (; !d->bad && text_hex_digit(*d->p) >= 0; digits++, d->p++) {
		print(d, digits == 1 ? "." : "");
		print_n(d, d->p, 1);
	}
	print(d, digits == 1 ? ".p" : "p");
	if (!digits || !take(d, 'P'))
		fail(d);
	if (take(d, 'N'))
		print(d, "-");
	struct span exponent = read_digits(d);
	print_n(d, exponent.from, (size_t)(exponent.end - exponent.from));
}

static void print_byte(struct d_names *d, unsigned byte)
{
	static const char escapes[] = "\tt\nn\rr\ff\vv";
	char text[8];
	const char *escape = byte && byte < 0x20 ? strchr(escapes, (int)byte) : NULL;
	if (escape)
		snprintf(text, sizeof(text), "\\%c", escape[1]);
	else
		snprintf(text, sizeof(text), byte >= 0x20 && byte < 0x7f ? "%c" : "\\x%02x", byte);
	print(d, text);
}

/* "a3_616263" is "abc", "w" and "d" are of wider characters. */
static void read_string(struct d_names *d)
{
	char kind = *d->p++;
	uint64_t bytes = read_number(d);
	if (!take(d, '_'))
		fail(d);
	print(d, "\"");
	for (uint64_t i = 0; i < bytes && !d->bad; i++, d->p += 2) {
		int high = text_hex_digit(d->p[0]), low = high < 0 ? -1 : text_hex_digit(d->p[1]);
		if (low < 0)
			fail(d);
		else
			print_byte(d, (unsigned)(high << 4 | low));
	}
	print(d, "\"");
	if (kind != 'a')
		print_n(d, &kind, 1);
}

/* The count, and the values: of a map in pairs. */
static void read_values(struct d_names *d, const char *open, const char *close, bool is_map)
{
	uint64_t count = read_number(d);
	print(d, open);
	for (uint64_t i = 0; i < count && !d->bad; i++) {
		print(d, i ? ", " : "");
		read_value(d, 0, (struct span){});
		if (is_map) {
			print(d, ":");
			read_value(d, 0, (struct span){});
		}
	}
	print(d, close);
}

static void read_value_of(struct d_names *d, char type, struct span type_text)
{
	if (take(d, 'n')) {
		print(d, "null");
	} else if (take(d, 'N')) {
		print(d, "-");
		read_integer(d, type);
	} else if (take(d, 'i') || is_digit(*d->p)) {
		read_integer(d, type);
	} else if (take(d, 'e')) {
		read_float(d);
	} else if (take(d, 'c')) {
		read_float(d);
		print(d, "+");
		if (!take(d, 'c'))
			fail(d);
		read_float(d);
		print(d, "i");
	} else if (*d->p == 'a' || *d->p == 'w' || *d->p == 'd') {
		read_string(d);
	} else if (take(d, 'A')) {
		read_values(d, "[", "]", type == 'H');
	} else if (take(d, 'S')) {
		print_n(d, type_text.from, (size_t)(type_text.end - type_text.from));
		read_values(d, "(", ")", false);
	} else if (take_text(d, "f_D")) {
		read_mangled(d, true);
	} else {
		fail(d);
	}
}

/* The type decides how numbers read; type_text precedes a structure's members. */
static void read_value(struct d_names *d, char type, struct span type_text)
{
	if (enter(d))
		read_value_of(d, type, type_text);
	leave(d);
}

/* ---- the whole ---- */

/*
 * Parameters belong to a name if another name is in the function; otherwise they are its type, which ends a mangled name (is_end), or
 * they are of what follows the name of a type.
 */
static bool read_parameters_within(struct d_names *d, bool *is_end)
{
	const char *p = d->p;
	size_t length = d->out.len;
	if (d->bad)
		return false;
	if (read_name_parameters(d, is_end) && is_symbol_ahead(d))
		return true;
	if (!d->bad && is_end && d->p != p) {
		*is_end = true;
		return true;
	}
	if (d->bad && d->exceeded)
		return false;
	d->bad = false;
	d->p = p;
	withdraw(d, length);
	return false;
}

static void add_name(struct d_names *d, size_t from)
{
	size_t length = d->out.len;
	if (length > from)
		print(d, ".");
	size_t named = d->out.len;
	if (!read_symbol(d) && d->out.len == named)
		withdraw(d, length);
}

static void read_qualified(struct d_names *d)
{
	size_t from = d->out.len;
	do {
		if (enter(d)) {
			add_name(d, from);
			read_parameters_within(d, NULL);
		}
		leave(d);
	} while (is_symbol_ahead(d));
}

/* Data that the compiler makes for a type or module. */
static bool read_made(struct d_names *d, size_t from)
{
	static const struct {
		const char *mangled, *shown;
	} made[] = {
		{ "6__initZ", "initializer for " }, { "7__ClassZ", "ClassInfo for " }, { "6__vtblZ", "vtable for " },
		{ "11__InterfaceZ", "Interface for " }, { "12__ModuleInfoZ", "ModuleInfo for " },
	};
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		if (take_text(d, made[i].mangled)) {
			size_t middle = d->out.len;
			print(d, made[i].shown);
			exchange(d, from, middle);
			return true;
		}
	return false;
}

/* What follows "_D": a qualified name, and its type or a Z. */
static void read_mangled(struct d_names *d, bool whole)
{
	size_t from = d->out.len;
	bool is_end = false;
	if (!is_symbol_ahead(d))
		fail(d);
	while (is_symbol_ahead(d) && !is_end) {
		if (d->out.len > from && read_made(d, from))
			return;
		if (enter(d)) {
			add_name(d, from);
			size_t named = d->out.len;
			read_parameters_within(d, &is_end);
			if (is_end && !whole)
				withdraw(d, named);
		}
		leave(d);
	}
	if (!is_end && take(d, 'Z'))
		return;
	d->quiet++;
	read_type(d);
	d->quiet--;
}

/* "h" or "hn" and "16_" of gdc, "i16_D" of ldc. */
static bool skip_thunk(struct d_names *d)
{
	if (!take(d, 'T'))
		return true;
	bool is_gdc = take(d, 'h');
	if (!is_gdc && !take(d, 'i'))
		return false;
	take(d, 'n');
	read_digits(d);
	print(d, "non-virtual thunk to ");
	return take_text(d, is_gdc ? "_" : "_D");
}

bool d_is_mangled(const char *name)
{
	return name[0] == '_' && name[1] == 'D' &&
	       (is_digit(name[2]) || !strncmp(name + 2, "__T", 3) || name[2] == 'T' || !strcmp(name + 2, "main"));
}

char *d_demangle(const char *name, bool whole)
{
	if (!d_is_mangled(name))
		return NULL;
	if (name[2] == 'm')
		return xstrdup("D main");
	struct d_names d = { .start = name, .p = name + 2 };
	if (skip_thunk(&d))
		read_mangled(&d, whole);
	else
		fail(&d);
	bool is_whole = !d.bad && d.out.len && d.out.len <= OUTPUT_MAX && (!*d.p || *d.p == '.');
	if (is_whole && name_is_readable(d.out.data, d.out.len))
		return strbuf_take(&d.out);
	strbuf_deinit(&d.out);
	return NULL;
}
