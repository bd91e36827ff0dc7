/*
 * A count listing as JSON: in the line form of perf stat -j, and as one document (format "strobe-stat").
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "table/counts.h"

/* One complete object per line; counts are strings, as in perf. */
void counts_json_lines(struct out *out, const struct counts *c);

/*
 * One document: begin, one call for each interval and for the totals, end. Counts are numbers, or null if not counted, with
 * the reason in "state". doc/schema/stat-1.md describes it.
 */
void counts_json_begin(struct json *j, struct out *out, const char *target);
void counts_json_add(struct json *j, const struct counts *c);
void counts_json_end(struct json *j);
