/* The member of a type at an offset: its path as text, and its type. Types are hostile. */
#pragma once
#include "values/type.h"

/*
 * Appends the path from the type to what is at that offset (bytes): "next", "in[2].b", "[1].key". Nothing where that is not known: within
 * a union, a bit field or padding the path ends before it.
 */
void member_path(const struct type *t, uint64_t offset, struct strbuf *out);
/* The type of the whole scalar, pointer or enumeration at that offset; NULL: there is none, or several of a union. */
const struct type *member_type(const struct type *t, uint64_t offset);
/* "struct node +0x24 (in[2].b)", as perf writes it. False: the type has no name. */
bool member_text(const struct type *t, uint64_t offset, struct strbuf *out);
