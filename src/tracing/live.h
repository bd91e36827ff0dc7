/*
 * Ring buffers of perf_event_open and the ring of the BPF programs as one record source, while the trace runs.
 *
 * An event of the BPF programs becomes a RECORD_TIMED: struct trace_merged_record, with the stack that came before it. Rounds
 * are marked, so that record/order.h puts all in order. Where there is nothing more to read the source waits by a callback. One
 * thread.
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "capture/session.h"
#include "record/source.h"

struct trace_merged {
	struct capture *capture;
	struct stream_tracer *tracer; /* or NULL */
	/* *ret_end: one more round over what is left, without new events, and then the end. */
	struct strobe_error *(*wait)(void *ctx, bool *ret_end);
	/*
	 * A process executes a program: its thread that does so has the number of the process from now on. As it is read, which
	 * is before its turn in the order of time.
	 */
	void (*executes)(void *ctx, uint32_t pid);
	void *ctx;
	uint64_t lost; /* out: events and stacks that do not fit into a record */
};

/* The struct trace_event and what follows it come next, then the stack: trace_merged_stack(). */
struct trace_merged_record {
	struct record_timed timed;
	uint32_t event_bytes, stack_bytes; /* stack_bytes 0: no stack */
};

static inline const struct trace_event *trace_merged_event(const struct trace_merged_record *r)
{
	return (const struct trace_event *)(r + 1);
}
const struct trace_stack *trace_merged_stack(const struct trace_merged_record *r, size_t *ret_bytes);

/* Borrows what m holds; m must stay where it is. Records that are older than the first of a ring come from *before, taken over. */
struct record_source *trace_merged_source(struct trace_merged *m, void *before, size_t before_bytes);
