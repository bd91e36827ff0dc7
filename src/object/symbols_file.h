/*
 * What names and unwinds an object, without its code and data: symbols, unwind tables, notes, links to debug files.
 *
 * Written with the same layout, so that all offsets stay right, and with holes in place of the rest, whose sections are of
 * SHT_NOBITS then. A reader gets no code of it (object_bytes_at() is NULL). Both classes and byte orders. Source: elf(5).
 */
#pragma once
#include "object/object.h"

/* How many bytes object_write_symbols() would write; 0: the object has no sections, or nothing worth it. */
uint64_t object_symbols_bytes(const struct object *o);
/* fd is of a new file, and borrowed; name is for messages. */
struct strobe_error *object_write_symbols(const struct object *o, int fd, const char *name) _must_check_;
