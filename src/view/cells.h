/*
 * The cells of a report's rows as text: shared by the text report and the screens, so that they agree to the last blank.
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

/* Whether a value includes callees, which requires call chains. */
static inline bool cell_is_of_children(const struct hist_key *k)
{
	return k->column->sum->of_children;
}

/* Whether a value is a percentage. */
static inline bool cell_is_percent(const struct hist_key *k)
{
	return cell_is_value(k) && k->column->sum->kind == COLUMN_SHARE;
}

/* Whether a value is a percentage for each kind of memory access that occurs. */
static inline bool cell_is_divided(const struct hist_key *k)
{
	return cell_is_value(k) && k->column->sum->kind == COLUMN_DIVIDED;
}

/* Whether the header ends where the cells end. */
static inline bool cell_is_right(const struct hist_key *k)
{
	return cell_is_value(k) || k->column->cells->align_right;
}

/* The columns that this event has; the caller frees them. */
struct hist_key *cell_fields(const struct report *r, const struct report_part *p, uint32_t *ret_nr);
const char *cell_header(const struct report *r, const struct report_part *p, const struct hist_key *k);
/* Whether any column has a title above the names of its kinds. */
bool cell_any_divided(const struct report *r);
/* Appends the header, as wide as the column: of a divided one the names of its kinds. */
void cell_add_header(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width, struct strbuf *out);
/* Appends what is above that: the title of a divided column between dashes, blanks of others. */
void cell_add_title(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width, struct strbuf *out);
/* The width of each field's cells, over all entries in the hist's order. */
void cell_widths(const struct report *r, const struct report_part *p, unsigned *ret_widths);
/* The width of a column whose cells have this width. */
unsigned cell_header_width(const struct report *r, const struct report_part *p, const struct hist_key *k, unsigned width);
/* Appends one sum of event j of the part; width includes the blank before it. */
void cell_value(const struct report *r, const struct report_part *p, const struct hist_key *k, const struct hist_stat *s,
		uint32_t j, unsigned width, struct strbuf *out);
/* A number with at most four digits; returns its unit: ' ', 'K', 'M', 'G'. */
char cell_shorten(uint64_t *n);
