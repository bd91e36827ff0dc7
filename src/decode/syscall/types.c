/* Sizes, offsets and loads: the part of the tables that depends on the architecture. */
#include "decode/syscall/types.h"

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

size_t composite_bytes(const struct arch *a, struct value_type t)
{
	switch (t.format) {
	case VALUE_STRUCT:
		return struct_bytes(a, t.of);
	case VALUE_ARRAY:
		return t.count * value_bytes(a, *(const struct value_type *)t.of);
	case VALUE_CHARS:
	case VALUE_BYTES:
	case VALUE_MAC:
	case VALUE_PAD:
	case VALUE_INET6:
	case VALUE_SOCKADDR:
		return t.count;
	default: /* VALUE_FSID */
		return 8;
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
	case VALUE_MAC:
	case VALUE_PAD:
	case VALUE_INET6:
		return 1;
	default:
		align = t.bytes ? t.bytes : a->pointer_bytes;
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
