/*
 * A table as data: one JSON object with its format and version, or CSV with a line of keys.
 *
 * Values are those of the table, not scaled. In JSON a series is an array, items are an object or an array, and rows below a row are
 * in an array of that row (table.children_key). In CSV a tree has a first column `depth`, a series is its numbers with
 * blanks between, items are "name value" with blanks between.
 */
#pragma once
#include "base/out.h"
#include "table/table.h"

struct json;

void table_json(struct out *out, const struct table *t);
/* Only the array of rows. */
void table_json_rows(struct out *out, const struct table *t);
/* The members of that object after format and version, written into an object that the caller has opened. */
void table_json_members(struct json *j, const struct table *t);
void table_csv(struct out *out, const struct table *t, const char *separator);
/*
 * perf's format of -x: values below titles, which follow `head`, unless the layout has none; strings are not quoted, cells without a
 * value are as in text, and a blank follows each separator.
 */
void table_values(struct out *out, const struct table *t, const char *head, const char *separator);
