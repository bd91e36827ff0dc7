/*
 * The rows of an event in several inputs, each row once, with its entry in each input.
 *
 * Rows are the same if all of their keys have equal values (profile/hist_join.h). The struct borrows the parts; one thread while it is
 * made, read-only afterwards.
 */
#pragma once
#include <stdint.h>

#include "report/report.h"

struct diff_rows {
	const struct report_part *const *parts; /* by input; NULL: it lacks the event */
	uint32_t inputs_nr;
	uint32_t nr, cap;
	uint32_t *entries; /* by row and input: 1 + the entry of its hist, 0: it lacks the row */
};

void diff_rows_match(struct diff_rows *rows, const struct report_part *const *parts, uint32_t inputs_nr);
void diff_rows_deinit(struct diff_rows *rows);

/* NULL: the input lacks the row. */
static inline const struct hist_entry *diff_row_entry(const struct diff_rows *rows, uint32_t row, uint32_t input)
{
	uint32_t entry = rows->entries[(size_t)row * rows->inputs_nr + input];
	return entry ? &rows->parts[input]->hist->entries.data[entry - 1] : NULL;
}
