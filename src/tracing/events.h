/*
 * Events of a live trace as lines, in order of time: samples of tracepoints and page faults, calls out of samples or from the BPF
 * programs, with their call graphs.
 *
 *	TRY(trace_events_create(&setup, &e));
 *	TRY(trace_events_read(e));            to the end of the source, or of the lines
 *
 * The caller chooses the events that have lines, by their index in the environment. One thread.
 */
#pragma once
#include "bpf/trace/stream_tracer.h"
#include "resolve/resolve.h"
#include "tracing/calls.h"
#include "tracing/samples.h"

enum trace_event_role {
	TRACE_ROLE_LINE,
	TRACE_ROLE_MINOR_FAULT,
	TRACE_ROLE_MAJOR_FAULT,
	TRACE_ROLE_NONE, /* no lines */
};

struct trace_event_choice {
	enum trace_event_role role;
	bool switches_on, switches_off; /* lines begin, or end, with one of these */
	bool is_hidden;                 /* has no line where it switches */
	bool only_switches;             /* nor anywhere else */
	uint64_t max;                   /* number of lines; 0: no limit */
};

struct trace_events_setup {
	const struct env *env;
	struct resolver *resolver;        /* over a trace_live_source() */
	struct trace_lines *lines;
	const struct trace_calls *calls;  /* what BPF events become */
	struct trace_samples *samples;    /* calls from tracepoints, in place of BPF events; or NULL */
	const struct stream_tracer *tracer; /* NULL: no BPF events; tasks are named by records */
	const struct syscall_table *native;
	const struct trace_event_choice *choices; /* by index of the event; others have no lines. Copied */
	size_t choices_nr;
	bool starts_off;                  /* no lines before an event that switches on */
	uint64_t min_stack;               /* events with fewer frames have no line */
	enum trace_stacks stacks;         /* of BPF events */
	uint32_t dump_bytes;              /* of TRACE_STACKS_DUMP */
	pid_t self;                       /* has no lines; nor have those that follow: */
	const pid_t *excluded;            /* processes or threads */
	size_t excluded_nr;
	/* Before each line, where it is not NULL; event: its name. */
	void (*sample)(void *ctx, const struct resolved_sample *r, const char *event);
	void *ctx;
};

struct trace_events;

/* All that setup points to is borrowed. */
struct strobe_error *trace_events_create(const struct trace_events_setup *setup, struct trace_events **ret) _must_check_;
void trace_events_destroy(struct trace_events *e);
struct strobe_error *trace_events_read(struct trace_events *e) _must_check_;
/* Events that LOST records count. */
uint64_t trace_events_lost(const struct trace_events *e);
