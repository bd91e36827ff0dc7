/*
 * What handlers of one event are called, and the fields of a tracepoint's sample as their arguments.
 *
 * Source: perf-script-python(1), and what `perf script -s` passes: numbers as they are in the record without a sign unless they have
 * eight bytes, arrays of char that are printable as text, other arrays as bytes.
 */
#pragma once
#include "decode/tracepoint.h"
#include "record/env.h"
#include "scripting/handlers.h"
#include "scripting/sample_values.h"

struct event_values {
	bool is_ready;                /* event_values_find() was called */
	const struct tracepoint *tp;  /* NULL: no tracepoint, or one whose format is not in the recording */
	const char *event_name;       /* "sched__sched_switch"; the rest is of tracepoints, too */
	const char *handler;          /* what is called; NULL: the script has no handler for it */
	bool as_dict;                 /* its fields are one argument: trace_unhandled() */
	bool with_sample;             /* the last argument is perf_sample_dict */
	const struct tracepoint_field *pid, *preempt_count, *flags, *lock_depth; /* common ones; or NULL */
};

struct event_values event_values_find(const struct env_event *e, const struct tracepoints *tps, const struct script_handlers *h,
				      struct arena *arena);
/* Whether its handler needs frames looked up: its own place, or those of the call chain. */
bool event_values_need_frames(const struct event_values *e, const struct resolved_sample *s);
/* One event of the stream: (handler, common numbers, arguments). context: as pickle_global() was given it. */
void event_values_put(const struct event_values *e, const struct tracepoints *tps, struct sample_values *v, const char *context,
		      const struct resolved_sample *s);
