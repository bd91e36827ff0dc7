/* The output of `strobe trace`: lines, then statistics. */
#pragma once
#include "cmd/trace/options.h"

struct trace_output {
	const struct trace_options *o;
	struct out out;
	int fd; /* -1: not open */
	struct enum_names *enums; /* or NULL */
	struct trace_writer writer;
};

/* Opens the output of -o, or standard error. */
struct strobe_error *trace_output_open(struct trace_output *t, const struct trace_options *o) _must_check_;
/* Writes the start of the format. sys: the kernel with the names of enumerators; NULL for a recording, whose kernel may have others. */
void trace_output_begin(struct trace_output *t, struct trace_tasks *tasks, const struct sys *sys, bool has_one_task);
/* Ends the lines; stats may be NULL. */
void trace_output_end(struct trace_output *t, const struct syscall_stats *stats);
/* Returns err, or else the error of the output. */
struct strobe_error *trace_output_close(struct trace_output *t, struct strobe_error *err);
