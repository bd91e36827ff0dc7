/* Sizes, places and loads: the part of the tables that depends on the architecture. */
#include "decode/syscall/types_priv.h"

const struct struct_type *struct_on(const struct arch *a, const struct struct_type *s)
{
	if (a == &arch_i386 && s->on_i386)
		return s->on_i386;
	return a == &arch_aarch64 && s->on_aarch64 ? s->on_aarch64 : s;
}

const struct constants *constants_on(const struct arch *a, const struct constants *c)
{
	if (a == &arch_i386 && c->on_i386)
		return c->on_i386;
	return a == &arch_aarch64 && c->on_aarch64 ? c->on_aarch64 : c;
}

static size_t scalar_bytes(const struct arch *a, struct value_type t)
{
	return t.bytes ? t.bytes : a->pointer_bytes;
}

size_t value_bytes(const struct arch *a, struct value_type t)
{
	switch (t.format) {
	case VALUE_STRUCT:
		return struct_bytes(a, t.of);
	case VALUE_ARRAY:
		return t.count * value_bytes(a, *(const struct value_type *)t.of);
	case VALUE_CHARS:
	case VALUE_BYTES:
	case VALUE_PAD:
		return t.count;
	case VALUE_FSID:
		return 8;
	default:
		return scalar_bytes(a, t);
	}
}

size_t value_align(const struct arch *a, struct value_type t)
{
	size_t align;
	switch (t.format) {
	case VALUE_STRUCT: {
		const struct struct_type *s = struct_on(a, t.of);
		align = 1;
		for (size_t i = 0; i < s->nr && !s->packed; i++) {
			size_t one = value_align(a, s->members[i].type);
			align = one > align ? one : align;
		}
		return align;
	}
	case VALUE_ARRAY:
		return value_align(a, *(const struct value_type *)t.of);
	case VALUE_CHARS:
	case VALUE_BYTES:
	case VALUE_PAD:
		return 1;
	default:
		align = scalar_bytes(a, t);
		return align > 4 && a == &arch_i386 ? 4 : align; /* the i386 ABI */
	}
}

size_t struct_bytes(const struct arch *a, const struct struct_type *s)
{
	s = struct_on(a, s);
	size_t end = 0, align = 1;
	for (size_t i = 0; i < s->nr; i++) {
		size_t one = s->packed ? 1 : value_align(a, s->members[i].type);
		align = one > align ? one : align;
		end = (end + one - 1) / one * one + value_bytes(a, s->members[i].type);
	}
	return (end + align - 1) / align * align;
}

uint64_t value_load(const struct arch *a, const uint8_t *p, size_t bytes)
{
	uint64_t v = 0;
	for (size_t i = 0; i < bytes; i++)
		v |= (uint64_t)p[a->big_endian ? bytes - 1 - i : i] << 8 * i;
	return v;
}
