/*
 * Calls and events as lines, in order of time, out of one stream of records: samples of tracepoints and page faults, calls out of
 * pairs of samples or from the BPF programs, with their call graphs. Live traces and recordings take the same way.
 *
 *	e = trace_events_create(&setup);
 *	TRY(trace_events_read(e, source));        to the end of the source, or of the lines
 *	trace_events_finish(e);
 *	trace_events_destroy(e);
 *
 * What an event is follows from its attr alone (trace_role_of()); the caller says which of the others are shown. Records are
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

/* What the user says of an event. */
struct trace_event_choice {
	bool is_shown;                  /* it has lines where it has no part in calls */
	bool switches_on, switches_off; /* lines begin, or end, with one of these */
	bool is_hidden;                 /* has no line where it switches */
	bool only_switches;             /* nor anywhere else */
	uint64_t max;                   /* number of lines; 0: no limit */
};

struct trace_events_setup {
	const struct env *env;            /* may grow while records come (a pipe) */
	struct resolver *resolver;        /* NULL: samples have neither call graphs nor places of page faults */
	struct trace_lines *lines;
	const struct syscall_table *native;
	const struct call_pairs_setup *pairs; /* calls from samples; NULL: none, or they come from BPF. Copied */
	const struct stream_tracer *tracer; /* NULL: no BPF events; tasks are named by records */
	const struct trace_calls *calls;    /* what BPF events become */
	struct trace_event_choice (*choice)(void *ctx, const struct env_event *event, size_t index);
	bool starts_off;                  /* no lines before an event that switches on */
	uint64_t min_stack;               /* events with fewer frames have no line */
	enum trace_stacks stacks;         /* of BPF events */
	uint32_t dump_bytes;              /* of TRACE_STACKS_DUMP */
	pid_t self;                       /* has no lines (0: all have); nor have those that follow: */
	const pid_t *excluded;            /* processes or threads */
	size_t excluded_nr;
	bool prints_samples;              /* the sink's sample() is called before each line, where there is a resolver */
	void *ctx;                        /* of choice */
};

struct trace_events;

/* All that setup points to is borrowed. */
struct trace_events *trace_events_create(const struct trace_events_setup *setup);
void trace_events_destroy(struct trace_events *e);
/* Records of the resolver's source, or with no resolver of this one, in order of time. */
struct strobe_error *trace_events_read(struct trace_events *e, struct record_source *source) _must_check_;
/* One record; where there is a resolver: one that is not a sample. ERROR_STOPPED: the lines have ended. */
struct strobe_error *trace_events_take(struct trace_events *e, struct record r) _must_check_;
struct strobe_error *trace_events_take_resolved(struct trace_events *e, const struct resolved_sample *r) _must_check_;
/* Calls that have not ended are counted, once. */
void trace_events_finish(struct trace_events *e);
/* Events that LOST records count. */
uint64_t trace_events_lost(const struct trace_events *e);
/* Samples that are shorter than their event's format; they were left out. */
uint64_t trace_events_damaged(const struct trace_events *e);
/* One line about them, if any. */
void trace_events_say_damaged(const struct trace_events *e, const struct session_host *host);

/*
 * What an event of an environment is. pairs: calls come from samples, those of raw_syscalls if any: each call is
 * seen once, whatever else was recorded of it. faults: page faults can be shown with their places.
 */
enum trace_role trace_role_of(const struct env *env, size_t event, bool pairs, bool faults, bool is_shown);
/* Whether the events of a recording include system calls or page faults. */
bool trace_events_have_calls(const struct env *env);
/* Whether a resolver is needed for its events: call graphs, page faults. */
bool trace_events_need_symbols(const struct env *env);
/* Of a page fault, else TRACE_ROLE_NONE. */
enum trace_role trace_fault_role(const struct perf_event_attr *a);
