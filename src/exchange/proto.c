#include "exchange/proto.h"

#define VARINT_MAX_BYTES 10

const uint8_t *proto_varint_slow(const uint8_t *at, const uint8_t *end, uint64_t *ret)
{
	*ret = 0;
	for (unsigned i = 0; i < VARINT_MAX_BYTES && at < end; i++) {
		uint8_t byte = *at++;
		*ret |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80)
			return at;
	}
	*ret = 0;
	return NULL;
}

bool proto_next_slow(struct cursor *c, uint64_t tag, struct proto_field *ret)
{
	*ret = (struct proto_field){ .number = (uint32_t)(tag >> 3), .wire = tag & 7 };
	if (!ret->number || tag >> 35)
		c->bad = true;
	switch (ret->wire) {
	case PROTO_VARINT:
		ret->value = proto_varint(c);
		break;
	case PROTO_FIXED64:
		ret->value = cursor_u64(c);
		break;
	case PROTO_FIXED32:
		ret->value = cursor_u32(c);
		break;
	case PROTO_BYTES: {
		uint64_t n = proto_varint(c);
		ret->bytes = cursor_sub(c, n);
		break;
	}
	default: /* groups: not used in profiles */
		c->bad = true;
	}
	return !c->bad;
}

void proto_write_varint(struct out *out, uint64_t value)
{
	uint8_t *at = (uint8_t *)out_reserve(out, VARINT_MAX_BYTES);
	size_t n = 0;
	for (; value >= 0x80; value >>= 7)
		at[n++] = (uint8_t)(value | 0x80);
	at[n++] = (uint8_t)value;
	out->len += n;
}

void proto_write_u64(struct out *out, uint32_t number, uint64_t value)
{
	if (!value)
		return;
	proto_write_varint(out, (uint64_t)number << 3 | PROTO_VARINT);
	proto_write_varint(out, value);
}

void proto_write_bytes(struct out *out, uint32_t number, const void *p, size_t n)
{
	proto_write_varint(out, (uint64_t)number << 3 | PROTO_BYTES);
	proto_write_varint(out, n);
	out_write(out, p, n);
}

void proto_write_message(struct out *out, uint32_t number, struct out *message)
{
	size_t n;
	const char *p = out_mem(message, &n);
	proto_write_bytes(out, number, p, n);
	message->len = 0;
}
