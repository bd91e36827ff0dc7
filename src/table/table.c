#include "table/table.h"

#include <stdarg.h>
#include <stdlib.h>

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
	vec_deinit(&t->cells);
	vec_deinit(&t->facts);
	vec_deinit(&t->notes);
	arena_deinit(&t->arena);
}

void table_column(struct table *t, struct table_column column)
{
	column.key = arena_strdup(&t->arena, column.key);
	column.title = arena_strdup(&t->arena, column.title ? column.title : column.key);
	vec_push(&t->columns, column);
}

void table_row(struct table *t)
{
	t->rows++;
	for (size_t i = 0; i < t->columns.len; i++)
		vec_push(&t->cells, (struct table_cell){});
}

static struct table_cell *last_row_cell(struct table *t, size_t column)
{
	struct table_cell *c = &t->cells.data[(t->rows - 1) * t->columns.len + column];
	c->set = true;
	return c;
}

void table_set_text(struct table *t, size_t column, const char *text)
{
	last_row_cell(t, column)->text = arena_strdup(&t->arena, text);
}

void table_set_number(struct table *t, size_t column, double number)
{
	last_row_cell(t, column)->number = number;
}

void table_set_bool(struct table *t, size_t column, bool truth)
{
	last_row_cell(t, column)->truth = truth;
}

static const char *keep(struct table *t, const char *fmt, va_list ap)
{
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	return arena_strdup(&t->arena, text);
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
