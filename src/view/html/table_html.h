/*
 * A table as HTML: a fragment to put into a page, or a document of its own that needs nothing else.
 *
 * Everything that the table holds is escaped. Cells have the classes n (numbers), t (trees, whose level is the property
 * --depth), and low, medium, high, good and bad as they are marked; a series is a small picture with its numbers as text.
 */
#pragma once
#include "base/out.h"
#include "table/table.h"

void table_html(struct out *out, const struct table *t);
void table_html_document(struct out *out, const struct table *t, const char *title);
