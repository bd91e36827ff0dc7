#include "scripting/pickle.h"

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
	OP_POP = '0',
	OP_BINGET = 'h',
	OP_LONG_BINGET = 'j',
	OP_MEMOIZE = 0x94,
};

#define PROTOCOL 5
#define HEAD_BYTES 11 /* PROTO and its argument, FRAME and its length */
#define BEGIN_BYTES (HEAD_BYTES + 2) /* of the list */

static void put_op(struct pickle *p, int op)
{
	out_ch(&p->out, (char)op);
}

/* The lowest bytes of v, little-endian. */
static void put_number(struct pickle *p, uint64_t v, unsigned bytes)
{
	char *to = out_reserve(&p->out, sizeof(v));
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (char)(v >> 8 * i);
	p->out.len += bytes;
}

void pickle_init(struct pickle *p)
{
	*p = (struct pickle){};
	out_init_mem(&p->out);
	pickle_next(p);
}

void pickle_deinit(struct pickle *p)
{
	error_destroy(out_close(&p->out)); /* memory does not fail */
	u64map_deinit(&p->memo);
}

void pickle_next(struct pickle *p)
{
	p->out.len = 0;
	put_op(p, OP_PROTO);
	put_op(p, PROTOCOL);
	put_op(p, OP_FRAME);
	put_number(p, 0, 8);
	pickle_begin_list(p);
}

const char *pickle_batch(struct pickle *p, size_t *ret_bytes)
{
	*ret_bytes = 0;
	if (p->out.len == BEGIN_BYTES)
		return NULL;
	pickle_end_list(p);
	put_op(p, OP_STOP);
	size_t len = p->out.len;
	p->out.len = HEAD_BYTES - 8;
	put_number(p, len - HEAD_BYTES, 8);
	p->out.len = len;
	return out_mem(&p->out, ret_bytes);
}

void pickle_none(struct pickle *p)
{
	put_op(p, OP_NONE);
}

void pickle_bool(struct pickle *p, bool v)
{
	put_op(p, v ? OP_NEWTRUE : OP_NEWFALSE);
}

/* v is not 0. */
static void put_long(struct pickle *p, uint64_t v, bool negative)
{
	unsigned bytes = negative ? 8 : (64u - (unsigned)__builtin_clzll(v)) / 8 + 1; /* one bit more, for the sign */
	put_op(p, OP_LONG1);
	put_number(p, bytes, 1);
	put_number(p, v, bytes < 8 ? bytes : 8);
	if (bytes > 8)
		put_number(p, 0, 1);
}

void pickle_u64(struct pickle *p, uint64_t v)
{
	if (v <= UINT8_MAX) {
		put_op(p, OP_BININT1);
		put_number(p, v, 1);
	} else if (v <= UINT16_MAX) {
		put_op(p, OP_BININT2);
		put_number(p, v, 2);
	} else if (v <= INT32_MAX) {
		put_op(p, OP_BININT);
		put_number(p, v, 4);
	} else {
		put_long(p, v, false);
	}
}

void pickle_i64(struct pickle *p, int64_t v)
{
	if (v >= 0) {
		pickle_u64(p, (uint64_t)v);
	} else if (v >= INT32_MIN) {
		put_op(p, OP_BININT);
		put_number(p, (uint64_t)v, 4);
	} else {
		put_long(p, (uint64_t)v, true);
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

/* A byte that is not part of UTF-8 as U+DC80 … U+DCFF. */
static void put_escaped(struct pickle *p, unsigned char byte)
{
	put_op(p, 0xed);
	put_op(p, 0xb0 | byte >> 6);
	put_op(p, 0x80 | (byte & 0x3f));
}

static void put_utf8(struct pickle *p, const char *s, size_t n)
{
	uint32_t c;
	for (size_t i = 0; i < n;) {
		size_t len = utf8_decode(s + i, n - i, &c);
		if (len)
			out_write(&p->out, s + i, len);
		else
			put_escaped(p, (unsigned char)s[i]);
		i += len ? len : 1;
	}
}

static void put_sized(struct pickle *p, int short_op, int op, size_t n)
{
	bool is_short = n <= UINT8_MAX;
	put_op(p, is_short ? short_op : op);
	put_number(p, n, is_short ? 1 : 4);
}

void pickle_text(struct pickle *p, const char *s, size_t n)
{
	bool ascii = is_ascii(s, n);
	put_sized(p, OP_SHORT_BINUNICODE, OP_BINUNICODE, ascii ? n : utf8_bytes(s, n));
	if (ascii)
		out_write(&p->out, s, n);
	else
		put_utf8(p, s, n);
}

/* True where the reader has it: a reference was written. Else the caller writes it, and MEMOIZE. */
static bool refer(struct pickle *p, const void *address)
{
	bool is_new;
	uint64_t *number = u64map_put(&p->memo, (uintptr_t)address, &is_new);
	if (is_new) {
		*number = p->memo_nr++;
		p->has_new_strings = true;
		return false;
	}
	bool is_short = *number <= UINT8_MAX;
	put_op(p, is_short ? OP_BINGET : OP_LONG_BINGET);
	put_number(p, *number, is_short ? 1 : 4);
	return true;
}

void pickle_name(struct pickle *p, const char *s)
{
	if (refer(p, s))
		return;
	pickle_text(p, s, strlen(s));
	put_op(p, OP_MEMOIZE);
}

void pickle_bytes(struct pickle *p, const void *data, size_t n)
{
	put_sized(p, OP_SHORT_BINBYTES, OP_BINBYTES, n);
	out_write(&p->out, data, n);
}

void pickle_bytearray(struct pickle *p, const void *data, size_t n)
{
	put_op(p, OP_BYTEARRAY8);
	put_number(p, n, 8);
	out_write(&p->out, data, n);
}

void pickle_global(struct pickle *p, const char *module, const char *name)
{
	*u64map_put(&p->memo, (uintptr_t)name, NULL) = p->memo_nr++;
	put_op(p, OP_GLOBAL);
	out_str(&p->out, module);
	out_ch(&p->out, '\n');
	out_str(&p->out, name);
	out_ch(&p->out, '\n');
	put_op(p, OP_MEMOIZE);
	put_op(p, OP_POP);
}

void pickle_made(struct pickle *p, const char *data, size_t n)
{
	out_write(&p->out, data, n);
}

/* ---- containers ---- */

void pickle_begin_dict(struct pickle *p)
{
	put_op(p, OP_EMPTY_DICT);
	put_op(p, OP_MARK);
}

void pickle_end_dict(struct pickle *p)
{
	put_op(p, OP_SETITEMS);
}

void pickle_begin_list(struct pickle *p)
{
	put_op(p, OP_EMPTY_LIST);
	put_op(p, OP_MARK);
}

void pickle_end_list(struct pickle *p)
{
	put_op(p, OP_APPENDS);
}

void pickle_begin_tuple(struct pickle *p)
{
	put_op(p, OP_MARK);
}

void pickle_end_tuple(struct pickle *p)
{
	put_op(p, OP_TUPLE);
}
