/* The member of a type at an offset, as text. */
#pragma once
#include "values/type.h"

/*
 * Appends the path from the type to what is at that offset (bytes): "next", "in[2].b", "[1].key". Nothing where that is not known: within
 * a union, a bit field or padding the path ends before it. The type is hostile.
 */
void member_path(const struct type *t, uint64_t offset, struct strbuf *out);
