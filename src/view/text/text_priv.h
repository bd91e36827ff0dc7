/* Shared by the files that write a text report. */
#pragma once
#include "view/text/text.h"

#define HIERARCHY_INDENT 3

struct text_part {
	struct out *out;
	const struct report *report;
	const struct report_text *options;
	const struct report_part *part;
	struct report_rows rows;
	unsigned *widths; /* by field */
	struct strbuf line;
};

/* The width to which cells of the field are padded. */
unsigned text_header_width(const struct text_part *t, uint32_t field);
/* Appends the cell of one field to t->line; last: no blanks after it. */
void text_cell(struct text_part *t, uint32_t field, const struct hist_entry *e, bool last);
/* The same for a sum that is not the entry's own. */
void text_value(struct text_part *t, uint32_t field, const struct hist_stat *stats, bool last);
/*
 * Writes the line so far and the escape of a share's colour, if any, apart from cells, in which escapes are made harmless.
 */
bool text_colour(struct text_part *t, double percent);
void text_colour_end(struct text_part *t, bool coloured);
void text_add_header(struct text_part *t, uint32_t field);
void text_flush_line(struct text_part *t);
/* The call tree of an entry. */
void text_chain(struct text_part *t, uint32_t entry);

void text_hierarchy(struct text_part *t);
