/* The options of `ftrace trace`, `latency` and `profile`, and settings derived from them. */
#pragma once
#include "cli/options.h"
#include "ftrace/answer.h"
#include "ftrace/ftrace.h"
#include "ftrace/functions.h"
#include "ftrace/histogram.h"
#include "table/format.h"

struct ftrace_options {
	struct ftrace_request request;
	struct ftrace_histogram histogram; /* of latency */
	const char *list, *sort, *format_name, *events;
	enum table_format format;
	enum ftrace_sort by; /* of profile */
	bool in_bpf;
	unsigned verbose;
};

extern const struct option ftrace_trace_options[], ftrace_latency_options[], ftrace_profile_options[];

void ftrace_options_release(void *options);
/* Checks them, and fills in defaults. */
struct strobe_error *ftrace_options_settle(struct ftrace_options *o, enum ftrace_answer_kind kind) _must_check_;
