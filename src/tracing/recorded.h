/*
 * The command line of `record` that records what a selection traces, for trace -i: the beginnings and ends of its calls, its events
 * and page faults.
 */
#pragma once
#include "base/arena.h"
#include "tracing/selection.h"

struct recorded_words {
	struct arena *arena;      /* of the words; the caller's */
	VEC(const char *) list;   /* "record", "-R", …; vec_deinit() */
};

/* ERROR_USAGE of calls that do not exist; ERROR_UNSUPPORTED: this architecture has no table of them. */
struct strobe_error *trace_recorded_words(const struct trace_selection *s, struct recorded_words *words) _must_check_;
