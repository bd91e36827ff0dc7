/*
 * Sums of function calls as a table: number, times, percentiles, a histogram.
 *
 * Percentiles come from slots (struct trace_func_row): their error is at most an eighth.
 */
#pragma once
#include "table/table.h"
#include "tracing/func/choice.h"

/* The percentile of a share: the middle of its slot, at most the maximum; 0: no calls. */
uint64_t func_percentile_ns(const struct trace_func_row *r, double share);
/* Adds a call that has ended. */
void func_row_add(struct trace_func_row *r, uint64_t ns);
/* rows: by index in the choice. Functions that were called, by descending total. The caller deinits the table. */
void func_stats_table(struct table *ret, const struct func_choice *c, const struct trace_func_row *rows, bool histograms);
