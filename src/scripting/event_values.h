/*
 * Handler calls for the samples of one event: names and arguments. In the stream a call is (handler, common numbers, arguments).
 *
 * A language has an event_form: the names of handlers, which of them an event has, and their arguments. Source:
 * perf-script-python(1), perf-script-perl(1), and the output of `perf script -s`: numbers are unsigned, unless they have eight bytes.
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
	const struct tracepoint *tp;  /* NULL: not a tracepoint, or its format is not in the recording */
	const char *event_name;       /* "sched__sched_switch" or "sched::sched_switch"; this and the rest only for tracepoints */
	const char *handler;          /* handler to call; NULL: the script has none */
	const char *general_handler;  /* handler to call after it; or NULL */
	bool as_dict;                 /* its fields are one argument: Python's trace_unhandled() */
	bool with_sample;             /* the last argument is perf_sample_dict */
	const struct tracepoint_field *pid, *preempt_count, *flags, *lock_depth; /* common fields; or NULL */
};

/* Input and output of calls. */
struct event_stream {
	const struct tracepoints *tracepoints;
	struct sample_values values;
};

struct event_form {
	const char *joint;      /* between system and name of a tracepoint */
	bool has_symbol_offset; /* frames have sym_off */
	/* e->tp is NULL if the event is not a tracepoint. */
	void (*choose)(struct event_values *e, const struct script_handlers *h);
	void (*put)(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s);
	/* Whether its handlers need resolved frames: its own address, or those of the call chain. */
	bool (*needs_frames)(const struct event_values *e, const struct resolved_sample *s);
};

extern const struct event_form python_events, perl_events;

struct event_values event_values_find(const struct event_form *form, const struct env_event *e, const struct tracepoints *tps,
				      const struct script_handlers *h, struct arena *arena);
/* Whether any handler is called for its samples. */
bool event_values_has_handler(const struct event_values *e);
/*
 * Calls of define_flag_field() and the like, as in perf before the first sample of a tracepoint; none if the script lacks these
 * functions.
 */
void event_values_put_names(struct event_values *e, struct event_stream *to, const struct script_handlers *h);

/* For forms: */
void event_call_begin(const struct event_values *e, struct event_stream *to, const char *handler, const struct sample *x);
void event_call_end(struct event_stream *to);
/* The number in a field, as in perf; f may be NULL: 0. */
uint64_t event_number(const struct tracepoints *tps, const struct tracepoint_field *f, const struct sample *x);
void event_put_number(struct event_stream *to, const struct tracepoint_field *f, const struct sample *x);
