/*
 * `trace -s`: system calls aggregated in the kernel, by BPF programs; no events are streamed.
 *
 *	TRY(summary_tracer_open(&targets, &options, &s));   loads and attaches; enabled as the targets say
 *	... the command runs ...
 *	summary_tracer_stop(s);
 *	TRY(summary_tracer_read(s, name, ctx, &stats));
 *	summary_tracer_close(s);
 *
 * Each call that ended while tracing was enabled is counted once. There is room for 16384 threads and 28672 pairs of thread
 * and call; further ones are counted as one thread, "(others)". One thread at a time.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "bpf/trace/trace_targets.h"
#include "table/syscall_stats.h"

struct summary_tracer;

struct summary_options {
	enum syscall_stats_by by;
	bool errnos;
	bool sched; /* how long threads ran and waited for a CPU */
};

struct strobe_error *summary_tracer_open(const struct trace_targets *targets, const struct summary_options *o,
					 struct summary_tracer **ret) _must_check_;
void summary_tracer_enable(struct summary_tracer *s, bool on);
/* Detaches the programs: sums are final. */
void summary_tracer_stop(struct summary_tracer *s);
/* name returns the name of a call, which must outlive the stats; calls are numbered as in trace_shared.h: 32-bit ones from TRACE_NUMBERS
 * on. */
struct strobe_error *summary_tracer_read(struct summary_tracer *s, const char *(*name)(void *ctx, uint32_t call), void *ctx,
					 struct syscall_stats *ret) _must_check_;
/* The calls of one of the targets' functions so far. */
struct trace_func_row summary_tracer_func(const struct summary_tracer *s, uint32_t func);
/* bpf/trace/trace_maps.h. */
void summary_tracer_dump(const struct summary_tracer *s, const char *map, struct out *out);
void summary_tracer_close(struct summary_tracer *s);
