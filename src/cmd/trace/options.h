/*
 * The options of `strobe trace`.
 */
#pragma once
#include "base/vector.h"
#include "capture/options.h"
#include "capture/target.h"
#include "cli/options.h"
#include "view/trace/paper.h"
#include "decode/syscall.h"
#include "event/event.h"
#include "table/syscall_stats.h"

struct trace_options {
	struct target target;
	const char *calls;  /* -e: which calls; NULL: all */
	char *calls_owned;
	struct event_list events; /* -e: tracepoints and other events */
	size_t last_events;       /* where those of the last -e begin: for --filter */
	bool syscalls, syscalls_set;
	bool minor_faults, major_faults;
	bool signals, signals_set, processes, processes_set; /* lines of their own */
	const char *cgroup; /* -G */
	const char *output;
	const char *input; /* -i: a recording */
	bool force;        /* -f: of another owner */
	bool no_bpf;
	VEC(pid_t) excluded; /* --filter-pids */
	int64_t delay_ms;
	bool no_inherit;
	bool summary, with_summary, errnos, histograms, bpf_summary;
	enum syscall_stats_by by;
	uint64_t max_summary;
	const struct trace_format *format;
	unsigned verbose;
	/* Of the stream. */
	bool full_time, no_comm, show_cpu, failure;
	double duration_ms;
	bool duration_set;
	const char *path; /* -P */
	uint64_t max_events;
	uint64_t str_limit;
	uint64_t ring_bytes; /* -m */
	bool ring_bytes_set;
	bool no_wait;
	bool strace_style;
	bool points_as_kernel; /* --libtraceevent_print */
	/* By settings alone (settings.c). */
	bool show_zeros, show_prefix, no_arg_names, no_time, no_duration;
	uint32_t align; /* the column of results; 0: behind the arguments */
	bool print_sample, sort_events, tool_stats, sched;
	const char *map_dump;
	uint64_t proc_map_timeout_ms;
	struct callgraph_options callgraph;
	bool kernel_graph;
	uint64_t min_stack, max_stack;
	const char *switch_on, *switch_off;
	bool switch_on_added; /* -e does not name it */
	bool show_switches;
};

extern const struct option trace_option_table[];
void trace_options_defaults(void *options);
void trace_options_deinit(void *options);
/* Whether system calls are traced, given what else is. */
bool trace_wants_calls(const struct trace_options *o);
/* Whether signals, starts and ends have lines: where all is shown, or where it is asked for. */
bool trace_shows_signals(const struct trace_options *o);
bool trace_shows_processes(const struct trace_options *o);
/* Whether there is more to be traced than system calls as lines: what comes out of rings and is put in order with them. */
bool trace_wants_events(const struct trace_options *o);
/* What follows from others: switching events are traced, depths of stacks want stacks. After parsing, before check. */
struct strobe_error *trace_options_settle(struct trace_options *o) _must_check_;
/* What cannot stand together. */
struct strobe_error *trace_options_check(const struct trace_options *o, int argc) _must_check_;
