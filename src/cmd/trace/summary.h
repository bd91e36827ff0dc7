/* Statistics that the kernel makes: those of -s, and of -S those by cgroup, which a stream of calls does not tell. */
#pragma once
#include "bpf/trace/summary_tracer.h"
#include "cmd/trace/run.h"

struct strobe_error *trace_summary_open(struct trace_run *r, struct summary_tracer **ret) _must_check_;
/* Ends the counting, and prints. */
struct strobe_error *trace_summary_print(struct trace_run *r, struct summary_tracer *s) _must_check_;
