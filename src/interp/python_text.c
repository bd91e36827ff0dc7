/* Text of str objects (PEP 393): one, two or four bytes per character, after a head that depends on the version. */
#include <string.h>

#include "base/hash.h"
#include "interp/python.h"

#define LENGTH_AT 16
#define STATE_AT  32

struct text_head {
	uint64_t length;
	unsigned kind; /* bytes per character */
	bool is_compact, is_ascii;
};

static struct text_head head_of(const uint8_t *p)
{
	struct text_head h;
	uint32_t state;
	memcpy(&h.length, p + LENGTH_AT, 8);
	memcpy(&state, p + STATE_AT, 4);
	h.kind = state >> 2 & 7;
	h.is_compact = state >> 5 & 1;
	h.is_ascii = state >> 6 & 1;
	return h;
}

static size_t put_utf8(uint32_t c, char *to)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	/* Python allows unpaired surrogates; UTF-8 does not. */
	if (c >= 0xd800 && (c < 0xe000 || c > 0x10ffff))
		c = 0xfffd;
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static uint32_t character_at(const uint8_t *p, unsigned bytes)
{
	uint16_t two = 0;
	uint32_t four = 0;
	memcpy(&two, p, bytes >= 2 ? 2 : 0);
	memcpy(&four, p, bytes >= 4 ? 4 : 0);
	return bytes == 1 ? *p : bytes == 2 ? two : four;
}

/* The offset of the first character; 0: damaged. */
static size_t text_at(const struct python_layout *l, const void *object, size_t n, struct text_head *ret)
{
	if (n < STATE_AT + 8)
		return 0;
	*ret = head_of(object);
	size_t at = ret->is_ascii ? l->text : l->text_compact;
	return ret->is_compact && (ret->kind == 1 || ret->kind == 2 || ret->kind == 4) && at <= n ? at : 0;
}

uint64_t python_text_hash(const struct python_layout *l, const void *object, size_t n)
{
	struct text_head h;
	size_t at = text_at(l, object, n, &h);
	return at ? hash_combine(hash_bytes((const char *)object + at, n - at), hash_combine(h.length, h.kind)) : 0;
}

bool python_text(const struct python_layout *l, const void *object, size_t n, char *ret, size_t cap)
{
	const uint8_t *p = object;
	struct text_head h;
	size_t out = 0, at = text_at(l, object, n, &h);
	if (!at || cap < 5)
		return false;
	for (uint64_t i = 0; i < h.length && n - at >= h.kind && cap - out > 4; i++, at += h.kind) {
		uint32_t c = character_at(p + at, h.kind);
		if (!c)
			return false;
		out += put_utf8(c, ret + out);
	}
	ret[out] = 0;
	return out > 0;
}
