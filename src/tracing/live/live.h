/*
 * A trace of running tasks: system calls and events from BPF programs, from the kernel's rings, or from both in order of time, as
 * lines, and summed up.
 *
 *	TRY(live_trace_create(&request, &t));        what can be checked before there are tasks
 *	TRY(live_trace_open(t, pid));                pid: the command, which waits for its exec; 0: there is none
 *	... the command may run ...
 *	TRY(live_trace_run(t));                      lines, until the trace ends
 *	TRY(live_trace_finish(t, &stats));           the last lines, and what was lost
 *	live_trace_destroy(t);                       in any case
 *
 * Where BPF programs cannot be loaded, tracepoints and rings take their place. The request, and all that it points to, outlives
 * the trace. Messages go through the host. The thread that opened it calls all else; its priority is raised.
 */
#pragma once
#include "base/out.h"
#include "capture/options.h"
#include "capture/target.h"
#include "session/host.h"
#include "table/table.h"
#include "tracing/lines.h"
#include "tracing/selection.h"

struct live_trace_options {
	struct target target;      /* nothing named: the command, or with none the whole system */
	const char *cgroup;        /* path below the root of the hierarchy; NULL: any */
	bool no_inherit;
	int64_t delay_ms;          /* nothing before */
	bool no_bpf;               /* tracepoints and rings, as where BPF cannot be used */
	uint64_t ring_bytes;       /* a power of two */
	bool ring_bytes_set;       /* by the user: for all rings */
	bool no_wait;              /* calls are never delayed: what does not fit is lost */
	uint64_t proc_map_timeout_ms;
	struct callgraph_options callgraph;
	bool kernel_graph;         /* of system calls */
	bool sort_events;          /* through the sorter of all CPUs */
	bool print_sample;         /* the sink's sample() is called */
	const char *map_dump;      /* a BPF map that is dumped at the end; NULL: none */
};

struct live_trace_request {
	const struct sys *sys;
	const struct session_host *host;
	const struct trace_selection *selection;
	const struct trace_summary *summary;
	const struct live_trace_options *options;
	const char *program;       /* the command that will run, as it was written; NULL: there is none */
	uint32_t str_limit;        /* bytes of strings and buffers that are fetched */
	struct trace_sink *sink;
	/* Waits until wake_fd (-1: none) is readable, or wait_ms (-1: no limit). *ret_end: the trace ends. */
	struct strobe_error *(*wait)(void *ctx, int wake_fd, int wait_ms, bool *ret_end);
	void *ctx;
};

struct live_trace;

/* Whether there are lines besides those of system calls. */
bool live_trace_has_events(const struct trace_selection *s, const struct live_trace_options *o);
/* Whether more is traced than system calls as lines: what comes out of rings, in order with them, or call graphs. */
bool live_trace_needs_rings(const struct trace_selection *s, const struct live_trace_options *o);

/* *ret is set in any case. */
struct strobe_error *live_trace_create(const struct live_trace_request *q, struct live_trace **ret) _must_check_;
struct strobe_error *live_trace_open(struct live_trace *t, pid_t command) _must_check_;
struct strobe_error *live_trace_run(struct live_trace *t) _must_check_;
/* *ret_stats: where a summary was requested, else NULL; the trace's. */
struct strobe_error *live_trace_finish(struct live_trace *t, const struct syscall_stats **ret_stats) _must_check_;
void live_trace_destroy(struct live_trace *t);

/* Sums of functions, where a summary was requested, after the trace has been finished. False: there are none. */
bool live_trace_function_stats(struct live_trace *t, bool histograms, struct table *ret);

/* Once open: what is known of tasks and their descriptors. */
struct trace_tasks *live_trace_tasks(struct live_trace *t);
/* Whether it is the command that is traced, and whether that is one thread alone for good. */
bool live_trace_follows_command(const struct live_trace *t);
bool live_trace_has_one_task(const struct live_trace *t);

struct live_trace_totals {
	uint64_t lines, tasks;
	uint64_t name_lookups, fd_lookups; /* in /proc */
	uint64_t lost;                     /* events */
	bool has_delayed;
	uint64_t delayed;                  /* calls that waited for the reader; has_delayed */
};

struct live_trace_totals live_trace_totals(struct live_trace *t);
/* The map of options->map_dump, where there are BPF programs. */
void live_trace_dump(const struct live_trace *t, struct out *out);
