/*
 * The command line of `record` for the calls, events and page faults of a selection, for trace -i.
 */
#pragma once
#include "base/arena.h"
#include "tracing/selection.h"

struct recorded_words {
	struct arena *arena;      /* of the words; the caller's */
	VEC(const char *) list;   /* "record", "-R", …; vec_deinit() */
};

/* ERROR_USAGE for unknown calls; ERROR_UNSUPPORTED: no table of calls for this architecture. */
struct strobe_error *trace_recorded_words(const struct trace_selection *s, struct recorded_words *words) _must_check_;
