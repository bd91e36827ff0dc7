#include "view/text/table_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

#define BARS_COLUMNS 20 /* for a series in a column without a width */
#define INDENT	     2

struct writer {
	struct out *out;
	const struct table *t;
	struct table_style style;
	size_t *widths;  /* by column */
	double *highest; /* by column: the greatest number of its series */
	struct strbuf cell;
	size_t pending;  /* blanks that are written only before more text */
};

/* ---- cells ---- */

static double highest_of(const struct table *t, size_t column)
{
	double highest = 0;
	for (size_t row = 0; row < t->rows.len && t->columns.data[column].type == TABLE_SERIES; row++) {
		const struct table_cell *c = table_cell(t, row, column);
		for (uint32_t i = 0; c->set && i < c->len; i++)
			highest = c->series[i] > highest ? c->series[i] : highest;
	}
	return highest;
}

/* The greatest of the numbers in bar i of n. */
static double bar_value(const struct table_cell *c, size_t i, size_t n)
{
	double value = 0;
	for (size_t k = i * c->len / n; k < (i + 1) * c->len / n; k++)
		value = c->series[k] > value ? c->series[k] : value;
	return value;
}

/* Zero is a blank, and the smallest other value the lowest bar. */
static void add_bars(struct writer *w, const struct table_column *column, const struct table_cell *c, double highest)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	size_t columns = column->width ? column->width : BARS_COLUMNS, n = c->len < columns ? c->len : columns;
	for (size_t i = 0; i < n; i++) {
		double value = bar_value(c, i, n);
		int height = highest > 0 && value > 0 ? (int)ceil(value / highest * 8) : 0;
		strbuf_addstr(&w->cell, (w->style.ascii ? ascii : blocks)[height > 8 ? 8 : height]);
	}
}

static void add_count(struct writer *w, uint64_t count)
{
	char digits[DIGITS_U64_BYTES], *end = digits + sizeof(digits);
	const char *first = digits_u64(end, count);
	strbuf_add(&w->cell, first, (size_t)(end - first));
}

static void add_items(struct writer *w, const struct table_cell *c)
{
	for (uint32_t i = 0; i < c->len; i++) {
		const struct table_item *item = &c->items[i];
		strbuf_addf(&w->cell, "%s%s%s%s", i ? ", " : "", item->name ? item->name : "", item->name ? " " : "",
			    item->text ? item->text : "");
		if (!item->text)
			add_count(w, item->count);
	}
}

static void add_value(struct writer *w, size_t index, const struct table_cell *c)
{
	const struct table_column *column = &w->t->columns.data[index];
	switch (column->type) {
	case TABLE_TEXT: strbuf_addstr(&w->cell, c->text); break;
	case TABLE_NUMBER:
		if (!isnan(c->number))
			strbuf_add_f64(&w->cell, table_cell_number(column, c), (int)column->decimals, 0);
		break;
	case TABLE_COUNT:
		if (column->scale != 0)
			strbuf_add_f64(&w->cell, table_cell_number(column, c), (int)column->decimals, 0);
		else
			add_count(w, c->count);
		break;
	case TABLE_BOOL: strbuf_addstr(&w->cell, c->truth ? "yes" : "no"); break;
	case TABLE_SERIES: add_bars(w, column, c, w->highest[index]); break;
	case TABLE_ITEMS: add_items(w, c); break;
	}
}

/* The cell into w->cell. */
static void cell_text(struct writer *w, size_t row, size_t column)
{
	const struct table_cell *c = table_cell(w->t, row, column);
	strbuf_reset(&w->cell);
	for (uint32_t i = 0; w->t->columns.data[column].is_tree && i < w->t->rows.data[row].depth * INDENT; i++)
		strbuf_addch(&w->cell, ' ');
	if (c->shown)
		strbuf_addstr(&w->cell, c->shown);
	else if (c->set)
		add_value(w, column, c);
}

/* ---- lines ---- */

static bool is_left(const struct table_column *c)
{
	if (c->align != TABLE_ALIGN_BY_TYPE)
		return c->align == TABLE_ALIGN_LEFT;
	return c->type == TABLE_TEXT || c->type == TABLE_SERIES || c->type == TABLE_ITEMS;
}

static const char *or_blanks(const char *text)
{
	return text ? text : "  ";
}

static void put_text(struct writer *w, const char *text)
{
	if (!*text)
		return;
	out_fill(w->out, ' ', w->pending);
	w->pending = 0;
	out_text_str(w->out, text);
}

/* The layout's separator between cells; its blanks are pending like others. */
static void put_gap(struct writer *w, const char *gap)
{
	for (; *gap == ' '; gap++)
		w->pending++;
	put_text(w, gap);
}

/* As in perf, only a separator of one character is replaced in cells. */
static void hide_separator(struct writer *w)
{
	const char *separator = w->style.separator;
	for (char *at = w->cell.data; separator && separator[0] && !separator[1] && at && (at = strchr(at, separator[0])); at++)
		*at = '.';
}

static void put(struct writer *w, size_t column, const char *text, bool left, enum table_mark mark)
{
	static const char *const escapes[] = {
		[TABLE_PLAIN] = "",        [TABLE_LOW] = "\033[32m",  [TABLE_MEDIUM] = "\033[35m",
		[TABLE_HIGH] = "\033[31m", [TABLE_GOOD] = "\033[32m", [TABLE_BAD] = "\033[31m",
		[TABLE_DIM] = "\033[2m",
	};
	size_t columns = text_columns(text), blanks = w->widths[column] > columns ? w->widths[column] - columns : 0;
	bool coloured = w->style.colour && mark != TABLE_PLAIN;
	w->pending += left ? 0 : blanks;
	/* Indents and low bars at the end of a line are blanks, too. */
	size_t n = strlen(text), end = n;
	while (end && text[end - 1] == ' ')
		end--;
	if (end) {
		out_fill(w->out, ' ', w->pending);
		w->pending = 0;
		out_str(w->out, coloured ? escapes[mark] : "");
		out_text(w->out, text, end);
		out_str(w->out, coloured ? "\033[m" : "");
	}
	w->pending += n - end + (left && !w->t->columns.data[column].is_ragged ? blanks : 0);
}

static void end_line(struct writer *w)
{
	out_fill(w->out, ' ', w->t->layout.has_blank_ends ? w->pending : 0);
	w->pending = 0;
	out_ch(w->out, '\n');
}

static void put_begin(struct writer *w, const char *begin)
{
	w->pending = 0;
	put_gap(w, or_blanks(begin));
}

static const char *gap_of(const struct writer *w)
{
	return w->style.separator ? w->style.separator : or_blanks(w->t->layout.gap);
}

static bool has_left_title(const struct writer *w, size_t column)
{
	return !w->t->layout.has_right_titles && is_left(&w->t->columns.data[column]);
}

/* One line over all columns that text has: titles, units or a rule. */
static void put_titles(struct writer *w, const char *(*text)(struct writer *w, size_t column))
{
	bool first = true;
	put_begin(w, w->t->layout.head);
	const char *gap = gap_of(w);
	for (size_t i = 0; i < w->t->columns.len; i++) {
		if (w->t->columns.data[i].data_only)
			continue;
		if (!first)
			put_gap(w, gap);
		put(w, i, text(w, i), has_left_title(w, i), TABLE_PLAIN);
		first = false;
	}
	end_line(w);
}

static bool has_tops(const struct table *t)
{
	for (size_t i = 0; i < t->columns.len; i++)
		if (!t->columns.data[i].data_only && t->columns.data[i].top)
			return true;
	return false;
}

/* Texts over one column or several. */
static void put_tops(struct writer *w)
{
	bool first = true;
	put_begin(w, w->t->layout.head);
	for (size_t i = 0; i < w->t->columns.len;) {
		const struct table_column *c = &w->t->columns.data[i];
		if (!c->data_only) {
			if (!first)
				put_gap(w, gap_of(w));
			put(w, i, c->top ? c->top : "", has_left_title(w, i), TABLE_PLAIN);
			first = false;
		}
		i += c->top && c->top_columns ? c->top_columns : 1;
	}
	end_line(w);
}

static const char *title_of(struct writer *w, size_t column)
{
	return w->t->columns.data[column].title;
}

static const char *unit_of(struct writer *w, size_t column)
{
	const char *unit = w->t->columns.data[column].unit;
	strbuf_reset(&w->cell);
	if (unit)
		strbuf_addf(&w->cell, "(%s)", unit);
	return strbuf_str(&w->cell);
}

static const char *rule_of(struct writer *w, size_t column)
{
	strbuf_reset(&w->cell);
	for (size_t i = 0; i < w->widths[column]; i++)
		strbuf_addch(&w->cell, w->t->layout.rule);
	return strbuf_str(&w->cell);
}

static bool has_units(const struct table *t)
{
	for (size_t i = 0; i < t->columns.len; i++)
		if (!t->columns.data[i].data_only && t->columns.data[i].unit)
			return true;
	return false;
}

static void put_line(struct out *out, const char *text)
{
	out_text_str(out, text);
	out_ch(out, '\n');
}

static void put_heading(struct writer *w)
{
	const struct table_layout *layout = &w->t->layout;
	if (layout->has_no_titles)
		return;
	if (has_tops(w->t) && !w->style.separator)
		put_tops(w);
	put_titles(w, title_of);
	if (w->style.separator)
		return;
	if (has_units(w->t))
		put_titles(w, unit_of);
	if (layout->rule)
		put_titles(w, rule_of);
	if (layout->after_rule)
		put_line(w->out, layout->after_rule);
}

static void put_row(struct writer *w, size_t row)
{
	const struct table *t = w->t;
	const struct table_row *r = &t->rows.data[row];
	bool first = true;
	put_begin(w, w->style.separator ? "" : t->layout.row);
	for (size_t i = 0; i < t->columns.len; i++) {
		if (t->columns.data[i].data_only)
			continue;
		if (!first)
			put_gap(w, gap_of(w));
		cell_text(w, row, i);
		hide_separator(w);
		put(w, i, strbuf_str(&w->cell), is_left(&t->columns.data[i]), table_cell(t, row, i)->mark);
		first = false;
	}
	end_line(w);
	for (uint32_t i = 0; i < r->lines_nr; i++) {
		const char *line = t->lines.data[r->first_line + i];
		size_t tabs = strspn(line, "\t"); /* of an indent */
		out_fill(w->out, '\t', tabs);
		put_line(w->out, line + tabs);
	}
}

static void measure(struct writer *w, size_t column)
{
	const struct table_column *c = &w->t->columns.data[column];
	size_t width = w->t->layout.has_no_titles || c->is_ragged ? 0 : text_columns(c->title);
	w->highest[column] = highest_of(w->t, column);
	width = c->type != TABLE_SERIES && c->width > width ? c->width : width;
	if (!w->t->layout.has_no_titles && text_columns(unit_of(w, column)) > width)
		width = text_columns(strbuf_str(&w->cell));
	for (size_t row = 0; row < w->t->rows.len && !c->is_fixed && !c->is_ragged; row++) {
		cell_text(w, row, column);
		size_t n = text_columns(strbuf_str(&w->cell));
		width = n > width ? n : width;
	}
	w->widths[column] = w->style.separator ? 0 : width;
}

static void put_facts(struct out *out, const struct table *t)
{
	size_t n = t->layout.has_no_facts ? 0 : t->facts.len;
	for (size_t i = 0; i < n; i++) {
		out_f(out, " %s: ", t->facts.data[i].key);
		put_line(out, t->facts.data[i].value);
	}
	if (n)
		out_ch(out, '\n');
}

void table_text(struct out *out, const struct table *t, const struct table_style *style)
{
	struct writer w = { .out = out, .t = t, .style = style ? *style : (struct table_style){} };
	w.widths = xcalloc(t->columns.len + 1, sizeof(*w.widths));
	w.highest = xcalloc(t->columns.len + 1, sizeof(*w.highest));
	for (size_t i = 0; i < t->columns.len; i++)
		if (!t->columns.data[i].data_only)
			measure(&w, i);
	for (size_t i = 0; i < t->heads.len; i++)
		put_line(out, t->heads.data[i]);
	put_facts(out, t);
	put_heading(&w);
	for (size_t i = 0; i < t->openings.len; i++)
		put_line(out, t->openings.data[i]);
	for (size_t row = 0; row < t->rows.len && !out_failed(out); row++)
		put_row(&w, row);
	if (t->layout.after_rows && !w.style.separator)
		put_line(out, t->layout.after_rows);
	for (size_t i = 0; i < t->feet.len; i++)
		put_line(out, t->feet.data[i]);
	if (t->notes.len)
		out_ch(out, '\n');
	for (size_t i = 0; i < t->notes.len; i++) {
		out_ch(out, ' ');
		put_line(out, t->notes.data[i]);
	}
	out_fill(out, '\n', t->layout.blank_lines);
	strbuf_deinit(&w.cell);
	free(w.widths);
	free(w.highest);
}
