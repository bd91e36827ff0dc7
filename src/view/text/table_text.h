/*
 * A table as text: heads and facts above, titles and units, columns as wide as they must be, notes below.
 *
 * Cells of trees are indented by two blanks for each level. A series is a row of bars, scaled to the greatest number of its
 * column; the others are as the table's columns and layout say. No line ends in a blank.
 */
#pragma once
#include "base/out.h"
#include "table/table.h"

struct table_style {
	bool colour; /* escapes for marked cells */
	bool ascii;  /* bars without the block characters of Unicode */
	/* Between cells, which are not padded, and below titles without a rule; in cells it is replaced by '.'. NULL: the layout. */
	const char *separator;
};

/* style NULL: no colours, Unicode. */
void table_text(struct out *out, const struct table *t, const struct table_style *style);
