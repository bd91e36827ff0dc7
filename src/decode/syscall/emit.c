#include "decode/syscall/emit.h"

#define DEFAULT_STR_LIMIT 32

void emit_init(struct emit *e, struct out *out, struct json *json, const struct syscall_style *style,
	       const struct arch *a, const struct syscall_event *ev)
{
	/* Once for each event: the scratch and the depths are set when they are used. */
	e->out = out;
	e->json = json;
	e->style = style;
	e->ev = ev;
	e->arch = a;
	e->depth = 0;
	e->sized = 0;
	e->in_part = false;
	e->first[0] = true;
	e->strace = !json && style->layout == SYSCALL_STRACE;
	e->limit = style->str_limit ? style->str_limit : DEFAULT_STR_LIMIT;
	if (json)
		out_init_mem(&e->scratch);
}

void emit_deinit(struct emit *e)
{
	if (e->json)
		error_destroy(out_close(&e->scratch));
}

/* Printers nest as deep as the tables do, which is less than EMIT_DEPTH. */
static void push(struct emit *e)
{
	if (e->depth < EMIT_DEPTH - 1)
		e->depth++;
	e->first[e->depth] = true;
}

static void pop(struct emit *e)
{
	if (e->depth)
		e->depth--;
}

static void separate(struct emit *e)
{
	if (!e->first[e->depth])
		out_str(e->out, ", ");
	e->first[e->depth] = false;
}

void emit_struct(struct emit *e)
{
	if (e->json)
		json_object(e->json);
	else
		out_str(e->out, e->strace ? "{" : "{ ");
	push(e);
}

void emit_member(struct emit *e, const char *name)
{
	if (e->json) {
		json_key(e->json, name);
		return;
	}
	separate(e);
	if (!e->strace)
		out_ch(e->out, '.');
	out_str(e->out, name);
	out_str(e->out, e->strace ? "=" : ": ");
}

void emit_struct_end(struct emit *e)
{
	if (e->json)
		json_end(e->json);
	else
		out_str(e->out, e->strace ? "}" : " }");
	pop(e);
}

void emit_array(struct emit *e)
{
	if (e->json)
		json_array(e->json);
	else
		out_ch(e->out, '[');
	push(e);
}

void emit_item(struct emit *e)
{
	if (!e->json)
		separate(e);
}

void emit_array_end(struct emit *e)
{
	if (e->json)
		json_end(e->json);
	else
		out_ch(e->out, ']');
	pop(e);
}

void emit_more(struct emit *e)
{
	if (e->json)
		return;
	separate(e);
	out_str(e->out, "...");
}

struct out *emit_atom(struct emit *e)
{
	if (!e->json)
		return e->out;
	e->scratch.len = 0;
	return &e->scratch;
}

void emit_atom_end(struct emit *e)
{
	if (!e->json)
		return;
	size_t n;
	const char *p = out_mem(&e->scratch, &n);
	json_str_n(e->json, p, n);
}

void emit_word(struct emit *e, const char *s)
{
	if (e->json)
		json_str(e->json, s);
	else
		out_str(e->out, s);
}

void emit_i64(struct emit *e, int64_t v)
{
	if (e->json)
		json_i64(e->json, v);
	else
		out_i64(e->out, v);
}

void emit_u64(struct emit *e, uint64_t v)
{
	if (e->json)
		json_u64(e->json, v);
	else
		out_u64(e->out, v);
}

void emit_hex(struct emit *e, uint64_t v)
{
	if (e->json) {
		json_hex(e->json, v);
		return;
	}
	if (v)
		out_str(e->out, "0x");
	out_hex(e->out, v);
}

void emit_pointer(struct emit *e, uint64_t v)
{
	if (v)
		emit_hex(e, v);
	else if (e->json)
		json_null(e->json);
	else
		out_str(e->out, "NULL");
}

/* The letter that C writes after a backslash for the byte; 0: none. */
static const char letters[256] = {
	['"'] = '"', ['\\'] = '\\', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r',
};

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Characters that need no escape: all printable ones except '"' and '\\'. */
static const bool plain[256] = { [' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true };

/* Eight of them: a byte has its high bit set, or gets it by a borrow, or is 0 after an exclusive or. */
static bool all_plain(const uint8_t *p)
{
	const uint64_t ones = UINT64_MAX / 255, high = ones << 7;
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	uint64_t quote = v ^ ones * '"', backslash = v ^ ones * '\\', del = v ^ ones * 0x7f;
	return !(((v - ones * ' ') | (quote - ones) | (backslash - ones) | (del - ones) | v) & high);
}

/* One byte that is not plain as C writes it, at most four characters; octal is as short as the next byte allows. */
static char *escape(char *to, uint8_t c, uint8_t next)
{
	*to++ = '\\';
	if (letters[c]) {
		*to++ = letters[c];
		return to;
	}
	bool full = is_digit(next);
	if (full || c >= 0100)
		*to++ = (char)('0' + (c >> 6));
	if (full || c >= 010)
		*to++ = (char)('0' + (c >> 3 & 7));
	*to++ = (char)('0' + (c & 7));
	return to;
}

void syscall_print_quoted(struct out *out, const void *bytes, size_t n)
{
	enum { CHUNK = 1024 };
	const uint8_t *p = bytes;
	out_ch(out, '"');
	for (size_t at = 0; at < n; at += CHUNK) {
		size_t end = n - at < CHUNK ? n : at + CHUNK;
		char *start = out_reserve(out, 4 * (end - at)), *to = start;
		for (size_t i = at;;) {
			for (; end - i >= 8 && all_plain(p + i); i += 8, to += 8)
				memcpy(to, p + i, 8);
			while (i < end && plain[p[i]])
				*to++ = (char)p[i++];
			if (i >= end)
				break;
			char *from = to, text[4];
			uint8_t c = p[i++], next = i < n ? p[i] : 0;
			to = escape(to, c, next);
			if (c != next)
				continue;
			/* A run, usually of zeros, with the same text. The last one may precede a digit, so it is escaped again. */
			size_t bytes = (size_t)(to - from);
			memcpy(text, from, sizeof(text));
			for (; i + 1 < end && p[i] == c && p[i + 1] == c; i++, to += bytes)
				memcpy(to, text, sizeof(text));
		}
		out->len += (size_t)(to - start);
	}
	out_ch(out, '"');
}

void emit_string(struct emit *e, const uint8_t *s, size_t n, bool cut)
{
	if (n > e->limit) {
		n = e->limit;
		cut = true;
	}
	if (e->json) {
		struct out *atom = emit_atom(e);
		out_write(atom, s, n);
		if (cut)
			out_str(atom, "...");
		emit_atom_end(e);
		return;
	}
	syscall_print_quoted(e->out, s, n);
	if (cut)
		out_str(e->out, "...");
}

void emit_bytes(struct emit *e, const uint8_t *s, size_t n, bool cut)
{
	if (n > e->limit) {
		n = e->limit;
		cut = true;
	}
	struct out *out = emit_atom(e);
	if (!e->json)
		out_ch(out, '"');
	for (size_t i = 0; i < n; i++) {
		out_str(out, "\\x");
		out_hex_width(out, s[i], 2, '0');
	}
	if (!e->json)
		out_ch(out, '"');
	if (cut)
		out_str(out, "...");
	emit_atom_end(e);
}
