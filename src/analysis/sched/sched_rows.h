/*
 * Writes rows one by one, since there may be millions: as JSON, an object per row in "rows", or as CSV.
 *
 *	sched_rows_begin(&r, out, TABLE_AS_JSON, "strobe-sched-map", keys);    keys: ends with NULL
 *	sched_rows_u64(&r, time); sched_rows_str(&r, comm);                      in the order of the keys; the last ends the row
 *	sched_rows_end(&r);
 *
 * One thread.
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "table/format.h"

struct sched_rows {
	struct out *out;
	enum table_format format;
	const char *const *keys;
	size_t at;
	struct json json;
};

void sched_rows_begin(struct sched_rows *r, struct out *out, enum table_format format, const char *name, const char *const *keys);
void sched_rows_u64(struct sched_rows *r, uint64_t v);
void sched_rows_str(struct sched_rows *r, const char *s); /* NULL: nothing */
void sched_rows_end(struct sched_rows *r);
