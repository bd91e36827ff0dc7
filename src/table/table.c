#include "table/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

void table_init(struct table *t, const char *format, unsigned version)
{
	*t = (struct table){ .format = format, .version = version };
	arena_init(&t->arena);
}

void table_deinit(struct table *t)
{
	vec_deinit(&t->columns);
	vec_deinit(&t->rows);
	vec_deinit(&t->cells);
	vec_deinit(&t->facts);
	vec_deinit(&t->heads);
	vec_deinit(&t->openings);
	vec_deinit(&t->feet);
	vec_deinit(&t->lines);
	vec_deinit(&t->notes);
	arena_deinit(&t->arena);
}

size_t table_column(struct table *t, struct table_column column)
{
	column.key = arena_strdup(&t->arena, column.key);
	column.title = column.title ? arena_strdup(&t->arena, column.title) : column.key;
	column.unit = column.unit ? arena_strdup(&t->arena, column.unit) : NULL;
	vec_push(&t->columns, column);
	return t->columns.len - 1;
}

/* ---- rows ---- */

void table_reserve(struct table *t, size_t rows)
{
	vec_reserve(&t->rows, rows);
	vec_reserve(&t->cells, rows * t->columns.len);
}

void table_child(struct table *t, uint32_t depth)
{
	uint32_t deepest = t->rows.len ? vec_last(&t->rows).depth + 1 : 0;
	deepest = deepest < TABLE_DEPTH_MAX ? deepest : TABLE_DEPTH_MAX;
	depth = depth < deepest ? depth : deepest;
	t->depth = depth > t->depth ? depth : t->depth;
	vec_push(&t->rows, ((struct table_row){ .depth = depth, .first_line = (uint32_t)t->lines.len }));
	if (t->columns.len)
		memset(vec_extend(&t->cells, t->columns.len), 0, t->columns.len * sizeof(struct table_cell));
}

void table_row(struct table *t)
{
	table_child(t, 0);
}

static struct table_cell *last_row_cell(struct table *t, size_t column)
{
	return &t->cells.data[(t->rows.len - 1) * t->columns.len + column];
}

static struct table_cell *set_cell(struct table *t, size_t column)
{
	struct table_cell *c = last_row_cell(t, column);
	c->set = true;
	return c;
}

void table_set_text(struct table *t, size_t column, const char *text)
{
	set_cell(t, column)->text = arena_strdup(&t->arena, text);
}

void table_set_number(struct table *t, size_t column, double number)
{
	set_cell(t, column)->number = number;
}

void table_set_count(struct table *t, size_t column, uint64_t count)
{
	set_cell(t, column)->count = count;
}

void table_set_bool(struct table *t, size_t column, bool truth)
{
	set_cell(t, column)->truth = truth;
}

void table_set_series(struct table *t, size_t column, const double *values, uint32_t nr)
{
	struct table_cell *c = set_cell(t, column);
	double *copy = arena_new_array(&t->arena, double, nr + 1);
	if (nr)
		memcpy(copy, values, nr * sizeof(*copy));
	c->series = copy;
	c->len = nr;
}

static const char *copy_of(struct table *t, const char *text)
{
	return text ? arena_strdup(&t->arena, text) : NULL;
}

void table_set_items(struct table *t, size_t column, const struct table_item *items, uint32_t nr)
{
	struct table_cell *c = set_cell(t, column);
	struct table_item *copy = arena_new_array(&t->arena, struct table_item, nr + 1);
	for (uint32_t i = 0; i < nr; i++)
		copy[i] = (struct table_item){ copy_of(t, items[i].name), items[i].count, copy_of(t, items[i].text) };
	c->items = copy;
	c->len = nr;
}

void table_mark(struct table *t, size_t column, enum table_mark mark)
{
	last_row_cell(t, column)->mark = (uint8_t)mark;
}

/* ---- text around the rows ---- */

static const char *keep(struct table *t, const char *fmt, va_list ap)
{
	char text[200]; /* enough for most texts */
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	if (n < (int)sizeof(text)) {
		va_end(again);
		return arena_strdup(&t->arena, n < 0 ? "" : text);
	}
	_cleanup_free_ char *longer = xvasprintf(fmt, again);
	va_end(again);
	return arena_strdup(&t->arena, longer);
}

void table_show(struct table *t, size_t column, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	last_row_cell(t, column)->shown = keep(t, fmt, ap);
	va_end(ap);
}

void table_line(struct table *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *line = keep(t, fmt, ap);
	va_end(ap);
	vec_push(&t->lines, line);
	vec_last(&t->rows).lines_nr++;
}

void table_head(struct table *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *head = keep(t, fmt, ap);
	va_end(ap);
	vec_push(&t->heads, head);
}

void table_opening(struct table *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *opening = keep(t, fmt, ap);
	va_end(ap);
	vec_push(&t->openings, opening);
}

void table_foot(struct table *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *foot = keep(t, fmt, ap);
	va_end(ap);
	vec_push(&t->feet, foot);
}

void table_fact(struct table *t, const char *key, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct table_fact fact = { .key = arena_strdup(&t->arena, key), .value = keep(t, fmt, ap) };
	va_end(ap);
	vec_push(&t->facts, fact);
}

void table_fact_number(struct table *t, const char *key, double number, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct table_fact fact = { arena_strdup(&t->arena, key), keep(t, fmt, ap), true, number };
	va_end(ap);
	vec_push(&t->facts, fact);
}

void table_note(struct table *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *note = keep(t, fmt, ap);
	va_end(ap);
	vec_push(&t->notes, note);
}

/* ---- values and order ---- */

static double cell_value(enum table_type type, const struct table_cell *c)
{
	double sum = 0;
	switch (type) {
	case TABLE_NUMBER: return c->number;
	case TABLE_COUNT: return (double)c->count;
	case TABLE_BOOL: return c->truth;
	case TABLE_SERIES:
		for (uint32_t i = 0; i < c->len; i++)
			sum += c->series[i];
		return sum;
	case TABLE_ITEMS:
		for (uint32_t i = 0; i < c->len; i++)
			sum += (double)c->items[i].count;
		return sum;
	case TABLE_TEXT: break;
	}
	return 0;
}

double table_cell_number(const struct table_column *column, const struct table_cell *cell)
{
	double value = cell_value(column->type, cell);
	return column->scale != 0 ? value * column->scale : value;
}

struct sorter {
	const struct table *t;
	size_t column;
	bool descending;
};

static int compare_values(enum table_type type, const struct table_cell *x, const struct table_cell *y)
{
	if (type == TABLE_TEXT)
		return strcmp(x->text, y->text);
	if (type == TABLE_COUNT)
		return x->count < y->count ? -1 : x->count > y->count;
	double a = cell_value(type, x), b = cell_value(type, y);
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a < b ? -1 : a > b;
}

/* Compares two rows by their indexes. */
static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct sorter *s = ctx;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	const struct table_cell *x = table_cell(s->t, a, s->column), *y = table_cell(s->t, b, s->column);
	int order = 0;
	if (!x->set || !y->set)
		order = !x->set - !y->set;
	else if (s->descending)
		order = compare_values(s->t->columns.data[s->column].type, y, x);
	else
		order = compare_values(s->t->columns.data[s->column].type, x, y);
	return order ? order : a < b ? -1 : a > b;
}

/* The first following row that is not in its subtree. */
static size_t after_subtree(const struct table *t, size_t row)
{
	size_t next = row + 1;
	while (next < t->rows.len && t->rows.data[next].depth > t->rows.data[row].depth)
		next++;
	return next;
}

/* Appends the sorted rows of a range of siblings, each followed by its subtree. */
static size_t order_siblings(struct sorter *s, size_t from, size_t to, size_t *order, size_t n)
{
	_cleanup_free_ size_t *heads = xreallocarray(NULL, to - from + 1, sizeof(*heads));
	size_t heads_nr = 0;
	for (size_t row = from; row < to; row = after_subtree(s->t, row))
		heads[heads_nr++] = row;
	qsort_r(heads, heads_nr, sizeof(*heads), compare_rows, s);
	for (size_t i = 0; i < heads_nr; i++) {
		size_t end = after_subtree(s->t, heads[i]);
		order[n++] = heads[i];
		if (end > heads[i] + 1)
			n = order_siblings(s, heads[i] + 1, end, order, n);
	}
	return n;
}

void table_sort(struct table *t, size_t column, bool descending)
{
	struct sorter s = { t, column, descending };
	size_t columns = t->columns.len, n = t->rows.len;
	if (!n)
		return;
	_cleanup_free_ size_t *order = xreallocarray(NULL, n + 1, sizeof(*order));
	_cleanup_free_ struct table_cell *cells = xreallocarray(NULL, t->cells.len + 1, sizeof(*cells));
	_cleanup_free_ struct table_row *rows = xreallocarray(NULL, n + 1, sizeof(*rows));
	order_siblings(&s, 0, n, order, 0);
	for (size_t i = 0; i < n; i++) {
		rows[i] = t->rows.data[order[i]];
		memcpy(cells + i * columns, t->cells.data + order[i] * columns, columns * sizeof(*cells));
	}
	memcpy(t->rows.data, rows, n * sizeof(*rows));
	memcpy(t->cells.data, cells, n * columns * sizeof(*cells));
}
