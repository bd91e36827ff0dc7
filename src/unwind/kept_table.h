/*
 * Compiled tables kept for the next time, below the user's cache: compiling those of compilers and browsers takes tens of milliseconds,
 * and whoever walks their stacks waits meanwhile.
 *
 * They are known by the files that they are of, in the state that these are in. What is read is checked like any file: a table that is
 * damaged, or was made by another build of strobe, is compiled anew.
 */
#pragma once
#include "unwind/table.h"

/* As unwind_table_of(), whether compiled or kept. */
struct unwind_table *unwind_table_of_kept(struct object *o, struct object *debug);

/* A table from what such a file holds after its key; NULL where that is no table of the source. */
struct unwind_table *kept_table_read(const void *bytes, size_t n, const struct unwind_source *from);
