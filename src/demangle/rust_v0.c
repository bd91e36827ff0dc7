#include "demangle/rust_v0.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Back-references may multiply the text: longer names stay mangled. */
#define OUTPUT_MAX 65536
#define STEPS_MAX  100000
#define DEPTH_MAX  300

struct v0 {
	const char *start, *p, *end;
	struct strbuf out;
	int depth, steps;
	bool bad;
	int quiet;             /* > 0: parse without printing */
	uint64_t lifetimes;    /* number of lifetimes bound by the enclosing binders */
};

struct ident {
	const char *ascii, *punycode;
	size_t ascii_n, punycode_n;
};

static void print_path(struct v0 *v, bool in_value);
static void print_type(struct v0 *v);
static void print_const(struct v0 *v, bool in_value);

static void fail(struct v0 *v)
{
	v->bad = true;
	v->p = v->end;
}

static bool enter(struct v0 *v)
{
	if (v->bad || ++v->depth > DEPTH_MAX || ++v->steps > STEPS_MAX || v->out.len > OUTPUT_MAX) {
		fail(v);
		return false;
	}
	return true;
}

static char peek(const struct v0 *v)
{
	return v->p < v->end ? *v->p : 0;
}

static bool take(struct v0 *v, char c)
{
	if (!c || peek(v) != c)
		return false;
	v->p++;
	return true;
}

static char next(struct v0 *v)
{
	if (v->p == v->end) {
		fail(v);
		return 0;
	}
	return *v->p++;
}

static void print(struct v0 *v, const char *s)
{
	if (!v->quiet && !v->bad)
		strbuf_addstr(&v->out, s);
}

static void print_n(struct v0 *v, const char *s, size_t n)
{
	if (!v->quiet && !v->bad)
		strbuf_add(&v->out, s, n);
}

static void print_u64(struct v0 *v, uint64_t n)
{
	if (!v->quiet && !v->bad)
		strbuf_addf(&v->out, "%llu", (unsigned long long)n);
}

/* "_" is 0, "0_" is 1, "a_" is 11 … */
static uint64_t read_base62(struct v0 *v)
{
	uint64_t x = 0;
	if (take(v, '_'))
		return 0;
	while (!take(v, '_')) {
		char c = next(v);
		uint64_t d;
		if (c >= '0' && c <= '9')
			d = (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'z')
			d = 10 + (uint64_t)(c - 'a');
		else if (c >= 'A' && c <= 'Z')
			d = 36 + (uint64_t)(c - 'A');
		else {
			fail(v);
			return 0;
		}
		if (x > (UINT64_MAX - d) / 62 - 1) {
			fail(v);
			return 0;
		}
		x = x * 62 + d;
	}
	return x + 1;
}

/* An optional number after a tag letter: 0 if the tag is missing. */
static uint64_t read_tagged(struct v0 *v, char tag)
{
	if (!take(v, tag))
		return 0;
	uint64_t x = read_base62(v);
	if (x == UINT64_MAX) {
		fail(v);
		return 0;
	}
	return x + 1;
}

static struct ident read_ident(struct v0 *v)
{
	struct ident id = {};
	bool punycode = take(v, 'u');
	size_t n = 0;
	char c = next(v);
	if (c < '0' || c > '9') {
		fail(v);
		return id;
	}
	if (c != '0')
		for (n = (size_t)(c - '0'); peek(v) >= '0' && peek(v) <= '9' && n < OUTPUT_MAX;)
			n = n * 10 + (size_t)(next(v) - '0');
	take(v, '_');
	if (n > (size_t)(v->end - v->p)) {
		fail(v);
		return id;
	}
	id.ascii = v->p;
	id.ascii_n = n;
	v->p += n;
	if (!punycode)
		return id;
	/* The last underscore separates the ASCII characters from the deltas. */
	const char *underscore = memrchr(id.ascii, '_', n);
	id.punycode = underscore ? underscore + 1 : id.ascii;
	id.punycode_n = (size_t)(id.ascii + n - id.punycode);
	id.ascii_n = underscore ? (size_t)(underscore - id.ascii) : 0;
	if (!id.punycode_n)
		fail(v);
	return id;
}

#define PUNYCODE_CHARS 256

/* RFC 3492 with rustc's alphabet; false if the deltas are malformed. */
static bool decode_punycode(const struct ident *id, uint32_t out[PUNYCODE_CHARS], size_t *ret_n)
{
	size_t n = 0, base = 36, bias = 72, i = 0, damp = 700;
	uint32_t c = 0x80;
	if (id->ascii_n > PUNYCODE_CHARS)
		return false;
	for (; n < id->ascii_n; n++)
		out[n] = (uint8_t)id->ascii[n];
	for (const char *p = id->punycode, *end = p + id->punycode_n; p < end;) {
		size_t delta = 0, weight = 1, k = 0, t, d;
		do {
			k += base;
			t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
			if (p == end)
				return false;
			if (*p >= 'a' && *p <= 'z')
				d = (size_t)(*p - 'a');
			else if (*p >= '0' && *p <= '9')
				d = 26 + (size_t)(*p - '0');
			else
				return false;
			p++;
			if (d && weight > UINT32_MAX / d)
				return false;
			delta += d * weight;
			weight *= base - t;
			if (delta > UINT32_MAX || weight > UINT32_MAX)
				return false;
		} while (d >= t);
		if (n == PUNYCODE_CHARS)
			return false;
		i += delta;
		c += (uint32_t)(i / ++n);
		i %= n;
		if (c > 0x10ffff)
			return false;
		memmove(out + i + 1, out + i, (n - 1 - i) * sizeof(*out));
		out[i++] = c;
		delta /= damp;
		damp = 2;
		delta += delta / n;
		for (k = 0; delta > (base - 1) * 26 / 2; k += base)
			delta /= base - 1;
		bias = k + (base - 1 + 1) * delta / (delta + 38);
	}
	*ret_n = n;
	return true;
}

static void print_ident(struct v0 *v, const struct ident *id)
{
	uint32_t chars[PUNYCODE_CHARS];
	size_t n;
	if (v->quiet || v->bad)
		return;
	if (!id->punycode) {
		print_n(v, id->ascii, id->ascii_n);
		return;
	}
	if (decode_punycode(id, chars, &n)) {
		for (size_t i = 0; i < n; i++)
			rust_add_utf8(&v->out, chars[i]);
		return;
	}
	print(v, "punycode{");
	print_n(v, id->ascii, id->ascii_n);
	if (id->ascii_n)
		print(v, "-");
	print_n(v, id->punycode, id->punycode_n);
	print(v, "}");
}

/* B<position>: parses (and prints) again from that position, which must be before the back-reference. */
static void follow(struct v0 *v, void (*fn)(struct v0 *v, bool in_value), bool in_value)
{
	const char *from = v->p - 1;
	uint64_t at = read_base62(v);
	if (v->bad || at >= (uint64_t)(from - v->start)) {
		fail(v);
		return;
	}
	if (v->quiet)
		return;
	const char *back = v->p;
	v->p = v->start + at;
	fn(v, in_value);
	if (!v->bad)
		v->p = back;
}

static void print_type_any(struct v0 *v, bool in_value)
{
	(void)in_value;
	print_type(v);
}

static void print_lifetime(struct v0 *v, uint64_t index)
{
	if (!index) {
		print(v, "'_");
		return;
	}
	if (index > v->lifetimes) {
		fail(v);
		return;
	}
	uint64_t depth = v->lifetimes - index;
	print(v, "'");
	if (depth < 26) {
		char c = (char)('a' + depth);
		print_n(v, &c, 1);
	} else {
		print(v, "_");
		print_u64(v, depth);
	}
}

static void print_generic_arg(struct v0 *v)
{
	if (take(v, 'L'))
		print_lifetime(v, read_base62(v));
	else if (take(v, 'K'))
		print_const(v, false);
	else
		print_type(v);
}

static void print_generic_args(struct v0 *v)
{
	for (bool first = true; !v->bad && !take(v, 'E'); first = false) {
		if (!first)
			print(v, ", ");
		print_generic_arg(v);
	}
}

/* An impl's own path is not part of the readable name: parsed without printing. */
static void skip_impl_path(struct v0 *v)
{
	v->quiet++;
	read_tagged(v, 's');
	print_path(v, false);
	v->quiet--;
}

/* N<namespace><path><identifier>: special namespaces (closures, shims) are in upper case. */
static void print_nested(struct v0 *v, bool in_value)
{
	char space = next(v);
	if (!isalpha((unsigned char)space)) {
		fail(v);
		return;
	}
	print_path(v, in_value);
	uint64_t nr = read_tagged(v, 's');
	struct ident id = read_ident(v);
	if (isupper((unsigned char)space)) {
		print(v, "::{");
		if (space == 'C')
			print(v, "closure");
		else if (space == 'S')
			print(v, "shim");
		else
			print_n(v, &space, 1);
		if (id.ascii_n || id.punycode_n) {
			print(v, ":");
			print_ident(v, &id);
		}
		print(v, "#");
		print_u64(v, nr);
		print(v, "}");
	} else if (id.ascii_n || id.punycode_n) {
		print(v, "::");
		print_ident(v, &id);
	}
}

static void print_path(struct v0 *v, bool in_value)
{
	if (!enter(v))
		return;
	char tag = next(v);
	switch (tag) {
	case 'C': {
		read_tagged(v, 's');
		struct ident id = read_ident(v);
		print_ident(v, &id);
		break;
	}
	case 'N':
		print_nested(v, in_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		if (tag != 'Y')
			skip_impl_path(v);
		print(v, "<");
		print_type(v);
		if (tag != 'M') {
			print(v, " as ");
			print_path(v, false);
		}
		print(v, ">");
		break;
	case 'I':
		print_path(v, in_value);
		if (in_value)
			print(v, "::");
		print(v, "<");
		print_generic_args(v);
		print(v, ">");
		break;
	case 'B':
		follow(v, print_path, in_value);
		break;
	default:
		fail(v);
	}
	v->depth--;
}

static const char *basic_type(char tag)
{
	static const char *const names['z' - 'a' + 1] = {
		['b' - 'a'] = "bool", ['c' - 'a'] = "char",  ['e' - 'a'] = "str",  ['u' - 'a'] = "()",
		['a' - 'a'] = "i8",   ['s' - 'a'] = "i16",   ['l' - 'a'] = "i32",  ['x' - 'a'] = "i64",
		['n' - 'a'] = "i128", ['i' - 'a'] = "isize", ['h' - 'a'] = "u8",   ['t' - 'a'] = "u16",
		['m' - 'a'] = "u32",  ['y' - 'a'] = "u64",   ['o' - 'a'] = "u128", ['j' - 'a'] = "usize",
		['f' - 'a'] = "f32",  ['d' - 'a'] = "f64",   ['z' - 'a'] = "!",    ['p' - 'a'] = "_",
		['v' - 'a'] = "...",
	};
	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

/* G<number>: for<'a, 'b> … until the caller resets v->lifetimes. */
static void print_binder(struct v0 *v)
{
	uint64_t n = read_tagged(v, 'G');
	if (!n)
		return;
	if (n > 1000) {
		fail(v);
		return;
	}
	print(v, "for<");
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			print(v, ", ");
		v->lifetimes++;
		print_lifetime(v, 1);
	}
	print(v, "> ");
}

static void print_fn_abi(struct v0 *v)
{
	if (take(v, 'C')) {
		print(v, "extern \"C\" ");
		return;
	}
	struct ident id = read_ident(v);
	if (v->bad || !id.ascii_n || id.punycode) {
		fail(v);
		return;
	}
	print(v, "extern \"");
	/* Dashes in the name were replaced by underscores. */
	for (size_t i = 0; i < id.ascii_n; i++)
		print_n(v, id.ascii[i] == '_' ? "-" : id.ascii + i, 1);
	print(v, "\" ");
}

static void print_fn(struct v0 *v)
{
	uint64_t outer = v->lifetimes;
	print_binder(v);
	if (take(v, 'U'))
		print(v, "unsafe ");
	if (take(v, 'K'))
		print_fn_abi(v);
	print(v, "fn(");
	for (bool first = true; !v->bad && !take(v, 'E'); first = false) {
		if (!first)
			print(v, ", ");
		print_type(v);
	}
	print(v, ")");
	if (!take(v, 'u')) {
		print(v, " -> ");
		print_type(v);
	}
	v->lifetimes = outer;
}

/* A path whose generic arguments are left open for associated types; returns whether "<" was printed. */
static bool print_open_path(struct v0 *v)
{
	bool open = false;
	if (!enter(v))
		return false;
	if (take(v, 'B')) {
		const char *from = v->p - 1;
		uint64_t at = read_base62(v);
		if (v->bad || at >= (uint64_t)(from - v->start)) {
			fail(v);
		} else if (!v->quiet) {
			const char *back = v->p;
			v->p = v->start + at;
			open = print_open_path(v);
			if (!v->bad)
				v->p = back;
		}
	} else if (take(v, 'I')) {
		print_path(v, false);
		print(v, "<");
		open = true;
		print_generic_args(v);
	} else {
		print_path(v, false);
	}
	v->depth--;
	return open;
}

static void print_dyn_trait(struct v0 *v)
{
	bool open = print_open_path(v);
	while (!v->bad && take(v, 'p')) {
		print(v, open ? ", " : "<");
		open = true;
		struct ident id = read_ident(v);
		print_ident(v, &id);
		print(v, " = ");
		print_type(v);
	}
	if (open)
		print(v, ">");
}

static void print_dyn(struct v0 *v)
{
	uint64_t outer = v->lifetimes;
	print(v, "dyn ");
	print_binder(v);
	for (bool first = true; !v->bad && !take(v, 'E'); first = false) {
		if (!first)
			print(v, " + ");
		print_dyn_trait(v);
	}
	v->lifetimes = outer;
	if (!take(v, 'L')) {
		fail(v);
		return;
	}
	uint64_t lifetime = read_base62(v);
	if (lifetime) {
		print(v, " + ");
		print_lifetime(v, lifetime);
	}
}

static void print_reference(struct v0 *v, bool mutable)
{
	print(v, "&");
	if (take(v, 'L')) {
		uint64_t lifetime = read_base62(v);
		if (lifetime) {
			print_lifetime(v, lifetime);
			print(v, " ");
		}
	}
	if (mutable)
		print(v, "mut ");
	print_type(v);
}

static void print_tuple(struct v0 *v)
{
	size_t n = 0;
	print(v, "(");
	for (; !v->bad && !take(v, 'E'); n++) {
		if (n)
			print(v, ", ");
		print_type(v);
	}
	print(v, n == 1 ? ",)" : ")");
}

static void print_type(struct v0 *v)
{
	if (!enter(v))
		return;
	char tag = next(v);
	const char *basic = basic_type(tag);
	if (basic) {
		print(v, basic);
	} else if (tag == 'R' || tag == 'Q') {
		print_reference(v, tag == 'Q');
	} else if (tag == 'P' || tag == 'O') {
		print(v, tag == 'P' ? "*const " : "*mut ");
		print_type(v);
	} else if (tag == 'A' || tag == 'S') {
		print(v, "[");
		print_type(v);
		if (tag == 'A') {
			print(v, "; ");
			print_const(v, true);
		}
		print(v, "]");
	} else if (tag == 'T') {
		print_tuple(v);
	} else if (tag == 'F') {
		print_fn(v);
	} else if (tag == 'D') {
		print_dyn(v);
	} else if (tag == 'B') {
		follow(v, print_type_any, false);
	} else if (tag) {
		v->p--;
		print_path(v, false);
	}
	v->depth--;
}

/* Hex digits up to "_"; returns their number, and their value if it fits. */
static size_t read_hex(struct v0 *v, const char **ret, uint64_t *ret_value)
{
	const char *from = v->p;
	uint64_t value = 0;
	while (!v->bad && !take(v, '_')) {
		char c = next(v);
		int digit = text_hex_digit(c);
		if (digit < 0 || (c >= 'A' && c <= 'F'))
			fail(v);
		else
			value = value << 4 | (unsigned)digit;
	}
	*ret = from;
	*ret_value = value;
	return v->bad ? 0 : (size_t)(v->p - 1 - from);
}

static void print_const_integer(struct v0 *v)
{
	const char *digits;
	uint64_t value;
	if (take(v, 'n'))
		print(v, "-");
	size_t n = read_hex(v, &digits, &value);
	if (n > 16) {
		print(v, "0x");
		print_n(v, digits, n);
	} else {
		print_u64(v, value);
	}
}

static void print_quoted(struct v0 *v, uint32_t c, char quote)
{
	if (v->quiet || v->bad)
		return;
	const char *simple = c == '\t' ? "\\t" : c == '\r' ? "\\r" : c == '\n' ? "\\n" : c == '\\' ? "\\\\" : NULL;
	if (simple)
		print(v, simple);
	else if (c == (uint8_t)quote)
		strbuf_addf(&v->out, "\\%c", quote);
	else if (c < 0x20 || c == 0x7f)
		strbuf_addf(&v->out, "\\u{%x}", c);
	else
		rust_add_utf8(&v->out, c);
}

static void print_const_char(struct v0 *v)
{
	const char *digits;
	uint64_t value;
	size_t n = read_hex(v, &digits, &value);
	if (!n || n > 8 || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
		fail(v);
		return;
	}
	print(v, "'");
	print_quoted(v, (uint32_t)value, '\'');
	print(v, "'");
}

static void print_const_bool(struct v0 *v)
{
	const char *digits;
	uint64_t value;
	if (read_hex(v, &digits, &value) != 1 || value > 1)
		fail(v);
	else
		print(v, value ? "true" : "false");
}

/* e<hex of UTF-8>_ */
static void print_const_str(struct v0 *v)
{
	const char *digits;
	uint64_t value;
	size_t n = read_hex(v, &digits, &value);
	if (n % 2) {
		fail(v);
		return;
	}
	print(v, "\"");
	for (size_t i = 0; i < n; i += 2) {
		uint8_t byte;
		text_hex_to_bytes(digits + i, 1, &byte); /* read_hex() accepted only hex digits */
		if (byte < 0x80)
			print_quoted(v, byte, '"');
		else
			print_n(v, (const char *)&byte, 1);
	}
	print(v, "\"");
}

static void print_const_list(struct v0 *v, const char *open, const char *close, bool tuple)
{
	size_t n = 0;
	print(v, open);
	for (; !v->bad && !take(v, 'E'); n++) {
		if (n)
			print(v, ", ");
		print_const(v, true);
	}
	if (tuple && n == 1)
		print(v, ",");
	print(v, close);
}

/* V<path> (U | T<consts>E | S<fields>E) */
static void print_const_adt(struct v0 *v)
{
	print_path(v, true);
	if (take(v, 'U'))
		return;
	if (take(v, 'T')) {
		print_const_list(v, "(", ")", false);
		return;
	}
	if (!take(v, 'S')) {
		fail(v);
		return;
	}
	print(v, " { ");
	for (bool first = true; !v->bad && !take(v, 'E'); first = false) {
		if (!first)
			print(v, ", ");
		read_tagged(v, 's');
		struct ident id = read_ident(v);
		print_ident(v, &id);
		print(v, ": ");
		print_const(v, true);
	}
	print(v, " }");
}

static void print_const_any(struct v0 *v, bool in_value)
{
	print_const(v, in_value);
}

/* Values that are not just a number are put in braces where a type is allowed. */
static void print_const_braced(struct v0 *v, char tag)
{
	switch (tag) {
	case 'e':
		print(v, "*");
		print_const_str(v);
		break;
	case 'R':
	case 'Q':
		if (tag == 'R' && take(v, 'e')) {
			print_const_str(v);
			break;
		}
		print(v, tag == 'R' ? "&" : "&mut ");
		print_const(v, true);
		break;
	case 'A':
		print_const_list(v, "[", "]", false);
		break;
	case 'T':
		print_const_list(v, "(", ")", true);
		break;
	case 'V':
		print_const_adt(v);
		break;
	default:
		fail(v);
	}
}

static void print_const(struct v0 *v, bool in_value)
{
	if (!enter(v))
		return;
	char tag = next(v);
	if (tag == 'p') {
		print(v, "_");
	} else if (tag && strchr("hmtyojaslxni", tag)) {
		print_const_integer(v);
	} else if (tag == 'b') {
		print_const_bool(v);
	} else if (tag == 'c') {
		print_const_char(v);
	} else if (tag == 'B') {
		follow(v, print_const_any, in_value);
	} else {
		bool plain = in_value || (tag == 'R' && peek(v) == 'e');
		if (!plain)
			print(v, "{");
		print_const_braced(v, tag);
		if (!plain)
			print(v, "}");
	}
	v->depth--;
}

char *rust_v0_demangle(const char *mangled)
{
	/* Suffixes of the linker and of LLVM begin with a dot; a version number of the scheme would be a digit. */
	size_t n = strcspn(mangled, ".");
	struct v0 v = { .start = mangled, .p = mangled, .end = mangled + n };
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)mangled[i]) && mangled[i] != '_')
			return NULL;
	if (!n || !isupper((unsigned char)mangled[0]))
		return NULL;
	print_path(&v, true);
	/* The instantiating crate. */
	if (!v.bad && v.p < v.end) {
		v.quiet++;
		print_path(&v, false);
		v.quiet--;
	}
	char *name = v.bad || v.p != v.end ? NULL : xstrdup(strbuf_str(&v.out));
	strbuf_deinit(&v.out);
	return name;
}
