/*
 * The tables of a session: one per mapped file, compiled on first use, shared by all threads.
 *
 * A callback opens files (symbol/, which checks build IDs): it returns the object of a mapped file, and a debug file that
 * may have a .debug_frame. Objects must outlive the tables. unwind_tables_find() and the callback may be called from
 * several threads; different files are compiled in parallel.
 */
#pragma once
#include "machine/machine.h"
#include "object/object.h"
#include "unwind/table.h"

struct unwind_objects {
	struct object *object; /* NULL: the file is not available */
	struct object *debug;  /* or NULL */
};

struct unwind_tables;

struct unwind_tables *unwind_tables_create(struct unwind_objects (*objects_of)(void *ctx, const struct mapped_file *f),
					   void *ctx);
void unwind_tables_destroy(struct unwind_tables *t);

/* The table of a file; NULL: none. */
struct unwind_file {
	struct unwind_table *table;
	struct object *object;
};
const struct unwind_file *unwind_tables_find(struct unwind_tables *t, const struct mapped_file *file);
/* Whether that was called for the file before, so that it returns soon. */
bool unwind_tables_is_tried(struct unwind_tables *t, const struct mapped_file *file);
/* Whether it has been compiled, or is known to have none. */
bool unwind_tables_has(struct unwind_tables *t, const struct mapped_file *file);
