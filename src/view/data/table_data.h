/* A table as data: one JSON object with its format and version, or CSV with a line of titles. */
#pragma once
#include "base/out.h"
#include "table/table.h"

void table_json(struct out *out, const struct table *t);
void table_csv(struct out *out, const struct table *t, const char *separator);
