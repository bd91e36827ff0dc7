/* A table as text: facts above, titles, columns as wide as they must be, notes below. */
#pragma once
#include "base/out.h"
#include "table/table.h"

void table_text(struct out *out, const struct table *t);
