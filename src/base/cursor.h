/*
 * A bounded reader of unchecked bytes: a read outside of them sets bad.
 *
 * After a failed read the cursor is `bad` and does not move, and all later reads fail, too, and return 0, so that a
 * sequence of reads needs one check at the end. Numbers are read in the byte order of the input (`swap` = not native) and
 * need no alignment. The bytes are borrowed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	const uint8_t *start;
	bool swap;
	bool bad;
};

static inline struct cursor cursor_make(const void *p, size_t bytes, bool swap)
{
	return (struct cursor){ .at = p, .end = bytes ? (const uint8_t *)p + bytes : p, .start = p, .swap = swap };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline size_t cursor_offset(const struct cursor *c)
{
	return (size_t)(c->at - c->start);
}

/* n bytes in place, or NULL. */
static inline const void *cursor_bytes(struct cursor *c, size_t n)
{
	if (c->bad || cursor_left(c) < n) {
		c->bad = true;
		return NULL;
	}
	const void *p = c->at;
	c->at += n;
	return p;
}

static inline bool cursor_skip(struct cursor *c, size_t n)
{
	return cursor_bytes(c, n) != NULL;
}

static inline bool cursor_copy(struct cursor *c, void *dst, size_t n)
{
	const void *p = cursor_bytes(c, n);
	if (!p) {
		memset(dst, 0, n);
		return false;
	}
	memcpy(dst, p, n);
	return true;
}

#define CURSOR_GET(bits, swapper)                          \
	static inline uint##bits##_t cursor_u##bits(struct cursor *c) \
	{                                                  \
		uint##bits##_t v;                          \
		cursor_copy(c, &v, sizeof(v));             \
		return c->swap ? swapper(v) : v;           \
	}
static inline uint8_t cursor_u8(struct cursor *c)
{
	uint8_t v;
	cursor_copy(c, &v, 1);
	return v;
}
CURSOR_GET(16, __builtin_bswap16)
CURSOR_GET(32, __builtin_bswap32)
CURSOR_GET(64, __builtin_bswap64)
#undef CURSOR_GET

/* DWARF LEB128; a number of more than 64 bits makes the cursor bad. */
uint64_t cursor_uleb_long(struct cursor *c);
static inline uint64_t cursor_uleb(struct cursor *c)
{
	/* Nearly all are of one byte. */
	if (__builtin_expect(!c->bad && c->at < c->end && *c->at < 0x80, 1))
		return *c->at++;
	return cursor_uleb_long(c);
}
int64_t cursor_sleb(struct cursor *c);
/* A NUL-terminated string in place; the cursor moves past the NUL. NULL (and bad): no NUL inside. */
const char *cursor_cstr(struct cursor *c);
/* A cursor over the next n bytes, which this one skips; bad if they are not inside. */
struct cursor cursor_sub(struct cursor *c, size_t n);
/* Moves to an absolute offset from start; bad if it is outside. */
bool cursor_seek(struct cursor *c, size_t offset);
