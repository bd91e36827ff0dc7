/*
 * Processes the lines of a tracer: prints them, makes a histogram of durations, or sums durations by function.
 *
 *	struct ftrace_answer a = { .kind = FTRACE_LATENCY, .histogram = &h };
 *	ftrace_answer_init(&a);
 *	ftrace_answer_line(&a, line, bytes);	of each
 *	ftrace_answer_table(&a, by, &table);
 *	ftrace_answer_deinit(&a);
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "ftrace/functions.h"
#include "ftrace/histogram.h"

struct out;
struct table;

enum ftrace_answer_kind { FTRACE_TRACE, FTRACE_LATENCY, FTRACE_PROFILE };

struct ftrace_answer {
	enum ftrace_answer_kind kind;
	struct out *out;                   /* for a trace */
	struct ftrace_histogram *histogram; /* for latencies; settled */
	struct ftrace_functions functions;
};

void ftrace_answer_init(struct ftrace_answer *a);
void ftrace_answer_deinit(struct ftrace_answer *a);
/* For struct ftrace_request; ctx is the answer. False if output has failed. */
bool ftrace_answer_line(void *ctx, const char *line, size_t bytes);
/* At the end, for durations. */
void ftrace_answer_table(struct ftrace_answer *a, enum ftrace_sort by, struct table *t);
