/*
 * A table as text: heads and facts, titles and units, columns as wide as necessary, notes.
 *
 * Cells of trees are indented by two blanks per level. A series is a row of bars, scaled to the greatest number of its column. No
 * line ends in a blank.
 */
#pragma once
#include "base/out.h"
#include "table/table.h"

struct table_style {
	bool colour; /* escapes for marked cells */
	bool ascii;  /* bars without the block characters of Unicode */
	/* Separates cells, which are then not padded, without a rule below titles; in cells it is replaced by '.'. NULL: as in the
	 * layout. */
	const char *separator;
};

/* style NULL: no colours, Unicode. */
void table_text(struct out *out, const struct table *t, const struct table_style *style);
