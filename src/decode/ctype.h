/*
 * The C types in formats: size and sign, for reading and casting.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctype {
	uint8_t bytes;         /* 0 = an unknown type */
	bool is_signed;
	uint8_t pointer_depth; /* if not 0, bytes and is_signed describe the pointed-to type */
};

/*
 * Reads a type at *at ("unsigned long", "struct foo *", "const u8 * const"): if there is one, advances *at and returns true. A
 * single unknown identifier is a type only if `lenient`.
 */
bool ctype_parse(const char **at, const char *end, unsigned long_bytes, bool lenient, struct ctype *ret);
