/*
 * What `c2c report` prints: perf c2c's two tables below what there is in all, or one table for programs.
 */
#pragma once
#include "analysis/memory/c2c.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "table/table.h"

struct c2c_view {
	unsigned node_info; /* of rows: 0 nodes, 1 with shares of their loads and stores, 2 with their CPUs */
	bool stats_only;
	bool full_symbols;
};

/* Above perf's tables: what there is in all. */
void c2c_text(struct out *out, const struct c2c_sums *s);
/* perf's two tables, as text: the shared lines, and the rows of each. */
void c2c_lines_table(struct table *t, const struct c2c_sums *s);
void c2c_rows_table(struct table *t, const struct c2c_sums *s, const struct c2c_view *v);
/* A row for each line, and below it one for each of its rows; all counts are facts. */
void c2c_table(struct table *t, const struct c2c_sums *s);
/* "0-1": bits in order. */
void c2c_bits_text(struct strbuf *out, const c2c_bits *bits);
