/*
 * Compiled tables in the user's cache: compiling those of compilers and browsers takes tens of milliseconds, for which unwinding has to
 * wait.
 *
 * The key is the identity and state of the files. Cached tables are checked like any file: one that is damaged, or made by another build
 * of strobe, is recompiled.
 */
#pragma once
#include "unwind/table.h"

/* As unwind_table_of(), from the cache if possible. */
struct unwind_table *unwind_table_of_kept(struct object *o, struct object *debug);

/* A table from the content of a cache file after the key; NULL: not a valid table of the source. */
struct unwind_table *kept_table_read(const void *bytes, size_t n, const struct unwind_source *from);
