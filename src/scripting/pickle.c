#include "scripting/pickle.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "base/utf8.h"

/* Opcodes, by the names of pickletools. */
enum {
	OP_PROTO = 0x80,
	OP_FRAME = 0x95,
	OP_STOP = '.',
	OP_MARK = '(',
	OP_NONE = 'N',
	OP_NEWTRUE = 0x88,
	OP_NEWFALSE = 0x89,
	OP_BININT = 'J',
	OP_BININT1 = 'K',
	OP_BININT2 = 'M',
	OP_LONG1 = 0x8a,
	OP_SHORT_BINBYTES = 'C',
	OP_BINBYTES = 'B',
	OP_BYTEARRAY8 = 0x96,
	OP_SHORT_BINUNICODE = 0x8c,
	OP_BINUNICODE = 'X',
	OP_EMPTY_LIST = ']',
	OP_APPENDS = 'e',
	OP_TUPLE = 't',
	OP_EMPTY_DICT = '}',
	OP_SETITEMS = 'u',
	OP_GLOBAL = 'c',
	OP_BINGET = 'h',
	OP_LONG_BINGET = 'j',
	OP_MEMOIZE = 0x94,
};

#define PROTOCOL 5
#define HEAD_BYTES 11 /* PROTO and its argument, FRAME and its size */
#define BEGIN_BYTES (HEAD_BYTES + 2) /* including the opening mark of the list */

static const char context_module[] = "perf_trace_context", context_name[] = "perf_script_context";

struct pickle {
	struct value_stream stream;
	struct u64map memo; /* address of a string → its number in the reader's memo */
	uint32_t memo_nr;
};

static struct pickle *of(struct value_stream *s)
{
	return (struct pickle *)s; /* its first member */
}

static void put_op(struct value_stream *s, int op)
{
	out_ch(&s->out, (char)op);
}

/* The lowest bytes of v, little-endian. */
static void put_number(struct value_stream *s, uint64_t v, unsigned bytes)
{
	char *to = out_reserve(&s->out, sizeof(v));
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (char)(v >> 8 * i);
	s->out.len += bytes;
}

static void pickle_begin(struct value_stream *s, enum value_container c)
{
	if (c != VALUE_TUPLE)
		put_op(s, c == VALUE_DICT ? OP_EMPTY_DICT : OP_EMPTY_LIST);
	put_op(s, OP_MARK);
}

static void pickle_end(struct value_stream *s, enum value_container c)
{
	put_op(s, c == VALUE_DICT ? OP_SETITEMS : c == VALUE_LIST ? OP_APPENDS : OP_TUPLE);
}

static void pickle_next(struct value_stream *s)
{
	s->out.len = 0;
	put_op(s, OP_PROTO);
	put_op(s, PROTOCOL);
	put_op(s, OP_FRAME);
	put_number(s, 0, 8);
	pickle_begin(s, VALUE_LIST);
}

static struct value_stream *pickle_create(void)
{
	struct pickle *p = xcalloc(1, sizeof(*p));
	p->stream.format = &pickle_format;
	out_init_mem(&p->stream.out);
	pickle_next(&p->stream);
	return &p->stream;
}

static void pickle_destroy(struct value_stream *s)
{
	error_destroy(out_close(&s->out)); /* writing to memory does not fail */
	u64map_deinit(&of(s)->memo);
	free(of(s));
}

static const char *pickle_batch(struct value_stream *s, size_t *ret_bytes)
{
	*ret_bytes = 0;
	if (s->out.len == BEGIN_BYTES)
		return NULL;
	pickle_end(s, VALUE_LIST);
	put_op(s, OP_STOP);
	size_t len = s->out.len;
	s->out.len = HEAD_BYTES - 8;
	put_number(s, len - HEAD_BYTES, 8);
	s->out.len = len;
	return out_mem(&s->out, ret_bytes);
}

static void pickle_none(struct value_stream *s)
{
	put_op(s, OP_NONE);
}

static void pickle_bool(struct value_stream *s, bool v)
{
	put_op(s, v ? OP_NEWTRUE : OP_NEWFALSE);
}

/* v is not 0. */
static void put_long(struct value_stream *s, uint64_t v, bool negative)
{
	unsigned bytes = negative ? 8 : (64u - (unsigned)__builtin_clzll(v)) / 8 + 1; /* one bit more, for the sign */
	put_op(s, OP_LONG1);
	put_number(s, bytes, 1);
	put_number(s, v, bytes < 8 ? bytes : 8);
	if (bytes > 8)
		put_number(s, 0, 1);
}

static void pickle_u64(struct value_stream *s, uint64_t v)
{
	if (v <= UINT8_MAX) {
		put_op(s, OP_BININT1);
		put_number(s, v, 1);
	} else if (v <= UINT16_MAX) {
		put_op(s, OP_BININT2);
		put_number(s, v, 2);
	} else if (v <= INT32_MAX) {
		put_op(s, OP_BININT);
		put_number(s, v, 4);
	} else {
		put_long(s, v, false);
	}
}

static void pickle_i64(struct value_stream *s, int64_t v)
{
	if (v >= 0) {
		pickle_u64(s, (uint64_t)v);
	} else if (v >= INT32_MIN) {
		put_op(s, OP_BININT);
		put_number(s, (uint64_t)v, 4);
	} else {
		put_long(s, (uint64_t)v, true);
	}
}

/* ---- strings ---- */

static bool is_ascii(const char *s, size_t n)
{
	unsigned char any = 0;
	for (size_t i = 0; i < n; i++)
		any |= (unsigned char)s[i];
	return any < 0x80;
}

static size_t utf8_bytes(const char *s, size_t n)
{
	uint32_t c;
	size_t bytes = 0;
	for (size_t i = 0; i < n;) {
		size_t len = utf8_decode(s + i, n - i, &c);
		bytes += len ? len : 3;
		i += len ? len : 1;
	}
	return bytes;
}

/* Encodes a byte that is not valid UTF-8 as U+DC80 … U+DCFF. */
static void put_escaped(struct value_stream *s, unsigned char byte)
{
	put_op(s, 0xed);
	put_op(s, 0xb0 | byte >> 6);
	put_op(s, 0x80 | (byte & 0x3f));
}

static void put_utf8(struct value_stream *s, const char *text, size_t n)
{
	uint32_t c;
	for (size_t i = 0; i < n;) {
		size_t len = utf8_decode(text + i, n - i, &c);
		if (len)
			out_write(&s->out, text + i, len);
		else
			put_escaped(s, (unsigned char)text[i]);
		i += len ? len : 1;
	}
}

static void put_sized(struct value_stream *s, int short_op, int op, size_t n)
{
	bool is_short = n <= UINT8_MAX;
	put_op(s, is_short ? short_op : op);
	put_number(s, n, is_short ? 1 : 4);
}

static void pickle_text(struct value_stream *s, const char *text, size_t n)
{
	bool ascii = is_ascii(text, n);
	put_sized(s, OP_SHORT_BINUNICODE, OP_BINUNICODE, ascii ? n : utf8_bytes(text, n));
	if (ascii)
		out_write(&s->out, text, n);
	else
		put_utf8(s, text, n);
}

/* True if the reader has it: a reference was written. Otherwise the caller writes the string, and MEMOIZE. */
static bool refer(struct value_stream *s, const void *address)
{
	struct pickle *p = of(s);
	bool is_new;
	uint64_t *number = u64map_put(&p->memo, (uintptr_t)address, &is_new);
	if (is_new) {
		*number = p->memo_nr++;
		s->has_new_strings = true;
		return false;
	}
	bool is_short = *number <= UINT8_MAX;
	put_op(s, is_short ? OP_BINGET : OP_LONG_BINGET);
	put_number(s, *number, is_short ? 1 : 4);
	return true;
}

static void pickle_name(struct value_stream *s, const char *name)
{
	if (refer(s, name))
		return;
	pickle_text(s, name, strlen(name));
	put_op(s, OP_MEMOIZE);
}

static void pickle_bytes(struct value_stream *s, const void *data, size_t n)
{
	put_sized(s, OP_SHORT_BINBYTES, OP_BINBYTES, n);
	out_write(&s->out, data, n);
}

static void pickle_buffer(struct value_stream *s, const void *data, size_t n)
{
	put_op(s, OP_BYTEARRAY8);
	put_number(s, n, 8);
	out_write(&s->out, data, n);
}

static void pickle_context(struct value_stream *s)
{
	if (refer(s, context_name))
		return;
	put_op(s, OP_GLOBAL);
	out_str(&s->out, context_module);
	out_ch(&s->out, '\n');
	out_str(&s->out, context_name);
	out_ch(&s->out, '\n');
	put_op(s, OP_MEMOIZE);
}

static void pickle_made(struct value_stream *s, const char *data, size_t n)
{
	out_write(&s->out, data, n);
}

const struct value_format pickle_format = {
	.create = pickle_create,
	.destroy = pickle_destroy,
	.batch = pickle_batch,
	.next = pickle_next,
	.none = pickle_none,
	.boolean = pickle_bool,
	.u64 = pickle_u64,
	.i64 = pickle_i64,
	.text = pickle_text,
	.name = pickle_name,
	.bytes = pickle_bytes,
	.buffer = pickle_buffer,
	.context = pickle_context,
	.made = pickle_made,
	.begin = pickle_begin,
	.end = pickle_end,
};
