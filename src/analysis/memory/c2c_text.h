/*
 * The output of `c2c report`: the tables of perf c2c, or one table for programs.
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

void c2c_text(struct out *out, const struct c2c_sums *s, const struct c2c_view *v);
/* A row for each line, and below it one for each of its rows; all counts are facts. */
void c2c_table(struct table *t, const struct c2c_sums *s);
/* "0-1": bits in order. */
void c2c_bits_text(struct strbuf *out, const c2c_bits *bits);
