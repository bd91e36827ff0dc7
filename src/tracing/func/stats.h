/*
 * Calls of functions summed up: how many, how long, percentiles, a histogram; as a table.
 *
 * Percentiles come from slots (struct trace_func_row): they are right to an eighth.
 */
#pragma once
#include "table/table.h"
#include "tracing/func/choice.h"

/* The middle of the slot that the share of all durations lies in, at most the longest one; 0: there are none. */
uint64_t func_percentile_ns(const struct trace_func_row *r, double share);
/* Adds a call that has ended. */
void func_row_add(struct trace_func_row *r, uint64_t ns);
/* rows: by number of the choice. Functions that were called, longest in total first. The table is to be deinitialised. */
void func_stats_table(struct table *ret, const struct func_choice *c, const struct trace_func_row *rows, bool histograms);
