/*
 * Ring buffers of perf_event_open and the ring of the BPF programs as one record source, while the trace runs.
 *
 * An event of the BPF programs becomes a sample of one more event of the environment, "bpf": the struct trace_event and all
 * behind it is its raw data, the stack that came before it its call chain or its dump of registers and stack. The source
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
	enum trace_stacks stacks;
	uint32_t stack_bytes;         /* of dumps */
	uint32_t bpf_event;           /* out: index of "bpf" in the environment */
	uint64_t lost;                /* out: events and stacks that do not fit into a record */
};

/* Both are borrowed; m must stay where it is. Records that are older than the first of a ring come from *before, taken over. */
struct record_source *trace_merged_source(struct trace_merged *m, void *before, size_t before_bytes);
