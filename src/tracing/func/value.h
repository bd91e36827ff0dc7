/*
 * Values in memory, printed by their types: "3", "'a'", "GREEN", "0x7f…", { x: 3, y: 4 }. Structs one level deep.
 *
 * Bytes are in our own byte order, and may be fewer than the type has: what is not there is "?".
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "values/type.h"

/* The number that the bytes are, extended to 64 bits as the type says; false where there are not enough, or it is not a number. */
bool func_value_number(const struct type *t, const uint8_t *bytes, size_t n, uint64_t *ret);
void func_value_print(struct out *out, const struct type *t, const uint8_t *bytes, size_t n);
void func_value_json(struct json *j, const struct type *t, const uint8_t *bytes, size_t n);
