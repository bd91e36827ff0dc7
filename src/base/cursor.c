#include "base/cursor.h"

uint64_t cursor_uleb_long(struct cursor *c)
{
	uint64_t v = 0;
	const uint8_t *start = c->at;
	for (unsigned shift = 0; !c->bad; shift += 7) {
		uint8_t byte = cursor_u8(c);
		if (c->bad)
			break;
		/* Zero padding past 64 bits is allowed, bits there are not. */
		if (shift < 64 ? (uint64_t)(byte & 0x7f) << shift >> shift != (byte & 0x7f) : byte & 0x7f)
			c->bad = true;
		else if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80) && !c->bad)
			return v;
	}
	c->at = start;
	return 0;
}

int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;
	const uint8_t *start = c->at;
	for (unsigned shift = 0; !c->bad; shift += 7) {
		uint8_t byte = cursor_u8(c);
		if (c->bad)
			break;
		uint8_t bits = byte & 0x7f;
		if (shift < 63)
			v |= (uint64_t)bits << shift;
		else if (shift == 63 && (bits == 0 || bits == 0x7f))
			v |= (uint64_t)bits << 63;
		else if (shift < 63 || bits != ((int64_t)v < 0 ? 0x7f : 0))
			c->bad = true;
		if (!(byte & 0x80) && !c->bad) {
			if (shift + 7 < 64 && (byte & 0x40))
				v |= ~(uint64_t)0 << (shift + 7);
			return (int64_t)v;
		}
	}
	c->at = start;
	return 0;
}

const char *cursor_cstr(struct cursor *c)
{
	const void *nul = c->bad || c->at == c->end ? NULL : memchr(c->at, 0, cursor_left(c));
	if (!nul) {
		c->bad = true;
		return NULL;
	}
	const char *s = (const char *)c->at;
	c->at = (const uint8_t *)nul + 1;
	return s;
}

struct cursor cursor_sub(struct cursor *c, size_t n)
{
	const void *p = cursor_bytes(c, n);
	struct cursor sub = cursor_make(p ? p : c->at, p ? n : 0, c->swap);
	sub.bad = !p;
	return sub;
}

bool cursor_seek(struct cursor *c, size_t offset)
{
	if (c->bad || offset > (size_t)(c->end - c->start)) {
		c->bad = true;
		return false;
	}
	c->at = c->start + offset;
	return true;
}
