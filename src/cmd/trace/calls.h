/*
 * What the BPF programs of trace tell, as lines: calls, tasks that start and end, names, signals.
 *
 * Events are borrowed for the call. One thread.
 */
#pragma once
#include "bpf/stream_tracer.h"
#include "cmd/trace/lines.h"
#include "cmd/trace/run.h"
#include "cmd/trace/summary.h"

struct trace_calls {
	const struct syscall_table *native, *compat; /* compat may be NULL */
	const struct path_choice *path; /* -P */
	struct trace_lines *lines;
	bool signals, processes; /* lines of their own */
	bool sched;              /* what ended tasks ran and waited is kept */
	struct summary_tracer *summary; /* beside the stream, or NULL */
};

/* frames: of the call graph, or NULL. */
void trace_calls_take(const struct trace_calls *c, const struct trace_event *ev, size_t bytes,
		      const struct resolved_frame *frames, uint32_t frames_nr);

/* For the sources that BPF feeds: the options of a run, its lines (made here, ended by finish), what is said of losses. */
struct stream_options trace_stream_options(const struct trace_run *r);
void trace_calls_init(struct trace_calls *c, struct trace_run *r);
/* Statistics that the kernel keeps beside the stream, where options request them. */
struct strobe_error *trace_calls_open_summary(struct trace_calls *c, struct trace_run *r) _must_check_;
void trace_calls_enable(struct trace_calls *c, bool on);
void trace_calls_deinit(struct trace_calls *c);
/* The end of the lines, and what stands behind them; the tracer, or NULL, is asked for --map-dump and --tool_stats. */
struct strobe_error *trace_calls_finish(struct trace_calls *c, struct trace_run *r, struct stream_tracer *tracer) _must_check_;
/* lost: events on other ways than through the tracer's ring; the tracer may be NULL. */
void trace_say_lost(struct trace_run *r, uint64_t lost, const struct stream_tracer *tracer);
