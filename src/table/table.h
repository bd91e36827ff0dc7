/*
 * A table: typed columns, rows of cells, and notes below them. Whatever is shown and is no profile can be one.
 *
 *	struct table t;
 *	table_init(&t, "strobe-stat-vs", 1);
 *	table_column(&t, (struct table_column){ .key = "event", .title = "event", .type = TABLE_TEXT });
 *	table_row(&t);
 *	table_set_text(&t, 0, "task-clock");
 *
 * A cell that is not set is shown as nothing and is null in JSON. The table owns copies of all its strings.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"

enum table_type { TABLE_TEXT, TABLE_NUMBER, TABLE_BOOL };

struct table_column {
	const char *key;   /* in JSON */
	const char *title; /* above the column, and in CSV */
	enum table_type type;
	unsigned decimals; /* of numbers, in text */
	bool data_only;    /* not in text */
	bool text_only;    /* only in text */
};

struct table_cell {
	bool set;
	union {
		const char *text;
		double number;
		bool truth;
	};
};

struct table_fact {
	const char *key, *value;
	bool is_number; /* in data the number stands for the value */
	double number;
};

struct table {
	struct arena arena;
	const char *format; /* of its JSON: "strobe-…" */
	unsigned version;
	VEC(struct table_column) columns;
	VEC(struct table_cell) cells; /* rows, one after the other */
	size_t rows;
	VEC(struct table_fact) facts; /* about the whole: shown above it */
	VEC(const char *) notes;      /* shown below it */
};

void table_init(struct table *t, const char *format, unsigned version);
void table_deinit(struct table *t);
/* All columns come before the first row. */
void table_column(struct table *t, struct table_column column);
/* Begins a row; the setters below fill it. */
void table_row(struct table *t);
void table_set_text(struct table *t, size_t column, const char *text);
void table_set_number(struct table *t, size_t column, double number);
void table_set_bool(struct table *t, size_t column, bool truth);
void table_fact(struct table *t, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same of a number, which data has alone: "312" where the text is "312 of each". */
void table_fact_number(struct table *t, const char *key, double number, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void table_note(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline const struct table_cell *table_cell(const struct table *t, size_t row, size_t column)
{
	return &t->cells.data[row * t->columns.len + column];
}
