/*
 * The options of `strobe trace`.
 */
#pragma once
#include "base/vector.h"
#include "capture/target.h"
#include "cli/options.h"
#include "cmd/trace/line.h"
#include "decode/syscall.h"
#include "table/syscall_stats.h"

struct trace_options {
	struct target target;
	const char *calls;  /* -e: which calls; NULL: all */
	const char *cgroup; /* -G */
	const char *output;
	VEC(pid_t) excluded; /* --filter-pids */
	int64_t delay_ms;
	bool no_inherit;
	bool summary, with_summary, errnos, histograms;
	enum syscall_stats_by by;
	uint64_t max_summary;
	const struct trace_format *format;
	unsigned verbose;
	/* Of the stream. */
	bool full_time, no_comm, failure;
	double duration_ms;
	bool duration_set;
	uint64_t max_events;
	uint64_t str_limit;
	uint64_t ring_bytes; /* -m */
	bool strace_style;
};

extern const struct option trace_option_table[];
void trace_options_defaults(void *options);
void trace_options_deinit(void *options);
/* What cannot stand together. */
struct strobe_error *trace_options_check(const struct trace_options *o, int argc) _must_check_;
