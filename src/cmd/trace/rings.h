/*
 * What the two sources that do without BPF share: rings.c (calls alone) and events.c (calls among other events).
 */
#pragma once
#include "cmd/trace/run.h"
#include "tracing/events.h"

/* Why it cannot be done without BPF, or NULL. */
struct strobe_error *trace_rings_check(const struct trace_run *r) _must_check_;
/* The tracepoints of the calls that were chosen. */
struct strobe_error *trace_rings_add_calls(const struct trace_run *r, struct event_list *list) _must_check_;
struct call_pairs_setup trace_rings_pairs(const struct trace_run *r);
/* Registers to record with each sample of a call, so that its width is known: one, or 0 where there is only one width. */
uint64_t trace_call_registers(void);
