/*
 * What handlers of one event are called, and what they are given: calls in the stream, each of them (handler, common numbers,
 * arguments).
 *
 * A language has an event_form: what it calls handlers, which of them an event has, and the arguments of each. Source:
 * perf-script-python(1), perf-script-perl(1), and what `perf script -s` passes: numbers as they are in the record without a sign
 * unless they have eight bytes.
 */
#pragma once
#include "decode/tracepoint.h"
#include "record/env.h"
#include "scripting/handlers.h"
#include "scripting/sample_values.h"

struct event_form;

struct event_values {
	bool is_ready;                /* event_values_find() was called */
	bool are_names_put;           /* event_values_put_names() was */
	const struct event_form *form;
	const struct tracepoint *tp;  /* NULL: no tracepoint, or one whose format is not in the recording */
	const char *event_name;       /* "sched__sched_switch" or "sched::sched_switch"; the rest is of tracepoints, too */
	const char *handler;          /* what is called; NULL: the script has no handler for it */
	const char *general_handler;  /* what is called after it; or NULL */
	bool as_dict;                 /* its fields are one argument: trace_unhandled() of Python */
	bool with_sample;             /* the last argument is perf_sample_dict */
	const struct tracepoint_field *pid, *preempt_count, *flags, *lock_depth; /* common ones; or NULL */
};

/* Where values come from and go to. */
struct event_stream {
	const struct tracepoints *tracepoints;
	struct sample_values values;
};

struct event_form {
	const char *joint;      /* between the system of a tracepoint and its name */
	bool has_symbol_offset; /* frames have sym_off */
	/* e->tp is NULL where the event is not a tracepoint. */
	void (*choose)(struct event_values *e, const struct script_handlers *h);
	void (*put)(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s);
	/* Whether its handlers need frames looked up: its own place, or those of the call chain. */
	bool (*needs_frames)(const struct event_values *e, const struct resolved_sample *s);
};

extern const struct event_form python_events, perl_events;

struct event_values event_values_find(const struct event_form *form, const struct env_event *e, const struct tracepoints *tps,
				      const struct script_handlers *h, struct arena *arena);
/* Whether anything is called for its samples. */
bool event_values_has_handler(const struct event_values *e);
/* Calls of define_flag_field() and the like, as perf makes them before the first sample of a tracepoint; none without those functions. */
void event_values_put_names(struct event_values *e, struct event_stream *to, const struct script_handlers *h);

/* For forms: */
void event_call_begin(const struct event_values *e, struct event_stream *to, const char *handler, const struct sample *x);
void event_call_end(struct event_stream *to);
/* The number of a field, as in perf; f may be NULL: 0. */
uint64_t event_number(const struct tracepoints *tps, const struct tracepoint_field *f, const struct sample *x);
void event_put_number(struct event_stream *to, const struct tracepoint_field *f, const struct sample *x);
