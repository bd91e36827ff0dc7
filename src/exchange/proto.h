/*
 * The wire form of protocol buffers: fields one after another, each a tag and a value.
 *
 * Reading goes through a bounded cursor; what lies makes it bad, and the walk ends. Writing appends to a byte sink.
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

uint64_t proto_varint_slow(struct cursor *c);

static inline uint64_t proto_varint(struct cursor *c)
{
	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	if (c->end - c->at > 1 && c->at[1] < 0x80) { /* numbers of functions and places, mostly */
		uint64_t value = (c->at[0] & 0x7f) | (uint64_t)c->at[1] << 7;
		c->at += 2;
		return value;
	}
	return proto_varint_slow(c);
}

/* Of a field that is neither a number nor bytes of a short tag. */
bool proto_next_slow(struct cursor *c, uint64_t tag, struct proto_field *ret);

/* The next field; false at the end, and where the bytes are no field (the cursor is bad then). */
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

/* Fields of value 0 are left out, as the format has it. */
void proto_write_u64(struct out *out, uint32_t number, uint64_t value);
void proto_write_bytes(struct out *out, uint32_t number, const void *p, size_t n);
void proto_write_varint(struct out *out, uint64_t value);
/* What an embedded message holds, collected in a sink in memory, which is emptied. */
void proto_write_message(struct out *out, uint32_t number, struct out *message);
