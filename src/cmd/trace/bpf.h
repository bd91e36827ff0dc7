/*
 * What the two sources that BPF feeds share: stream.c (calls alone) and events.c (calls among other events).
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "cmd/trace/run.h"
#include "cmd/trace/summary.h"
#include "tracing/calls.h"

struct trace_bpf {
	struct trace_calls calls;
	struct summary_tracer *summary; /* statistics that the kernel keeps beside the stream, or NULL */
};

struct stream_options trace_stream_options(const struct trace_run *r);
/* Begins the run's lines. */
void trace_bpf_init(struct trace_bpf *b, struct trace_run *r);
/* Where options request statistics that only the kernel can keep. */
struct strobe_error *trace_bpf_open_summary(struct trace_bpf *b, struct trace_run *r) _must_check_;
void trace_bpf_enable(struct trace_bpf *b, bool on);
void trace_bpf_deinit(struct trace_bpf *b);
/* Ends the lines, then prints statistics and what --map-dump and --tool_stats read from the tracer, which may be NULL. */
struct strobe_error *trace_bpf_finish(struct trace_bpf *b, struct trace_run *r, struct stream_tracer *tracer) _must_check_;
/* lost: events on other ways than through the tracer's ring; the tracer may be NULL. */
void trace_say_lost(struct trace_run *r, uint64_t lost, const struct stream_tracer *tracer);
