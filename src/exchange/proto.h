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

/* The next field; false at the end, and where the bytes are no field (the cursor is bad then). */
bool proto_next(struct cursor *c, struct proto_field *ret);

uint64_t proto_varint_slow(struct cursor *c);

static inline uint64_t proto_varint(struct cursor *c)
{
	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	return proto_varint_slow(c);
}

/* Fields of value 0 are left out, as the format has it. */
void proto_write_u64(struct out *out, uint32_t number, uint64_t value);
void proto_write_bytes(struct out *out, uint32_t number, const void *p, size_t n);
void proto_write_varint(struct out *out, uint64_t value);
/* What an embedded message holds, collected in a sink in memory, which is emptied. */
void proto_write_message(struct out *out, uint32_t number, struct out *message);
