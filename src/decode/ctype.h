/*
 * The C types that formats name, as far as reading and casting need them.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctype {
	uint8_t bytes;         /* 0 = an unknown type */
	bool is_signed;
	uint8_t pointer_depth; /* bytes and is_signed are then of what is pointed to */
};

/*
 * Reads a type at *at ("unsigned long", "struct foo *", "const u8 * const"): true, and *at past it, where there is one.
 * A single unknown identifier counts as a type only where `lenient`.
 */
bool ctype_parse(const char **at, const char *end, unsigned long_bytes, bool lenient, struct ctype *ret);
