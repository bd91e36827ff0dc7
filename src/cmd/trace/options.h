/*
 * The options of `strobe trace`.
 */
#pragma once
#include "cli/options.h"
#include "tracing/live/live.h"
#include "tracing/selection.h"
#include "view/trace/writer.h"

struct trace_options {
	struct trace_selection selection;
	struct trace_summary summary;
	bool histograms;      /* in the summary */
	uint64_t max_summary; /* calls of a thread; 0: all */
	struct live_trace_options live;
	struct trace_display display;
	size_t last_events;   /* index of the first event of the last -e: for --filter */
	bool filters_functions; /* --filter applies to --func, if that follows -e */
	const char *output;
	const char *input;    /* -i: a recording */
	bool force;           /* -f: accept files of another owner */
	bool tool_stats;
	unsigned verbose;
};

extern const struct option trace_option_table[];
void trace_options_defaults(void *options);
void trace_options_deinit(void *options);
/*
 * Derives options from others: switching events are traced, and limits on stacks require call graphs. Call it after parsing, before
 * the check.
 */
struct strobe_error *trace_options_settle(struct trace_options *o) _must_check_;
/* Checks for options that cannot be combined. */
struct strobe_error *trace_options_check(const struct trace_options *o) _must_check_;
/* The same for -i. word: the first that is not an option, or NULL. */
struct strobe_error *trace_options_check_replay(const struct trace_options *o, const char *word) _must_check_;
