/*
 * Groups accesses by cache line and, in a line, by offset and the other keys of a row (c2c_key).
 *
 *	c2c_lines_init(&l, &sums);        sums: env, display and has_key are set
 *	c2c_lines_take(&l, &access) …
 *	c2c_lines_finish(&l, show_all);   selects and sorts lines
 *	c2c_lines_deinit(&l);             the sums stay
 *
 * One thread.
 */
#pragma once
#include "analysis/memory/c2c.h"
#include "base/idset.h"

#define C2C_LINE_BYTES 64 /* default for recordings without the size */

struct c2c_access {
	uint64_t data_src, weight, physical;
	uint64_t address, data_key; /* address of the data: as recorded, and in the mapped object */
	uint32_t file, data_pid;    /* as in struct c2c_line */
	bool is_kernel, is_mapped;
	uint32_t cpu;               /* UINT32_MAX: unknown */
	uint32_t pid, tid, object_id;
	uint64_t code;
};

struct c2c_lines {
	struct c2c_sums *sums;
	struct idset lines, rows;
	uint64_t line_bytes;
	struct arena arena;
};

void c2c_lines_init(struct c2c_lines *l, struct c2c_sums *sums);
void c2c_lines_deinit(struct c2c_lines *l);
/* The row of the access; *ret_new: the caller must set its names. */
struct c2c_row *c2c_lines_take(struct c2c_lines *l, const struct c2c_access *a, bool *ret_new);
void c2c_lines_finish(struct c2c_lines *l, bool show_all);
void c2c_sums_deinit(struct c2c_sums *s);
