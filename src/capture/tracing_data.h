/*
 * The TRACING_DATA section: the formats of the recorded tracepoints, from tracefs.
 *
 * Layout as trace-cmd's file version 0.6, which perf writes: header_page and header_event, formats of ftrace's
 * own events, formats by system, kallsyms (empty), printk formats, saved command lines. Source: trace-cmd.dat.v6(5).
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "sys/sys.h"

struct tracepoint_ref {
	const char *system, *name;
	const char *format; /* of what tracefs does not have; else NULL */
};

/* Appends the section; a tracepoint without a readable format is an error that names the setting. */
struct strobe_error *tracing_data_build(const struct sys *sys, const struct tracepoint_ref *refs, size_t n,
					struct out *ret) _must_check_;
