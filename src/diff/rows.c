#include "diff/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/hist_join.h"

/* The state of joining inputs. */
struct matcher {
	struct diff_rows *rows;
	struct hist_join **joins; /* by input */
	uint32_t **row_of;        /* by input, and by position in its hist: its row */
	bool *taken;              /* by row: the current input has it */
};

static uint32_t *entry_at(struct diff_rows *rows, uint32_t row, uint32_t input)
{
	return &rows->entries[(size_t)row * rows->inputs_nr + input];
}

static uint32_t add_row(struct diff_rows *rows)
{
	if (rows->nr == rows->cap) {
		rows->cap = rows->cap ? rows->cap * 2 : 64;
		rows->entries = xreallocarray(rows->entries, (size_t)rows->cap * rows->inputs_nr, sizeof(*rows->entries));
	}
	memset(entry_at(rows, rows->nr, 0), 0, sizeof(*rows->entries) * rows->inputs_nr);
	return rows->nr++;
}

/* Joins the remaining entries of an input (NO_ROW in row_of) with an earlier input. */
#define NO_ROW UINT32_MAX
static void match_with(struct matcher *m, uint32_t input, uint32_t earlier, uint32_t *of_entry)
{
	const struct hist *h = m->rows->parts[input]->hist;
	hist_join_match(m->joins[earlier], h, of_entry);
	for (uint32_t i = 0; i < h->order_nr; i++) {
		uint32_t base = of_entry[h->order[i]];
		uint32_t row = base ? m->row_of[earlier][base - 1] : NO_ROW;
		if (m->row_of[input][i] != NO_ROW || row == NO_ROW || m->taken[row])
			continue;
		m->row_of[input][i] = row;
		m->taken[row] = true;
		*entry_at(m->rows, row, input) = h->order[i] + 1;
	}
}

static void match_input(struct matcher *m, uint32_t input)
{
	const struct hist *h = m->rows->parts[input]->hist;
	uint32_t *of_entry = xcalloc(h->entries.len + 1, sizeof(*of_entry));
	m->row_of[input] = xcalloc((size_t)h->order_nr + 1, sizeof(**m->row_of));
	m->taken = xcalloc((size_t)m->rows->nr + 1, sizeof(*m->taken));
	for (uint32_t i = 0; i < h->order_nr; i++)
		m->row_of[input][i] = NO_ROW;
	for (uint32_t earlier = 0; earlier < input; earlier++)
		if (m->joins[earlier])
			match_with(m, input, earlier, of_entry);
	for (uint32_t i = 0; i < h->order_nr; i++) {
		if (m->row_of[input][i] != NO_ROW)
			continue;
		m->row_of[input][i] = add_row(m->rows);
		*entry_at(m->rows, m->row_of[input][i], input) = h->order[i] + 1;
	}
	m->joins[input] = hist_join_create(h);
	free(m->taken);
	free(of_entry);
}

void diff_rows_match(struct diff_rows *rows, const struct report_part *const *parts, uint32_t inputs_nr)
{
	*rows = (struct diff_rows){ .parts = parts, .inputs_nr = inputs_nr };
	struct matcher m = { .rows = rows };
	m.joins = xcalloc(inputs_nr, sizeof(*m.joins));
	m.row_of = xcalloc(inputs_nr, sizeof(*m.row_of));
	for (uint32_t i = 0; i < inputs_nr; i++)
		if (parts[i])
			match_input(&m, i);
	for (uint32_t i = 0; i < inputs_nr; i++) {
		hist_join_destroy(m.joins[i]);
		free(m.row_of[i]);
	}
	free(m.joins);
	free(m.row_of);
}

void diff_rows_deinit(struct diff_rows *rows)
{
	free(rows->entries);
	*rows = (struct diff_rows){};
}
