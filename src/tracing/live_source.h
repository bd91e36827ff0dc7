/*
 * Ring buffers of perf_event_open and the ring of the BPF programs as one record source, while the trace runs.
 *
 * An event of the BPF programs becomes a RECORD_TIMED: struct trace_live_record, with the stack that precedes it. Rounds are
 * marked, so that record/order.h can sort all. When there is nothing to read the source waits by a callback. One thread.
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "record/source.h"

struct trace_live {
	struct record_source *rings;  /* capture_source(); taken over */
	struct stream_tracer *tracer; /* NULL: no events of BPF programs */
	/* Reads the events in the ring: stream_tracer_drain(), except in tests. */
	void (*drain)(struct stream_tracer *tracer, bool (*fn)(void *ctx, const struct trace_event *ev, size_t bytes), void *ctx);
	/* Waits for events. *ret_end: rings and tracer are stopped; one more round is read, then the source ends. */
	struct strobe_error *(*wait)(void *ctx, bool *ret_end);
	/*
	 * A process executes a program: the thread that called exec has the ID of the process from now on. Called when the record is
	 * read, before it is sorted.
	 */
	void (*executes)(void *ctx, uint32_t pid);
	void *ctx;
	uint64_t lost; /* output: events and stacks that do not fit into a record */
};

/* Followed by the struct trace_event with its payload, then the stack: trace_live_stack(). */
struct trace_live_record {
	struct record_timed timed;
	uint32_t event_bytes, stack_bytes; /* stack_bytes 0: no stack */
};

static inline const struct trace_event *trace_live_event(const struct trace_live_record *r)
{
	return (const struct trace_event *)(r + 1);
}
const struct trace_stack *trace_live_stack(const struct trace_live_record *r, size_t *ret_bytes);

/* l must not move. before: malloc'ed records to deliver first, such as synthesized ones; takes ownership; or NULL. */
struct record_source *trace_live_source(struct trace_live *l, void *before, size_t before_bytes);
