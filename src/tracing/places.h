/*
 * Where a page fault came from, and what it touched, as far as maps and symbols show.
 */
#pragma once
#include "resolve/resolve.h"
#include "tracing/line.h"

/* Makes the line that of a page fault, and fills *fault, which must live as long as the line; its strings live for the session. */
void trace_fault_line(struct resolver *resolver, const struct resolved_sample *r, bool major, struct trace_fault *fault,
		      struct trace_line *line);
