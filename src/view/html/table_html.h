/*
 * A table as HTML: a fragment for a page, or a self-contained document.
 *
 * All text is escaped. Cells have the classes n (numbers), t (trees, with the level in the property --depth), and low,
 * medium, high, good and bad for marks; a series is a small picture with its numbers as text.
 */
#pragma once
#include "base/out.h"
#include "table/table.h"

void table_html(struct out *out, const struct table *t);
void table_html_document(struct out *out, const struct table *t, const char *title);
