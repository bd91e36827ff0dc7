/*
 * What the two sources that do without BPF share: rings.c (calls alone) and events.c (calls among other events).
 */
#pragma once
#include "cmd/trace/run.h"
#include "tracing/samples.h"

/* Why it cannot be done without BPF, or NULL. */
struct strobe_error *trace_rings_check(const struct trace_run *r) _must_check_;
/* The tracepoints of the calls that were chosen. */
struct strobe_error *trace_rings_add_calls(const struct trace_run *r, struct event_list *list) _must_check_;
struct trace_samples *trace_rings_samples(const struct trace_run *r, const struct env *env, struct trace_lines *lines);
