/*
 * Filters of events over the fields of a probe, as in filters of tracepoints, compiled for a BPF program (fetch_plan.h):
 *
 *	size > 4096 && name == "lib"      (n < 0 || flags & 0x10) && !(common_pid == 7)
 *
 * Numbers are decimal, 0x… or 'c', compared by the type of the field (== != < <= > >= &); texts by ==, != and ~, which takes "TEXT" and
 * "TEXT*". Source: the kernel's events.rst.
 */
#pragma once
#include "probe/fetch_parse.h"

/* ERROR_USAGE has the column and, for an unknown field, lists the existing ones. */
struct strobe_error *fetch_filter_parse(const char *text, const struct fetch_plan *plan, const struct fetch_format *format,
					struct fetch_plan_filter *ret) _must_check_;
