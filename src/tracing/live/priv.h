/*
 * The parts of a live trace: tasks.c (which tasks, and until when), tracers.c (BPF), rings.c (events of the kernel's rings), ptraced.c
 * (ptrace).
 */
#pragma once
#include "bpf/probe/samples.h"
#include "bpf/trace/stream_tracer.h"
#include "bpf/trace/summary_tracer.h"
#include "capture/session.h"
#include "ptrace/call_filter.h"
#include "ptrace/tracer.h"
#include "session/session.h"
#include "tracing/call_choice.h"
#include "tracing/events.h"
#include "tracing/func/filter.h"
#include "tracing/live/live.h"
#include "tracing/live_source.h"
#include "tracing/path_choice.h"

struct live_trace {
	struct live_trace_request q;
	struct call_choice calls;
	struct path_choice path; /* with selection->path */
	struct func_choice funcs;
	struct probe_debug_options func_debug;
	struct func_filter *func_filter; /* or NULL */
	char *cgroup;
	/* tasks.c */
	pid_t command; /* 0: none */
	bool follows_command;
	struct target target;
	struct target_map map;
	struct trace_targets targets;
	bool ended;
	bool seem_gone;              /* at the last check no traced task was running */
	uint64_t begin_ms, alive_ms; /* end of the delay (0: over); time of the last check of tasks */
	/* Sources. */
	bool by_rings; /* without BPF: calls from their tracepoints */
	bool by_ptrace;
	int wake_fd;   /* readable when events should be read; -1: none */
	struct trace_lines *lines;
	struct trace_calls bpf_calls;   /* converts BPF events to lines */
	struct stream_tracer *tracer;   /* or NULL */
	struct summary_tracer *summary; /* statistics of the kernel, or NULL */
	struct ptrace_tracer *ptracer;  /* by_ptrace */
	struct call_filter filter;      /* for a command that is traced by ptrace */
	struct sock_fprog filter_program; /* len 0: none */
	struct event_set set;           /* rings.c; of the capture once that is open */
	struct probe_samples *probes;   /* of events that are probes; or NULL */
	struct capture *capture;        /* NULL: no rings */
	struct trace_live live;
	struct session session;         /* its source: records in order of time, or sorted by its resolver */
	struct trace_events *events;    /* what reads them */
	enum trace_stacks stacks;
	/* At the end. */
	struct syscall_stats stats; /* of the kernel */
	struct arena names;         /* of calls in them that have none */
};

/* functions.c */
struct strobe_error *live_trace_choose_functions(struct live_trace *t) _must_check_;
/* Reports tasks whose functions are not traced, and why. */
void live_trace_say_function_limits(const struct live_trace *t);
/* After each round of events. */
void live_trace_tick(const struct live_trace *t);
/* Converts their events to lines; NULL: no functions. */
struct func_calls *live_trace_make_function_calls(struct live_trace *t);

/* tasks.c */
struct strobe_error *live_trace_find_cgroup(struct live_trace *t) _must_check_;
struct strobe_error *live_trace_find_tasks(struct live_trace *t, pid_t command) _must_check_;
/* Reads the names of tasks that exist already, and with --sched how long they ran: they may end before a line needs that. */
void live_trace_read_tasks(const struct live_trace *t, struct trace_tasks *tasks);
/* The waiting begins. */
void live_trace_begin(struct live_trace *t);
/* Waits up to wait_ms for events, signals and the ends of tasks (-1: without limit); sets t->ended, ends the delay. */
struct strobe_error *live_trace_wait(struct live_trace *t, int wait_ms) _must_check_;
/* After an exec the calling thread has the ID of its process, by which its existence is checked. */
void live_trace_follow_exec(struct live_trace *t, uint32_t pid);

/* live.c */
void live_trace_enable(struct live_trace *t);
/* Whether all calls are traced by which traced processes open and close descriptors. */
bool live_trace_sees_files(const struct live_trace *t);
void live_trace_make_lines(struct live_trace *t);
/* Raises the priority of the reader. */
void live_trace_raise_priority(void);

/* tracers.c */
struct strobe_error *live_trace_open_stream(struct live_trace *t) _must_check_;
struct strobe_error *live_trace_open_summary(struct live_trace *t) _must_check_;
void live_trace_drain_stream(struct live_trace *t);
struct strobe_error *live_trace_read_summary(struct live_trace *t) _must_check_;
void live_trace_say_lost(const struct live_trace *t, uint64_t lost);

/* ptraced.c */
struct strobe_error *live_trace_open_ptrace(struct live_trace *t) _must_check_;
/* Reads events until the trace ends. */
struct strobe_error *live_trace_run_ptrace(struct live_trace *t) _must_check_;
void live_trace_make_filter(struct live_trace *t);

/* rings.c */
struct strobe_error *live_trace_check_rings(const struct live_trace *t) _must_check_;
/* Only calls, by their tracepoints. */
struct strobe_error *live_trace_open_rings(struct live_trace *t) _must_check_;
/* Events, merged with calls from the tracer or from tracepoints. */
struct strobe_error *live_trace_open_events(struct live_trace *t) _must_check_;
struct strobe_error *live_trace_finish_rings(struct live_trace *t) _must_check_;
void live_trace_close_rings(struct live_trace *t);
