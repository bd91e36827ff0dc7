/* Prints a sample by a print_program. Conversions behave like the kernel's vsnprintf: printk-formats.rst. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "decode/address_text.h"
#include "decode/print_program.h"

/* A limit, since a width comes from a sample or a hostile format. */
#define WIDTH_MAX 4096

struct eval {
	const struct tracepoints *t;
	const uint8_t *raw;
	uint32_t raw_bytes;
	const struct trace_names *names;
};

/* ---- numbers ---- */

static uint64_t convert(uint64_t v, struct ctype type)
{
	switch (type.bytes) {
	case 1:
		return type.is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return type.is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return type.is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
	if (!b)
		return 0;
	if (!is_signed)
		return remainder ? a % b : a / b;
	if ((int64_t)b == -1) /* INT64_MIN / -1 would trap */
		return remainder ? 0 : -a;
	return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static int compare(uint64_t a, uint64_t b, bool is_signed)
{
	if (is_signed)
		return (int64_t)a < (int64_t)b ? -1 : (int64_t)a > (int64_t)b;
	return a < b ? -1 : a > b;
}

/* Whether the common type of the operands is signed, as in common_type(): the node of a comparison has the type int. */
static bool meet_signed(const struct print_node *n)
{
	struct ctype l = n->left->type, r = n->right->type;
	unsigned nl = l.bytes ? l.bytes : 8, nr = r.bytes ? r.bytes : 8;
	bool sl = l.is_signed || nl < 4, sr = r.is_signed || nr < 4; /* promoted to int */
	nl = nl < 4 ? 4 : nl;
	nr = nr < 4 ? 4 : nr;
	return nl > nr ? sl : nr > nl ? sr : sl && sr;
}

static uint64_t shift(uint64_t a, uint64_t by, enum node_op op, struct ctype type)
{
	unsigned bits = type.bytes == 4 ? 32 : 64;
	by &= bits - 1; /* as x86 does it */
	if (op == OP_SHL)
		return a << by;
	return type.is_signed ? (uint64_t)((int64_t)a >> by) : a >> by;
}

static uint64_t number(const struct eval *e, const struct print_node *n);

static uint64_t binary(const struct eval *e, const struct print_node *n)
{
	uint64_t a = number(e, n->left);
	if (n->op == OP_LAND)
		return a && number(e, n->right);
	if (n->op == OP_LOR)
		return a || number(e, n->right);
	uint64_t b = number(e, n->right);
	bool is_signed = meet_signed(n);
	if (n->op >= OP_LT && n->op <= OP_NE) {
		/* A negative int compared with an unsigned int of its size is a large number. */
		unsigned na = n->left->type.bytes, nb = n->right->type.bytes;
		if (!is_signed && na && nb && na <= 4 && nb <= 4) {
			a = (uint32_t)a;
			b = (uint32_t)b;
		}
		int c = compare(a, b, is_signed);
		switch (n->op) {
		case OP_LT:
			return c < 0;
		case OP_LE:
			return c <= 0;
		case OP_GT:
			return c > 0;
		case OP_GE:
			return c >= 0;
		case OP_EQ:
			return c == 0;
		default:
			return c != 0;
		}
	}
	switch (n->op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
		return divide(a, b, is_signed, false);
	case OP_MOD:
		return divide(a, b, is_signed, true);
	case OP_AND:
		return a & b;
	case OP_OR:
		return a | b;
	case OP_XOR:
		return a ^ b;
	default:
		return shift(a, b, n->op, n->type);
	}
}

static struct field_span span(const struct eval *e, const struct print_node *n)
{
	return field_bytes(e->t, n->field, e->raw, e->raw_bytes);
}

static uint64_t element(const struct eval *e, const struct print_node *n)
{
	struct field_span s = span(e, n->left);
	unsigned bytes = n->type.bytes ? n->type.bytes : 1;
	uint64_t i = number(e, n->right);
	return i < s.bytes / bytes ? raw_load(e->t, s.data + i * bytes, bytes, n->type.is_signed) : 0;
}

static uint64_t number(const struct eval *e, const struct print_node *n)
{
	switch (n->kind) {
	case NODE_NUMBER:
		return n->number;
	case NODE_FIELD:
		if (n->number + n->type.bytes > e->raw_bytes)
			return 0;
		return raw_load(e->t, e->raw + n->number, n->type.bytes, n->type.is_signed);
	case NODE_INDEX:
		return element(e, n);
	case NODE_UNARY: {
		uint64_t v = number(e, n->left);
		return convert(n->op == OP_NEG ? -v : n->op == OP_COMPL ? ~v : !v, n->type);
	}
	case NODE_BINARY:
		return convert(binary(e, n), n->type);
	case NODE_TERNARY:
		return number(e, number(e, n->left) ? n->right : n->third);
	case NODE_CAST:
		return convert(number(e, n->left), n->type);
	case NODE_SPAN_LENGTH: {
		uint32_t at = n->field->offset;
		return at + 4 <= e->raw_bytes ? raw_load(e->t, e->raw + at, 4, false) >> 16 : 0;
	}
	case NODE_SECONDS:
		return number(e, n->left) / 1000000000;
	case NODE_SUBSECONDS:
		return number(e, n->left) % 1000000000;
	default:
		return 0;
	}
}

uint64_t print_number(const struct tracepoints *t, const struct print_node *n, const void *raw, uint32_t raw_bytes)
{
	struct eval e = { .t = t, .raw = raw, .raw_bytes = raw_bytes };
	return number(&e, n);
}

/* ---- strings ---- */

/* A value cut to the width of its C type: rows and remaining bits are shown without sign extension. */
static uint64_t unsigned_of(uint64_t v, struct ctype type)
{
	return type.bytes == 4 ? (uint32_t)v : type.bytes == 2 ? (uint16_t)v : type.bytes == 1 ? (uint8_t)v : v;
}

static void flags_text(struct out *out, uint64_t v, const struct print_node *n)
{
	bool any = false;
	v = unsigned_of(v, n->left->type);
	for (uint32_t i = 0; i < n->rows_nr; i++) {
		const struct print_row *row = &n->rows[i];
		if (!row->known)
			continue;
		uint64_t bits = unsigned_of(row->value, n->left->type);
		bool names_zero = !row->value && !v && !any;
		if (!names_zero && (!bits || (v & bits) != bits))
			continue;
		if (any)
			out_str(out, n->text);
		out_str(out, row->name);
		any = true;
		v &= ~bits;
		if (names_zero)
			break;
	}
	if (!v)
		return;
	if (any)
		out_str(out, n->text);
	out_str(out, "0x");
	out_hex(out, v);
}

static void symbolic_text(struct out *out, uint64_t v, const struct print_node *n)
{
	v = unsigned_of(v, n->left->type);
	for (uint32_t i = 0; i < n->rows_nr; i++)
		if (n->rows[i].known && unsigned_of(n->rows[i].value, n->left->type) == v) {
			out_str(out, n->rows[i].name);
			return;
		}
	out_str(out, "0x");
	out_hex(out, v);
}

static void hex_text(struct out *out, const struct eval *e, const struct print_node *n)
{
	struct field_span s = span(e, n->left);
	uint64_t count = number(e, n->right);
	for (uint64_t i = 0; i < s.bytes && i < count; i++) {
		if (i)
			out_str(out, n->text);
		out_hex_width(out, s.data[i], 2, '0');
	}
}

static void array_text(struct out *out, const struct eval *e, const struct print_node *n)
{
	struct field_span s = span(e, n->left);
	uint64_t count = number(e, n->right), bytes = number(e, n->third);
	out_ch(out, '{');
	if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
		for (uint64_t i = 0; i < count && i < s.bytes / bytes; i++) {
			out_str(out, i ? ",0x" : "0x");
			out_hex(out, raw_load(e->t, s.data + i * bytes, (unsigned)bytes, false));
		}
	out_ch(out, '}');
}

/* A bitmap consists of longs of the recorded machine; i counts bytes from the most significant one. */
static uint8_t bitmap_byte(const struct eval *e, struct field_span s, uint32_t i)
{
	const uint16_t probe = 1;
	bool big = !*(const uint8_t *)&probe != e->t->swapped;
	unsigned n = e->t->long_bytes;
	uint32_t at = big ? i / n * n + (n - 1 - i % n) : i;
	return at < s.bytes ? s.data[at] : 0;
}

/* %pb: groups of 32 bits in hex, joined by commas. */
static void bitmask_text(struct out *out, const struct eval *e, struct field_span s)
{
	for (uint32_t group = (s.bytes + 3) / 4; group-- > 0;) {
		for (int b = 3; b >= 0; b--)
			if (group * 4 + (uint32_t)b < s.bytes)
				out_hex_width(out, bitmap_byte(e, s, group * 4 + (uint32_t)b), 2, '0');
		if (group)
			out_ch(out, ',');
	}
}

/* %pbl: ranges of set bits. */
static void bit_ranges_text(struct out *out, const struct eval *e, struct field_span s, uint64_t bits)
{
	bool any = false;
	if (bits > (uint64_t)s.bytes * 8)
		bits = (uint64_t)s.bytes * 8;
	for (uint32_t i = 0; i < bits; i++) {
		uint32_t first = i;
		while (i < bits && bitmap_byte(e, s, i / 8) >> (i % 8) & 1)
			i++;
		if (i == first)
			continue;
		if (any)
			out_ch(out, ',');
		out_u64(out, first);
		if (i - 1 > first) {
			out_ch(out, '-');
			out_u64(out, i - 1);
		}
		any = true;
	}
}

static void clean_text(struct out *out, const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && s[i] >= ' ' && s[i] < 0x7f)
		i++;
	if (i == n)
		out_write(out, s, n);
	else
		out_text(out, s, n);
}

/* max: the precision. */
static void string_text(struct out *out, const struct eval *e, const struct print_node *n, size_t max)
{
	struct field_span s;
	const uint64_t *known;
	switch (n->kind) {
	case NODE_STRING:
		out_write(out, n->text, strnlen(n->text, max));
		break;
	case NODE_SPAN:
		s = span(e, n);
		clean_text(out, (const char *)s.data, strnlen((const char *)s.data, s.bytes < max ? s.bytes : max));
		break;
	case NODE_TERNARY:
		string_text(out, e, number(e, n->left) ? n->right : n->third, max);
		break;
	case NODE_FLAGS:
		flags_text(out, number(e, n->left), n);
		break;
	case NODE_SYMBOLIC:
		symbolic_text(out, number(e, n->left), n);
		break;
	case NODE_HEX:
		hex_text(out, e, n);
		break;
	case NODE_ARRAY:
		array_text(out, e, n);
		break;
	case NODE_BITMASK:
	case NODE_CPUMASK:
		bitmask_text(out, e, span(e, n));
		break;
	default: /* a pointer to a constant of the kernel */
		known = u64map_get(&e->t->printk, number(e, n));
		if (known)
			out_str(out, (const char *)(uintptr_t)*known);
		else
			out_hex(out, number(e, n));
		break;
	}
}

/* ---- %p and its extensions ---- */

static void symbol_text(struct out *out, const struct eval *e, uint64_t addr, bool with_offset)
{
	uint64_t offset = 0;
	const char *name = e->names && e->names->symbol ? e->names->symbol(e->names->ctx, addr, &offset) : NULL;
	if (!name) {
		out_str(out, "0x");
		out_hex(out, addr);
		return;
	}
	out_str(out, name);
	if (with_offset) {
		out_str(out, "+0x");
		out_hex(out, offset);
	}
}

static void pointer_text(struct out *out, const struct eval *e, const struct print_part *part)
{
	const struct print_node *n = part->arg;
	bool is_span = n->kind == NODE_SPAN || n->kind == NODE_BITMASK || n->kind == NODE_CPUMASK;
	struct field_span s = is_span ? span(e, n) : (struct field_span){ .data = e->raw };
	switch (part->pointer[0]) {
	case 'F':
	case 'S':
	case 'B':
		symbol_text(out, e, number(e, n), true);
		return;
	case 'f':
	case 's':
		symbol_text(out, e, number(e, n), false);
		return;
	case 'b':
		if (part->pointer[1] == 'l')
			bit_ranges_text(out, e, s, number(e, part->width_arg));
		else
			bitmask_text(out, e, s);
		return;
	case 'U':
		address_uuid(out, s, part->pointer[1]);
		return;
	case 'M':
	case 'm':
		address_mac(out, s, part->pointer);
		return;
	case 'I':
	case 'i':
		address_ip(out, s, part->pointer);
		return;
	default:
		break;
	}
	uint64_t v = is_span ? n->field->offset : number(e, n);
	if (!v)
		out_str(out, "(nil)");
	else
		out_str(out, "0x"), out_hex(out, v);
}

/* ---- conversions ---- */

static int32_t width_of(const struct eval *e, int32_t fixed, const struct print_node *arg)
{
	int64_t v = arg ? (int32_t)number(e, arg) : fixed;
	return v > WIDTH_MAX ? WIDTH_MAX : v < -WIDTH_MAX ? -WIDTH_MAX : (int32_t)v;
}

static void padded_number(struct out *out, const struct print_part *part, uint64_t v, int32_t width, int32_t precision)
{
	char spec[24];
	int n = 0;
	spec[n++] = '%';
	for (int i = 0; i < 5; i++)
		if (part->flags & 1 << i)
			spec[n++] = "-0+ #"[i];
	const char tail[] = { '*', '.', '*', 'l', 'l', part->conversion, 0 };
	memcpy(spec + n, tail, sizeof(tail));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	out_f(out, spec, width, precision, (unsigned long long)v);
#pragma GCC diagnostic pop
}

static void number_text(struct out *out, const struct eval *e, const struct print_part *part)
{
	bool is_signed = part->conversion == 'd';
	uint64_t v = convert(number(e, part->arg), (struct ctype){ .bytes = part->bytes, .is_signed = is_signed });
	if (part->conversion == 'c') {
		char c = (char)v;
		if (c)
			clean_text(out, &c, 1);
		return;
	}
	bool plain = !part->flags && part->width < 0 && part->precision < 0 && !part->width_arg && !part->precision_arg;
	if (plain && is_signed)
		out_i64(out, (int64_t)v);
	else if (plain && part->conversion == 'u')
		out_u64(out, v);
	else if (plain && part->conversion == 'x')
		out_hex(out, v);
	else if (part->conversion == 'x' && part->flags == PRINT_ZERO && part->width > 0 && part->precision < 0)
		out_hex_width(out, v, (size_t)part->width, '0');
	else
		padded_number(out, part, v, part->width < 0 && !part->width_arg ? 0 : width_of(e, part->width, part->width_arg),
			      width_of(e, part->precision, part->precision_arg));
}

static void part_text(struct out *out, const struct eval *e, const struct print_part *part)
{
	if (part->conversion == 's') {
		int32_t max = width_of(e, part->precision, part->precision_arg);
		string_text(out, e, part->arg, max < 0 ? SIZE_MAX : (size_t)max);
	} else if (part->conversion == 'p') {
		pointer_text(out, e, part);
	} else {
		number_text(out, e, part);
	}
}

/* Strings and pointers with a width: written to a buffer, then padded. */
static void wide_part_text(struct out *out, const struct eval *e, const struct print_part *part)
{
	struct out aside;
	size_t n;
	int32_t width = width_of(e, part->width, part->width_arg);
	bool left = part->flags & PRINT_LEFT || width < 0;
	size_t columns = (size_t)(width < 0 ? -width : width);
	out_init_mem(&aside);
	part_text(&aside, e, part);
	const char *text = out_mem(&aside, &n);
	if (!left && n < columns)
		out_fill(out, ' ', columns - n);
	out_write(out, text, n);
	if (left && n < columns)
		out_fill(out, ' ', columns - n);
	error_destroy(out_close(&aside)); /* a sink in memory cannot fail */
}

static void put_hex(struct out *out, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	char *p = out_reserve(out, 16);
	unsigned n = v ? (unsigned)(67 - __builtin_clzll(v)) / 4 : 1;
	out->len += n;
	for (; n-- > 0; v >>= 4)
		p[n] = digits[v & 15];
}

/* A field in a plain %d, %u or %x: the most frequent case. */
static void field_number_text(struct out *out, const struct eval *e, const struct print_part *part)
{
	const struct print_node *n = part->arg;
	uint64_t v = 0;
	if (n->number + n->type.bytes <= e->raw_bytes)
		v = raw_load(e->t, e->raw + n->number, n->type.bytes, n->type.is_signed);
	v = convert(v, (struct ctype){ .bytes = part->bytes, .is_signed = part->conversion == 'd' });
	if (part->conversion == 'x')
		put_hex(out, v);
	else if (part->conversion == 'd')
		out_i64(out, (int64_t)v);
	else
		out_u64(out, v);
}

static void program_text(struct out *out, const struct eval *e, const struct print_program *program)
{
	for (uint32_t i = 0; i < program->parts_nr; i++) {
		const struct print_part *part = &program->parts[i];
		if (part->literal_bytes) { /* inline, since most of the text is literals */
			memcpy(out_reserve(out, part->literal_bytes), part->literal, part->literal_bytes);
			out->len += part->literal_bytes;
		}
		if (!part->conversion)
			continue;
		if (part->is_plain_field) {
			field_number_text(out, e, part);
			continue;
		}
		bool has_width = part->width > 0 || (part->width_arg && part->pointer[0] != 'b');
		if (has_width && (part->conversion == 's' || part->conversion == 'p'))
			wide_part_text(out, e, part);
		else
			part_text(out, e, part);
	}
}

void trace_text(struct out *out, const struct tracepoints *t, const struct tracepoint *tp, const void *raw,
		uint32_t raw_bytes, const struct trace_names *names)
{
	struct eval e = { .t = t, .raw = raw, .raw_bytes = raw_bytes, .names = names };
	if (tp->program) {
		program_text(out, &e, tp->program);
		return;
	}
	out_str(out, "[FAILED TO PARSE]");
	fields_text(out, t, tp, raw, raw_bytes);
}
