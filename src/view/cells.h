/*
 * The cells of a report's rows as text: what the text report and the screens have in common, to the last blank.
 *
 * Cells of keys come from column_format() (profile/columns.h); here are the sums, the heads and the widths. Widths are in
 * characters, one for each field of the report. Nothing is kept.
 */
#pragma once
#include "base/strbuf.h"
#include "report/report.h"

static inline bool cell_is_value(const struct hist_key *k)
{
	return k->column->from == COLUMN_FROM_VALUES;
}

/* Of values: whether it counts callees, which are only known where stacks are. */
static inline bool cell_is_of_children(const struct hist_key *k)
{
	return k->column->sum->of_children;
}

/* Of values: whether it is a share. */
static inline bool cell_is_percent(const struct hist_key *k)
{
	return cell_is_value(k) && k->column->sum->kind == COLUMN_SHARE;
}

/* Whether the header ends where the cells end. */
static inline bool cell_is_right(const struct hist_key *k)
{
	return cell_is_value(k) || k->column->cells->align_right;
}

/* The columns that this event has; the caller frees them. */
struct hist_key *cell_fields(const struct report *r, const struct report_part *p, uint32_t *ret_nr);
const char *cell_header(const struct report *r, const struct report_part *p, const struct hist_key *k);
/* For each field how wide its cells are, over all entries that are in order. */
void cell_widths(const struct report *r, const struct report_part *p, unsigned *ret_widths);
/* How far a column goes whose cells have this width. */
unsigned cell_header_width(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width);
/* One sum of event j of the part; width counts the blank before it. Appended. */
void cell_value(const struct report *r, const struct report_part *p, const struct hist_key *k, const struct hist_stat *s,
		uint32_t j, unsigned width, struct strbuf *out);
/* A number with at most four digits; returns its unit: ' ', 'K', 'M', 'G'. */
char cell_shorten(uint64_t *n);
