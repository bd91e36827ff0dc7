/*
 * A table: typed columns, rows of cells, facts above and notes below. For all output other than profiles.
 *
 *	struct table t;
 *	table_init(&t, "strobe-stat-vs", 1);
 *	table_column(&t, (struct table_column){ .key = "event", .type = TABLE_TEXT });
 *	table_column(&t, (struct table_column){ .key = "wait_ns", .title = "wait", .type = TABLE_COUNT,
 *						.unit = "ms", .scale = 1e-6, .decimals = 3 });
 *	table_row(&t);
 *	table_set_text(&t, 0, "task-clock");
 *	table_set_count(&t, 1, 3250000);	// 3.250 in text, 3250000 in data
 *
 * One table is written as text (view/text/table_text.h), JSON and CSV (view/data/table_data.h) and HTML (view/html/table_html.h).
 * Data has values in the unit that the key names; text has them scaled, rounded and aligned. The caller chooses the layout and may
 * set the text of single cells: the writers are independent of the subject. Rows may form a tree: a row that is deeper than the
 * previous one is that row's child.
 *
 * Unset cells are blank in text and null in JSON. The table owns copies of all its strings and series.
 * One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"

enum table_type {
	TABLE_TEXT,
	TABLE_NUMBER, /* a double */
	TABLE_COUNT,  /* a uint64_t, exact in data */
	TABLE_BOOL,
	TABLE_SERIES, /* numbers over time or by size: bars in text, an array in JSON */
	TABLE_ITEMS,  /* counts or texts by name: "ENOENT 3, EACCES 1"; or a list without names */
};

enum table_align { TABLE_ALIGN_BY_TYPE, TABLE_ALIGN_LEFT, TABLE_ALIGN_RIGHT };

/* The form of items in JSON. */
enum table_items {
	TABLE_ITEMS_OBJECT, /* { name: value, … } */
	TABLE_ITEMS_LIST,   /* [ value, … ] */
	TABLE_ITEMS_PAIRS,  /* [ { "name": name, "value": value }, … ], with the keys of the column */
};

/* The rating of a cell: the writers choose its colour. */
enum table_mark { TABLE_PLAIN, TABLE_LOW, TABLE_MEDIUM, TABLE_HIGH, TABLE_GOOD, TABLE_BAD, TABLE_DIM };

struct table_column {
	const char *key;   /* in data */
	const char *title; /* above the column; NULL: the key */
	enum table_type type;
	unsigned decimals; /* of numbers, in text */
	bool data_only;    /* not in text */
	bool text_only;    /* only in text */
	const char *unit;  /* of the text: "(ms)" below the title; or NULL */
	double scale;      /* from data to text; 0: the same */
	unsigned width;    /* minimum width in text, and width of the bars of a series; 0: as the cells need */
	bool is_fixed;     /* width is exact: a longer cell shifts the rest of its row */
	bool is_ragged;    /* last column: its width is only that of the rule, and cells are not padded */
	const char *top;   /* a heading above the titles, over top_columns columns (0: one); or NULL */
	unsigned top_columns;
	enum table_align align;
	bool is_tree;      /* indented by the depth of the row */
	bool is_optional;  /* left out of JSON if unset */
	enum table_items items;
	const char *item_keys[2]; /* of TABLE_ITEMS_PAIRS */
};

struct table_item {
	const char *name; /* NULL in a list */
	uint64_t count;
	const char *text; /* instead of the count; or NULL */
};

struct table_cell {
	bool set;
	uint8_t mark;      /* enum table_mark */
	uint32_t len;      /* of a series or of items */
	const char *shown; /* in text, instead of the value; or NULL */
	union {
		const char *text;
		double number;
		uint64_t count;
		bool truth;
		const double *series;
		const struct table_item *items;
	};
};

#define TABLE_DEPTH_MAX 28 /* deeper rows become its children, too: writers recurse for each level */

struct table_row {
	uint32_t depth;              /* 0: top level */
	uint32_t first_line, lines_nr; /* range in table.lines: text below the row */
};

struct table_fact {
	const char *key, *value;
	bool is_number; /* data has the number instead of the value */
	double number;
};

/* Layout of the text; zeroed is strobe's default. */
struct table_layout {
	const char *head, *row; /* prefix of the line of titles, of a row; NULL: two blanks */
	const char *gap;        /* between columns; NULL: two blanks */
	char rule;              /* character of a line below the titles; 0: none */
	const char *after_rule; /* a line after the rule; or NULL */
	const char *after_rows; /* a line after the last row; or NULL */
	bool has_no_titles;
	bool has_no_facts;      /* facts are only in data */
	bool has_right_titles;  /* also of left-aligned columns */
	bool has_blank_ends;    /* write trailing blanks, as perf does */
	unsigned blank_lines;   /* at the end */
};

struct table {
	struct arena arena;
	const char *format; /* of its JSON: "strobe-…" */
	unsigned version;
	const char *rows_key, *children_key; /* in JSON; NULL: "rows", "children" */
	const char *grandchildren_key;       /* for rows at depth 2 and more; NULL: as for depth 1 */
	bool has_no_notes;                   /* JSON has no list of notes */
	struct table_layout layout;
	VEC(struct table_column) columns;
	VEC(struct table_row) rows;
	VEC(struct table_cell) cells; /* row by row */
	uint32_t depth;               /* of the deepest row */
	VEC(struct table_fact) facts; /* about the whole table: shown above it */
	VEC(const char *) heads;      /* lines of text above everything, not in data */
	VEC(const char *) openings;   /* the same, between titles and rows */
	VEC(const char *) feet;       /* the same, below all rows */
	VEC(const char *) lines;      /* of rows */
	VEC(const char *) notes;      /* shown below it */
};

void table_init(struct table *t, const char *format, unsigned version);
void table_deinit(struct table *t);
/* Call for all columns before the first row. Returns the column's index. */
size_t table_column(struct table *t, struct table_column column);
/* Allocates this many rows, after all columns are added: for tables of thousands. */
void table_reserve(struct table *t, size_t rows);
/* Begins a row; the setters below fill it. */
void table_row(struct table *t);
/* Begins a row at a depth; one that is deeper than the last row by more than 1 becomes its direct child. */
void table_child(struct table *t, uint32_t depth);
void table_set_text(struct table *t, size_t column, const char *text);
void table_set_number(struct table *t, size_t column, double number);
void table_set_count(struct table *t, size_t column, uint64_t count);
void table_set_bool(struct table *t, size_t column, bool truth);
void table_set_series(struct table *t, size_t column, const double *values, uint32_t nr);
void table_set_items(struct table *t, size_t column, const struct table_item *items, uint32_t nr);
/* Sets the text to show instead of a cell's value: "1.2K". */
void table_show(struct table *t, size_t column, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void table_mark(struct table *t, size_t column, enum table_mark mark);
/* A line of text below the row. */
void table_line(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line of text above the table. */
void table_head(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line of text between the titles and the rows. */
void table_opening(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line of text below the table, before its notes. */
void table_foot(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_fact(struct table *t, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same with a number, which only data has: "312" if the text is "312 of each". */
void table_fact_number(struct table *t, const char *key, double number, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void table_note(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Sorts rows by a column: text by bytes, numbers by value, a series by its sum; unset cells are last in either order, and the sort is
 * stable. Children stay below their parents and are sorted among themselves.
 */
void table_sort(struct table *t, size_t column, bool descending);

static inline const struct table_cell *table_cell(const struct table *t, size_t row, size_t column)
{
	return &t->cells.data[row * t->columns.len + column];
}

/* The value as shown in text, scaled; for a number, a count or the sum of a series or of items. */
double table_cell_number(const struct table_column *column, const struct table_cell *cell);
