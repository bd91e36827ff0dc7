/*
 * Changes of rows as a table: in text with perf's columns and order, in data with all values.
 *
 * Figures are perf's: delta, the share of a side less that of the first, in points; ratio of periods; weighted difference of periods.
 * Rows are ordered by the figure of one side, then by the first side's share, by the figures of the other sides, and by keys.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "diff/change.h"
#include "table/table.h"

enum diff_figure { DIFF_DELTA, DIFF_DELTA_ABS, DIFF_RATIO, DIFF_WEIGHTED, DIFF_CYCLES /* of blocks: diff/blocks.h */ };

struct diff_layout {
	enum diff_figure figure;
	int64_t weight_base, weight; /* for DIFF_WEIGHTED: weight of the first side's period and of the other's */
	uint32_t order;              /* side to sort rows by first; 0: the first side's share */
	bool baseline_only;          /* only rows that the first side and another one have */
	bool show_period, show_formula;
	bool show_change;            /* in text, too: change of the period with its interval */
	bool show_spread;            /* DIFF_CYCLES: of each block's executions (diff/block_spread.h) */
	bool quiet;                  /* no titles */
	bool for_data;               /* one table of all events: a column names the event */
	bool list_files;
};

struct diff_event {
	const char *name;
	const struct diff_rows *rows;
	const struct diff_changes *changes;
	const struct hist_key *fields; /* of any input: key columns are shown, values left out */
	uint32_t fields_nr;
	const char *const *side_names; /* "a.data", "5 files" */
};

/* Parses delta, delta-abs, ratio or wdiff:W1,W2 (NULL: an error): ERROR_USAGE lists them. */
struct strobe_error *diff_figure_parse(const char *text, struct diff_layout *ret) _must_check_;
/* Parses "3%" or "3": more than 0; NULL leaves *ret_percent unchanged. ERROR_USAGE names the option --fail-over. */
struct strobe_error *diff_limit_parse(const char *text, double *ret_percent) _must_check_;

/* Adds the columns of an event's table. */
void diff_table_init(struct table *t, const struct diff_layout *l, const struct diff_event *e);
/* Adds the event's rows. */
void diff_table_fill(struct table *t, const struct diff_layout *l, const struct diff_event *e);
/* Adds the key columns, and sets a row's values from column `at` on; returns the next column. */
void diff_key_columns(struct table *t, const struct diff_event *e);
size_t diff_put_keys(struct table *t, size_t at, const struct diff_event *e, uint32_t row);
/* The text of a row's last key, in the arena: usually the symbol. */
const char *diff_row_name(const struct diff_event *e, uint32_t row, struct arena *arena);
/* The text of the key in this column (profile/columns.h), in the arena; NULL if it is not a key. */
const char *diff_row_key(const struct diff_event *e, uint32_t row, enum column_id id, struct arena *arena);
