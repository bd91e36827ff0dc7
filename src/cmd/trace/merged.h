/*
 * Ring buffers of perf_event_open and the ring of the BPF programs as one record source, while the trace runs.
 *
 * An event of the BPF programs becomes a RECORD_TIMED: struct trace_merged_record, with the stack that came before it. The source
 * waits by itself (trace_wait()) and ends with the run. Rounds are marked, so that record/order.h puts all in order.
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "capture/session.h"
#include "cmd/trace/run.h"
#include "record/source.h"

struct trace_merged {
	struct trace_run *run;
	struct capture *capture;
	struct stream_tracer *tracer; /* or NULL */
	uint64_t lost;                /* out: events and stacks that do not fit into a record */
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

/* Both are borrowed; m must stay where it is. Records that are older than the first of a ring come from *before, taken over. */
struct record_source *trace_merged_source(struct trace_merged *m, void *before, size_t before_bytes);
