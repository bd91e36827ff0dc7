/*
 * Writes the parts of an object needed for symbolising and unwinding, without code and data: symbols, unwind tables, notes, links to
 * debug files.
 *
 * The file has the same layout, so that all offsets remain valid, with holes for the rest, whose sections become SHT_NOBITS.
 * Code cannot be read from it (object_bytes_at() is NULL). Both classes and byte orders. Source: elf(5).
 */
#pragma once
#include "object/object.h"

/* The number of bytes that object_write_symbols() would write; 0: no sections, or nothing useful. */
uint64_t object_symbols_bytes(const struct object *o);
/* fd is of a new file, and borrowed; name is for messages. */
struct strobe_error *object_write_symbols(const struct object *o, int fd, const char *name) _must_check_;
