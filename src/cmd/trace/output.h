/* Where the lines of `strobe trace` go, and the statistics after them. */
#pragma once
#include "cmd/trace/options.h"

struct trace_output {
	const struct trace_options *o;
	struct out out;
	int fd; /* -1: not open */
	struct enum_names *enums; /* or NULL */
	struct trace_writer writer;
};

/* What -o names, or standard error. */
struct strobe_error *trace_output_open(struct trace_output *t, const struct trace_options *o) _must_check_;
/* What the format has before its first line. sys: the kernel that names enumerators; NULL for a recording: another may have others. */
void trace_output_begin(struct trace_output *t, struct trace_tasks *tasks, const struct sys *sys, bool has_one_task);
/* Ends the lines; stats may be NULL. */
void trace_output_end(struct trace_output *t, const struct syscall_stats *stats);
/* Returns err, or what went wrong with the output. */
struct strobe_error *trace_output_close(struct trace_output *t, struct strobe_error *err);
