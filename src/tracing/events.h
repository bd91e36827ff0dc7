/*
 * Calls and events as lines, in order of time, from one stream of records: samples of tracepoints and page faults, calls from pairs of
 * samples or from BPF programs, with their call graphs. Used for live traces and recordings.
 *
 *	e = trace_events_create(&setup);
 *	TRY(trace_events_read(e, source));        to the end of the source, or of the lines
 *	trace_events_finish(e);
 *	trace_events_destroy(e);
 *
 * The role of an event follows from its attr (trace_role_of()); the caller selects which of the others are shown. Records are
 * borrowed for the call. One thread.
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "record/source.h"
#include "resolve/resolve.h"
#include "session/host.h"
#include "tracing/call_pairs.h"
#include "tracing/calls.h"

enum trace_role {
	TRACE_ROLE_NONE,
	TRACE_ROLE_PAIR,        /* the entry or exit of a call: both make a line */
	TRACE_ROLE_POINT,       /* a line of its own */
	TRACE_ROLE_MINOR_FAULT,
	TRACE_ROLE_MAJOR_FAULT,
};

/* The user's selection for an event. */
struct trace_event_choice {
	bool is_shown;                  /* show it, unless it is part of calls */
	bool switches_on, switches_off; /* it switches lines on, or off */
	bool is_hidden;                 /* no line when it switches */
	bool only_switches;             /* nor anywhere else */
	uint64_t max;                   /* number of lines; 0: no limit */
};

struct trace_events_setup {
	const struct env *env;            /* may grow while records are read (a pipe) */
	struct resolver *resolver;        /* NULL: no call graphs, and no addresses of page faults are resolved */
	struct trace_lines *lines;
	const struct syscall_table *native;
	const struct call_pairs_setup *pairs; /* for calls from samples; NULL: none, or from BPF. Copied */
	const struct stream_tracer *tracer; /* NULL: no BPF events; names of tasks come from records */
	const struct trace_calls *calls;    /* converts BPF events */
	struct trace_event_choice (*choice)(void *ctx, const struct env_event *event, size_t index);
	bool starts_off;                  /* no lines before an event that switches on */
	uint64_t min_stack;               /* events with fewer frames have no line */
	enum trace_stacks stacks;         /* of BPF events */
	uint32_t dump_bytes;              /* of TRACE_STACKS_DUMP */
	pid_t self;                       /* a task without lines (0: none), in addition to these: */
	const pid_t *excluded;            /* processes or threads */
	size_t excluded_nr;
	bool prints_samples;              /* call the sink's sample() before each line, if there is a resolver */
	void *ctx;                        /* of choice */
};

struct trace_events;

/* All that setup points to is borrowed. */
struct trace_events *trace_events_create(const struct trace_events_setup *setup);
void trace_events_destroy(struct trace_events *e);
/* Reads records of the resolver's source or, without a resolver, of this one, in order of time. */
struct strobe_error *trace_events_read(struct trace_events *e, struct record_source *source) _must_check_;
/* Handles one record; with a resolver, one that is not a sample. ERROR_STOPPED: the lines have ended. */
struct strobe_error *trace_events_take(struct trace_events *e, struct record r) _must_check_;
struct strobe_error *trace_events_take_resolved(struct trace_events *e, const struct resolved_sample *r) _must_check_;
/* Calls that have not ended are counted, once. */
void trace_events_finish(struct trace_events *e);
/* The number of events in LOST records. */
uint64_t trace_events_lost(const struct trace_events *e);
/* Number of samples that were dropped since they are shorter than their event's format. */
uint64_t trace_events_damaged(const struct trace_events *e);
/* One line about them, if any. */
void trace_events_say_damaged(const struct trace_events *e, const struct session_host *host);

/*
 * The role of an event of an environment. pairs: calls come from samples, preferably of raw_syscalls, so that each
 * call is shown once, whatever else was recorded. faults: page faults can be shown with their addresses.
 */
enum trace_role trace_role_of(const struct env *env, size_t event, bool pairs, bool faults, bool is_shown);
/* Whether the events of a recording include system calls or page faults. */
bool trace_events_have_calls(const struct env *env);
/* Whether a resolver is needed for its events: call graphs, page faults. */
bool trace_events_need_symbols(const struct env *env);
/* Of a page fault, else TRACE_ROLE_NONE. */
enum trace_role trace_fault_role(const struct perf_event_attr *a);
