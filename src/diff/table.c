#include "diff/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* ---- figures ---- */

/* NAN: none. A share can be compared with one of nothing, a period cannot. */
static double figure_of(const struct diff_layout *l, const struct diff_changes *c, uint32_t row, uint32_t side)
{
	const struct diff_value *base = diff_value_at(c, row, 0), *v = diff_value_at(c, row, side);
	if (!v->exists)
		return NAN;
	if (l->figure == DIFF_DELTA || l->figure == DIFF_DELTA_ABS)
		return v->percent - base->percent;
	if (!base->exists)
		return NAN;
	if (l->figure == DIFF_RATIO)
		return base->period ? (double)v->period * c->sides[0].nr / ((double)base->period * c->sides[side].nr) : 0;
	return (double)v->period * (double)l->weight - (double)base->period * (double)l->weight_base;
}

/* ---- order ---- */

struct order {
	const struct diff_layout *layout;
	const struct diff_event *event;
};

/* Rows with a figure, then those missing on the first side, then those missing on this side. */
enum order_class { HAS_FIGURE, IS_NEW, IS_MISSING };

struct rank {
	enum order_class class;
	double value;
};

/* A new row has no ratio and no weighted difference: it is ordered by its period, as in perf. */
static struct rank rank_of(const struct order *o, uint32_t row, uint32_t side)
{
	const struct diff_value *v = diff_value_at(o->event->changes, row, side);
	double figure = figure_of(o->layout, o->event->changes, row, side);
	if (!v->exists)
		return (struct rank){ IS_MISSING, 0 };
	if (isnan(figure))
		return (struct rank){ IS_NEW, (double)v->period * (o->layout->figure == DIFF_WEIGHTED ? (double)o->layout->weight : 1) };
	return (struct rank){ HAS_FIGURE, o->layout->figure == DIFF_DELTA_ABS ? fabs(figure) : figure };
}

static int compare_figures(const struct order *o, uint32_t a, uint32_t b, uint32_t side)
{
	struct rank x = rank_of(o, a, side), y = rank_of(o, b, side);
	if (x.class != y.class)
		return x.class < y.class ? -1 : 1;
	return x.value == y.value ? 0 : x.value > y.value ? -1 : 1;
}

/* The first input with the row, from which its names are read. */
static uint32_t first_input(const struct diff_rows *rows, uint32_t row)
{
	uint32_t input = 0;
	while (!diff_row_entry(rows, row, input))
		input++;
	return input;
}

static const struct hist_key *key_in(const struct diff_rows *rows, uint32_t input, const struct hist_key *field)
{
	const struct hist_options *o = &rows->parts[input]->hist->options;
	for (uint32_t i = 0; i < o->keys_nr; i++)
		if (o->keys[i].column == field->column && !strcmp(o->keys[i].header, field->header))
			return &o->keys[i];
	return NULL;
}

static void plain_cell(const struct diff_rows *rows, uint32_t row, const struct hist_key *field, struct strbuf *out)
{
	uint32_t input = first_input(rows, row);
	const struct hist_key *k = key_in(rows, input, field);
	if (k)
		column_format_plain(rows->parts[input]->hist, k, diff_row_entry(rows, row, input), out);
}

static bool is_key(const struct hist_key *field)
{
	return field->column->from != COLUMN_FROM_VALUES && field->column->id != COLUMN_IPC_NULL && !field->elided;
}

const char *diff_row_name(const struct diff_event *e, uint32_t row, struct arena *arena)
{
	_cleanup_strbuf_ struct strbuf name = {};
	uint32_t last = e->fields_nr;
	while (last && !is_key(&e->fields[last - 1]))
		last--;
	if (last)
		plain_cell(e->rows, row, &e->fields[last - 1], &name);
	return arena_strdup(arena, strbuf_str(&name));
}

const char *diff_row_key(const struct diff_event *e, uint32_t row, enum column_id id, struct arena *arena)
{
	_cleanup_strbuf_ struct strbuf text = {};
	for (uint32_t i = 0; i < e->fields_nr; i++)
		if (e->fields[i].column->id == id) {
			plain_cell(e->rows, row, &e->fields[i], &text);
			return arena_strdup(arena, strbuf_str(&text));
		}
	return NULL;
}

/* Compares cells as text, regardless of the order in the files: names alphabetically, numbers by value. */
static int compare_cells(const struct diff_rows *rows, uint32_t a, uint32_t b, const struct hist_key *field)
{
	_cleanup_strbuf_ struct strbuf x = {};
	_cleanup_strbuf_ struct strbuf y = {};
	uint64_t n, m;
	plain_cell(rows, a, field, &x);
	plain_cell(rows, b, field, &y);
	if (text_to_u64(strbuf_str(&x), &n) && text_to_u64(strbuf_str(&y), &m))
		return n < m ? -1 : n > m;
	return strcmp(strbuf_str(&x), strbuf_str(&y));
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct order *o = ctx;
	const struct diff_changes *c = o->event->changes;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int by = o->layout->order ? compare_figures(o, a, b, o->layout->order) : 0;
	const uint64_t x = diff_value_at(c, a, 0)->period, y = diff_value_at(c, b, 0)->period;
	if (!by && x != y)
		by = x > y ? -1 : 1;
	for (uint32_t side = 1; !by && side < c->sides_nr; side++)
		by = compare_figures(o, a, b, side);
	for (uint32_t i = 0; !by && i < o->event->fields_nr; i++)
		if (is_key(&o->event->fields[i]))
			by = compare_cells(o->event->rows, a, b, &o->event->fields[i]);
	return by ? by : a < b ? -1 : a > b;
}

/* ---- columns ---- */

static const struct {
	const char *title, *key;
	unsigned width, decimals;
} figures[] = {
	[DIFF_DELTA] = { "Delta", "delta_percent", 7, 2 },
	[DIFF_DELTA_ABS] = { "Delta Abs", "delta_percent", 7, 2 },
	[DIFF_RATIO] = { "Ratio", "ratio", 14, 6 },
	[DIFF_WEIGHTED] = { "Weighted diff", "weighted_difference", 14, 0 },
};

/* "Baseline/0", "delta_percent_2": numbered if there are more than two sides. */
static const char *numbered(struct table *t, const char *name, const char *divider, uint32_t side, uint32_t sides_nr)
{
	return sides_nr > 2 ? arena_printf(&t->arena, "%s%s%" PRIu32, name, divider, side) : name;
}

static size_t side_column(struct table *t, uint32_t side, uint32_t sides_nr, struct table_column c)
{
	c.title = c.title ? numbered(t, c.title, "/", side, sides_nr) : NULL;
	if (c.title && c.width < strlen(c.title)) /* also without titles */
		c.width = (unsigned)strlen(c.title);
	if (side)
		c.key = numbered(t, c.key, "_", side, sides_nr);
	return table_column(t, c);
}

static void base_columns(struct table *t, const struct diff_layout *l, uint32_t n)
{
	side_column(t, 0, n, (struct table_column){ .key = "baseline_percent", .title = "Baseline", .type = TABLE_NUMBER, .width = 8 });
	side_column(t, 0, n, (struct table_column){ .key = "baseline_period", .title = "Base period", .type = TABLE_COUNT, .width = 14,
						    .data_only = !l->show_period });
	side_column(t, 0, n, (struct table_column){ .key = "baseline_samples", .type = TABLE_COUNT, .data_only = true });
}

static void side_columns(struct table *t, const struct diff_layout *l, uint32_t side, uint32_t n)
{
	const struct table_column columns[] = {
		{ .key = figures[l->figure].key, .title = figures[l->figure].title, .type = TABLE_NUMBER,
		  .width = figures[l->figure].width },
		{ .key = "formula", .title = "Formula", .type = TABLE_TEXT, .align = TABLE_ALIGN_RIGHT, .width = 70, .text_only = true },
		{ .key = "percent", .type = TABLE_NUMBER, .data_only = true },
		{ .key = "period", .title = "Period", .type = TABLE_COUNT, .width = 14, .data_only = !l->show_period },
		{ .key = "samples", .type = TABLE_COUNT, .data_only = true },
		{ .key = "change_ratio", .title = "Change", .type = TABLE_NUMBER, .width = 8, .data_only = !l->show_change },
		{ .key = "change_low", .title = "95% interval", .type = TABLE_NUMBER, .width = 18, .data_only = !l->show_change },
		{ .key = "change_high", .type = TABLE_NUMBER, .data_only = true },
		{ .key = "false_rate", .type = TABLE_NUMBER, .data_only = true },
		{ .key = "beyond_chance", .type = TABLE_BOOL, .data_only = true },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (!columns[i].text_only || l->show_formula)
			side_column(t, side, n, columns[i]);
}

static void add_heads(struct table *t, const struct diff_layout *l, const struct diff_event *e)
{
	const struct diff_changes *c = e->changes;
	table_head(t, "# Event '%s'", e->name);
	table_head(t, "#");
	if (c->sides_nr < 3 && !l->list_files)
		return;
	table_head(t, "# Data files:");
	for (uint32_t side = 0; side < c->sides_nr; side++)
		table_head(t, "#  [%" PRIu32 "] %s %s", side, e->side_names[side], side ? "" : "(Baseline)");
	table_head(t, "#");
}

void diff_key_columns(struct table *t, const struct diff_event *e)
{
	for (uint32_t i = 0; i < e->fields_nr; i++) {
		const struct hist_key *k = &e->fields[i];
		unsigned width = (unsigned)strlen(k->header); /* also without titles */
		if (is_key(k))
			table_column(t, (struct table_column){ .key = k->column->name, .title = k->header, .type = TABLE_TEXT,
							       .width = width });
	}
}

void diff_table_init(struct table *t, const struct diff_layout *l, const struct diff_event *e)
{
	uint32_t n = e->changes->sides_nr;
	table_init(t, "strobe-diff", 1);
	t->layout = (struct table_layout){ .head = "# ", .rule = '.', .after_rule = "#", .has_no_titles = l->quiet };
	if (!l->quiet && !l->for_data)
		add_heads(t, l, e);
	for (uint32_t side = 0; l->for_data && side < n; side++)
		table_fact(t, side ? numbered(t, "compared", "_", side, n) : "baseline", "%s", e->side_names[side]);
	if (l->for_data)
		table_column(t, (struct table_column){ .key = "event", .type = TABLE_TEXT, .data_only = true });
	base_columns(t, l, n);
	for (uint32_t side = 1; side < n; side++)
		side_columns(t, l, side, n);
	diff_key_columns(t, e);
}

/* ---- rows ---- */

/* The columns of a row, filled from left to right. */
struct row_writer {
	struct table *table;
	const struct diff_layout *layout;
	const struct diff_event *event;
	uint32_t row;
	size_t at;
};

static void put_number(struct row_writer *w, double value)
{
	if (!isnan(value) && !isinf(value))
		table_set_number(w->table, w->at, value);
	w->at++;
}

static void put_count(struct row_writer *w, bool exists, uint64_t value)
{
	if (exists)
		table_set_count(w->table, w->at, value);
	w->at++;
}

static void put_base(struct row_writer *w)
{
	const struct diff_value *v = diff_value_at(w->event->changes, w->row, 0);
	if (v->exists)
		table_show(w->table, w->at, "%.2f%%", v->percent);
	put_number(w, v->exists ? v->percent : NAN);
	put_count(w, true, v->period);
	put_count(w, true, v->samples);
}

static void put_figure(struct row_writer *w, uint32_t side)
{
	double figure = figure_of(w->layout, w->event->changes, w->row, side);
	bool is_share = w->layout->figure == DIFF_DELTA || w->layout->figure == DIFF_DELTA_ABS;
	if (!isnan(figure) && is_share)
		table_show(w->table, w->at, "%+.2f%%", figure);
	else if (!isnan(figure))
		table_show(w->table, w->at, "%.*f", (int)figures[w->layout->figure].decimals, figure);
	else if (diff_value_at(w->event->changes, w->row, side)->exists)
		table_show(w->table, w->at, "N/A");
	put_number(w, figure);
}

static void put_formula(struct row_writer *w, uint32_t side)
{
	const struct diff_changes *c = w->event->changes;
	const struct diff_value *a = diff_value_at(c, w->row, 0), *b = diff_value_at(c, w->row, side);
	const char *text = "";
	if (!b->exists)
		text = "";
	else if (w->layout->figure == DIFF_RATIO)
		text = arena_printf(&w->table->arena, "%" PRIu64 " / %" PRIu64, b->period, a->period);
	else if (w->layout->figure == DIFF_WEIGHTED)
		text = arena_printf(&w->table->arena, "(%" PRIu64 " * %" PRId64 ") - (%" PRIu64 " * %" PRId64 ")", b->period,
				    w->layout->weight, a->period, w->layout->weight_base);
	else
		text = arena_printf(&w->table->arena, "(%" PRIu64 " * 100 / %" PRIu64 ") - (%" PRIu64 " * 100 / %" PRIu64 ")", b->period,
				  c->totals[side].period, a->period, c->totals[0].period);
	table_set_text(w->table, w->at++, text);
}

/* "+12.3%", "x4.5" if it is more than three times as much, "new", "gone". */
static void show_change(struct row_writer *w, const struct diff_change *change)
{
	if (isnan(change->ratio))
		return;
	if (isinf(change->ratio))
		table_show(w->table, w->at, "new");
	else if (change->ratio <= 0)
		table_show(w->table, w->at, "gone");
	else if (change->ratio > 3)
		table_show(w->table, w->at, "x%.1f", change->ratio);
	else
		table_show(w->table, w->at, "%+.1f%%", (change->ratio - 1) * 100);
}

static void put_change(struct row_writer *w, uint32_t side)
{
	const struct diff_change *change = diff_change_at(w->event->changes, w->row, side);
	show_change(w, change);
	put_number(w, change->ratio);
	if (!isnan(change->low) && !isinf(change->high))
		table_show(w->table, w->at, "%+.1f .. %+.1f%%%s", (change->low - 1) * 100, (change->high - 1) * 100,
			   change->is_real ? " *" : "  ");
	else if (change->is_real)
		table_show(w->table, w->at, "*");
	put_number(w, change->low);
	put_number(w, change->high);
	put_number(w, change->q);
	table_set_bool(w->table, w->at++, change->is_real);
}

static void put_side(struct row_writer *w, uint32_t side)
{
	const struct diff_value *v = diff_value_at(w->event->changes, w->row, side);
	put_figure(w, side);
	if (w->layout->show_formula)
		put_formula(w, side);
	put_number(w, v->exists ? v->percent : NAN);
	put_count(w, v->exists, v->period);
	put_count(w, v->exists, v->samples);
	put_change(w, side);
}

size_t diff_put_keys(struct table *t, size_t at, const struct diff_event *event, uint32_t row)
{
	const struct diff_rows *rows = event->rows;
	uint32_t input = first_input(rows, row);
	const struct hist *h = rows->parts[input]->hist;
	const struct hist_entry *e = diff_row_entry(rows, row, input);
	_cleanup_strbuf_ struct strbuf text = {};
	for (uint32_t i = 0; i < event->fields_nr; i++) {
		const struct hist_key *k = key_in(rows, input, &event->fields[i]);
		if (!is_key(&event->fields[i]))
			continue;
		strbuf_reset(&text);
		if (k)
			column_format_plain(h, k, e, &text);
		table_set_text(t, at, strbuf_str(&text));
		strbuf_reset(&text);
		if (k)
			column_format(h, k, e, 0, &text);
		table_show(t, at++, "%s", strbuf_str(&text));
	}
	return at;
}

/* Dims insignificant changes; others are red or green. */
static void mark_row(struct row_writer *w)
{
	const struct diff_changes *c = w->event->changes;
	enum table_mark mark = TABLE_DIM;
	for (uint32_t side = 1; side < c->sides_nr && mark == TABLE_DIM; side++) {
		const struct diff_change *change = diff_change_at(c, w->row, side);
		if (change->is_real)
			mark = change->ratio < 1 ? TABLE_GOOD : TABLE_BAD;
	}
	for (size_t i = 0; i < w->at; i++)
		table_mark(w->table, i, mark);
}

static void put_row(struct table *t, const struct diff_layout *l, const struct diff_event *e, uint32_t row)
{
	struct row_writer w = { .table = t, .layout = l, .event = e, .row = row };
	table_row(t);
	if (l->for_data)
		table_set_text(t, w.at++, e->name);
	put_base(&w);
	for (uint32_t side = 1; side < e->changes->sides_nr; side++)
		put_side(&w, side);
	w.at = diff_put_keys(t, w.at, e, row);
	mark_row(&w);
}

static bool is_paired(const struct diff_changes *c, uint32_t row)
{
	bool any = false;
	for (uint32_t side = 1; side < c->sides_nr; side++)
		any |= diff_value_at(c, row, side)->exists;
	return any && diff_value_at(c, row, 0)->exists;
}

void diff_table_fill(struct table *t, const struct diff_layout *l, const struct diff_event *e)
{
	struct order order = { .layout = l, .event = e };
	uint32_t *rows = xcalloc((size_t)e->rows->nr + 1, sizeof(*rows));
	for (uint32_t i = 0; i < e->rows->nr; i++)
		rows[i] = i;
	qsort_r(rows, e->rows->nr, sizeof(*rows), compare_rows, &order);
	table_reserve(t, e->rows->nr);
	for (uint32_t i = 0; i < e->rows->nr; i++)
		if (!l->baseline_only || is_paired(e->changes, rows[i]))
			put_row(t, l, e, rows[i]);
	free(rows);
}
