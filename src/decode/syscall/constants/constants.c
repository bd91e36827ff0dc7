#include "decode/syscall/types.h"

#include <string.h>

#define TABLE(id, prefix) static const struct constant list_##id[] = {
#define TABLE_ON(id, prefix, i386, aarch64) TABLE(id, prefix)
#define C(name, value) { #name, (uint64_t)(value), (uint64_t)(value) },
#define M(name, value, mask) { #name, (uint64_t)(value), (uint64_t)(mask) },
#define E(name, value) { #name, (uint64_t)(value), UINT64_MAX },
#define END };
#include "decode/syscall/constants/constants.def"
#undef TABLE
#undef TABLE_ON
#undef C
#undef M
#undef E
#undef END

#define TABLE_ON(id, prefix, i386, aarch64) \
	const struct constants constants_##id = { prefix, sizeof(prefix) - 1, list_##id, \
						  sizeof(list_##id) / sizeof(*list_##id), i386, aarch64 };
#define TABLE(id, prefix) TABLE_ON(id, prefix, NULL, NULL)
#define C(name, value)
#define M(name, value, mask)
#define E(name, value)
#define END
#include "decode/syscall/constants/constants.def"

const char *constant_name(const struct constants *c, uint64_t v)
{
	/* A 32-bit register may or may not be sign-extended. */
	for (size_t i = 0; i < c->nr; i++)
		if (c->list[i].value == v || (v <= UINT32_MAX && (uint32_t)c->list[i].value == v))
			return c->list[i].name;
	return NULL;
}

const char *constants_zero(const struct constants *c)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!c->list[i].value)
			return c->list[i].name;
	return NULL;
}

const char *constant_short(const struct constants *c, const char *name)
{
	size_t n = c->prefix_bytes;
	return !strncmp(name, c->prefix, n) && name[n] ? name + n : name;
}
