/*
 * The wire form of protocol buffers: fields one after another, each a tag and a value.
 *
 * Reading uses a bounded cursor; invalid data sets its error state, and ends the loop. Writing appends to a byte sink.
 * Source: "Encoding", protobuf.dev.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/out.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value;      /* of numbers */
	struct cursor bytes; /* of PROTO_BYTES; borrowed */
};

const uint8_t *proto_varint_slow(const uint8_t *at, const uint8_t *end, uint64_t *ret);

/*
 * Reads the number that begins at `at`, which must precede the end. Returns its end, or NULL. Numbers of functions and locations are
 * short.
 */
static inline const uint8_t *proto_varint_at(const uint8_t *at, const uint8_t *end, uint64_t *ret)
{
	if (*at < 0x80) {
		*ret = *at;
		return at + 1;
	}
	if (end - at > 1 && at[1] < 0x80) {
		*ret = (at[0] & 0x7f) | (uint64_t)at[1] << 7;
		return at + 2;
	}
	if (end - at > 2 && at[2] < 0x80) {
		*ret = (at[0] & 0x7f) | (uint64_t)(at[1] & 0x7f) << 7 | (uint64_t)at[2] << 14;
		return at + 3;
	}
	return proto_varint_slow(at, end, ret);
}

static inline uint64_t proto_varint(struct cursor *c)
{
	uint64_t value = 0;
	const uint8_t *at = c->at < c->end ? proto_varint_at(c->at, c->end, &value) : NULL;
	c->bad |= !at;
	c->at = at ? at : c->at;
	return value;
}

/* For fields other than numbers and bytes with a short tag. */
bool proto_next_slow(struct cursor *c, uint64_t tag, struct proto_field *ret);

/* Reads the next field; false at the end, or if the bytes are not a field (the cursor is then in error). */
static inline bool proto_next(struct cursor *c, struct proto_field *ret)
{
	if (c->bad || c->at == c->end)
		return false;
	uint64_t tag = proto_varint(c);
	if (tag >> 7 || tag < 8 || ((tag & 7) != PROTO_VARINT && (tag & 7) != PROTO_BYTES))
		return proto_next_slow(c, tag, ret);
	uint64_t value = proto_varint(c);
	ret->number = (uint32_t)(tag >> 3);
	ret->wire = tag & 7;
	ret->value = value;
	if (ret->wire == PROTO_VARINT) {
		ret->bytes = (struct cursor){};
		return !c->bad;
	}
	ret->value = 0;
	if (c->bad || value > cursor_left(c)) {
		c->bad = true;
		return false;
	}
	ret->bytes = (struct cursor){ .at = c->at, .end = c->at + value, .start = c->at, .swap = c->swap };
	c->at += value;
	return true;
}

/* Fields with value 0 are omitted, as the format specifies. */
void proto_write_u64(struct out *out, uint32_t number, uint64_t value);
void proto_write_bytes(struct out *out, uint32_t number, const void *p, size_t n);
void proto_write_varint(struct out *out, uint64_t value);
/* Writes an embedded message that was collected in a sink in memory, and clears the sink. */
void proto_write_message(struct out *out, uint32_t number, struct out *message);
