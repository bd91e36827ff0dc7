/*
 * Puts numbers into a byte buffer in either byte order: for tests of what reads recordings. Independent of the encoders.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vector.h"
#include "record/record.h"

struct bytes_builder {
	VEC(uint8_t) bytes;
	bool swapped; /* not in the byte order of this machine */
	size_t record_at;
};

static inline void bytes_raw(struct bytes_builder *b, const void *p, size_t n)
{
	if (n)
		memcpy(vec_extend(&b->bytes, n), p, n);
}

static inline bool bytes_are_big(const struct bytes_builder *b)
{
	return b->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* A word with the bit-field that is declared as the one of that number: the first is the top bit of big-endian machines. */
static inline uint64_t bytes_flag(const struct bytes_builder *b, unsigned field)
{
	return (uint64_t)1 << (bytes_are_big(b) ? 63 - field : field);
}

/* Where the byte of that significance lies in a number of n bytes. */
static inline unsigned byte_at(const struct bytes_builder *b, unsigned n, unsigned i)
{
	return bytes_are_big(b) ? n - 1 - i : i;
}

static inline void bytes_number(struct bytes_builder *b, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint8_t byte = (uint8_t)(v >> 8 * byte_at(b, n, i));
		bytes_raw(b, &byte, 1);
	}
}

static inline void bytes_u16(struct bytes_builder *b, uint16_t v)
{
	bytes_number(b, v, 2);
}

static inline void bytes_u32(struct bytes_builder *b, uint32_t v)
{
	bytes_number(b, v, 4);
}

static inline void bytes_u64(struct bytes_builder *b, uint64_t v)
{
	bytes_number(b, v, 8);
}

/* With its NUL, padded to a multiple of 8. */
static inline void bytes_string(struct bytes_builder *b, const char *s)
{
	size_t n = strlen(s) + 1;
	bytes_raw(b, s, n);
	for (; n % 8; n++)
		bytes_raw(b, "", 1);
}

/* A string of a feature section: its room, then itself in it. */
static inline void bytes_header_string(struct bytes_builder *b, const char *s)
{
	size_t n = strlen(s) + 1, room = (n + 63) / 64 * 64;
	bytes_u32(b, (uint32_t)room);
	bytes_raw(b, s, n);
	for (; n < room; n++)
		bytes_raw(b, "", 1);
}

static inline void bytes_begin(struct bytes_builder *b, uint32_t type, uint16_t misc)
{
	b->record_at = b->bytes.len;
	bytes_u32(b, type);
	bytes_u16(b, misc);
	bytes_u16(b, 0);
}

static inline void bytes_patch(struct bytes_builder *b, size_t at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		b->bytes.data[at + i] = (uint8_t)(v >> 8 * byte_at(b, n, i));
}

/* The record is valid until the buffer grows. */
static inline struct record bytes_end(struct bytes_builder *b)
{
	bytes_patch(b, b->record_at + 6, b->bytes.len - b->record_at, 2);
	return (struct record){ .hdr = (const void *)(b->bytes.data + b->record_at), .file_offset = b->record_at };
}

static inline void bytes_deinit(struct bytes_builder *b)
{
	vec_deinit(&b->bytes);
}
