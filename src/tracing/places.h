/*
 * The code of a page fault, and the address it accessed, resolved by maps and symbols.
 */
#pragma once
#include "resolve/resolve.h"
#include "tracing/line.h"

/* Fills the line for a page fault, and *fault, which must live as long as the line; its strings live for the session. */
void trace_fault_line(struct resolver *resolver, const struct resolved_sample *r, bool major, struct trace_fault *fault,
		      struct trace_line *line);
