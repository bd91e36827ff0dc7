/*
 * Values in memory, printed by their types: "3", "'a'", "GREEN", "0x7f…", { x: 3, y: 4 }. Structs one level deep.
 *
 * Bytes are in native byte order, and may be fewer than the type's size: missing ones are "?".
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "values/type.h"

/* The number in the bytes, extended to 64 bits by the type; false: too few bytes, or not a number. */
bool func_value_number(const struct type *t, const uint8_t *bytes, size_t n, uint64_t *ret);
void func_value_print(struct out *out, const struct type *t, const uint8_t *bytes, size_t n);
void func_value_json(struct json *j, const struct type *t, const uint8_t *bytes, size_t n);
