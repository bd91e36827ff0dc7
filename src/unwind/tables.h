/*
 * The tables of a session: one for each mapped file, compiled when it is first met, shared by all threads.
 *
 * Files are opened by whoever knows how (the symbol room, which checks build-ids): a callback gives the object of a mapped
 * file, and with it a debug file that may have a .debug_frame. Objects live longer than the tables. unwind_tables_find()
 * may be called by several threads, and so may the callback; different files are compiled in parallel.
 */
#pragma once
#include "machine/machine.h"
#include "object/object.h"
#include "unwind/table.h"

struct unwind_objects {
	struct object *object; /* NULL: the file is not to be had */
	struct object *debug;  /* or NULL */
};

struct unwind_tables;

struct unwind_tables *unwind_tables_create(struct unwind_objects (*objects_of)(void *ctx, const struct mapped_file *f),
					   void *ctx);
void unwind_tables_destroy(struct unwind_tables *t);

/* Of one file; table is NULL where it has none. */
struct unwind_file {
	struct unwind_table *table;
	struct object *object;
};
const struct unwind_file *unwind_tables_find(struct unwind_tables *t, const struct mapped_file *file);
/* Whether it has been made already, or is known to have none. */
bool unwind_tables_has(struct unwind_tables *t, const struct mapped_file *file);
