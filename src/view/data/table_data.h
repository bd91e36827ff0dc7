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
/* The array of rows alone. */
void table_json_rows(struct out *out, const struct table *t);
/* The members of that object after format and version, into an object of the caller's. */
void table_json_members(struct json *j, const struct table *t);
void table_csv(struct out *out, const struct table *t, const char *separator);
/*
 * The same values below titles, which follow `head`, unless the layout has none; texts as they are, and of cells without a value what
 * text shows of them; a blank after each separator. This is perf's form of -x.
 */
void table_values(struct out *out, const struct table *t, const char *head, const char *separator);
