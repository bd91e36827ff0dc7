/*
 * A trace of running tasks: system calls and events from BPF programs and the kernel's rings, in order of time, as lines and as sums.
 *
 *	TRY(live_trace_create(&request, &t));        checks everything possible before there are tasks
 *	TRY(live_trace_open(t, pid));                pid: the command, which waits for its exec; 0: none
 *	... the command may run ...
 *	TRY(live_trace_await_command(t));            until it does
 *	TRY(live_trace_run(t));                      lines, until the trace ends
 *	TRY(live_trace_finish(t, &stats));           the last lines, and what was lost
 *	live_trace_destroy(t);                       in any case
 *
 * If BPF programs cannot be loaded, tracepoints and rings are used instead, or else ptrace (ptrace/tracer.h). The request, and
 * everything that it points to, must outlive the trace. Messages go through the host. Only the opening thread may call the other
 * functions; its priority is raised.
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
	struct target target;      /* empty: the command, or without one the whole system */
	const char *cgroup;        /* path below the root of the hierarchy; NULL: any */
	bool no_inherit;
	int64_t delay_ms;          /* nothing before */
	bool no_bpf;               /* use tracepoints and rings, as if BPF were unavailable */
	uint64_t ring_bytes;       /* a power of two */
	bool ring_bytes_set;       /* by the user: for all rings */
	bool no_wait;              /* never delay calls: events that do not fit are lost */
	uint64_t proc_map_timeout_ms;
	struct callgraph_options callgraph;
	bool kernel_graph;         /* of system calls */
	bool sort_events;          /* sort events of all CPUs */
	bool print_sample;         /* call the sink's sample() */
	const char *map_dump;      /* a BPF map that is dumped at the end; NULL: none */
};

struct live_trace_request {
	const struct sys *sys;
	const struct session_host *host;
	const struct trace_selection *selection;
	const struct trace_summary *summary;
	const struct live_trace_options *options;
	const char *program;       /* the command to run, as typed; NULL: none */
	uint32_t str_limit;        /* bytes of strings and buffers that are fetched */
	struct trace_sink *sink;
	/* Waits until wake_fd (-1: none) is readable, or wait_ms (-1: no limit). *ret_end: the trace ends. */
	struct strobe_error *(*wait)(void *ctx, int wake_fd, int wait_ms, bool *ret_end);
	void *ctx;
};

struct live_trace;

/* Whether there are lines other than those of system calls. */
bool live_trace_has_events(const struct trace_selection *s, const struct live_trace_options *o);
/* Whether more than system calls is traced: events from rings, or call graphs. */
bool live_trace_needs_rings(const struct trace_selection *s, const struct live_trace_options *o);

/* *ret is set in any case. */
struct strobe_error *live_trace_create(const struct live_trace_request *q, struct live_trace **ret) _must_check_;
struct strobe_error *live_trace_open(struct live_trace *t, pid_t command) _must_check_;
/*
 * By ptrace the trace waits for its tasks, and nobody else may: live_trace_waits(). The command then installs a filter of calls
 * (workload_options.filter) if live_trace_is_filtered(), and ends with that status; false: it has not ended.
 */
bool live_trace_waits(const struct live_trace *t);
bool live_trace_is_filtered(const struct live_trace *t);
bool live_trace_command_status(const struct live_trace *t, int *ret);
/* Known before the tasks are; NULL: all calls are traced. Owned by the trace. */
const struct sock_fprog *live_trace_filter(const struct live_trace *t);
/* Waits until the command, which has been released, executes its program or has failed to. */
struct strobe_error *live_trace_await_command(struct live_trace *t) _must_check_;
struct strobe_error *live_trace_run(struct live_trace *t) _must_check_;
/* **ret_stats: set if a summary was requested, else NULL; owned by the trace. */
struct strobe_error *live_trace_finish(struct live_trace *t, const struct syscall_stats **ret_stats) _must_check_;
void live_trace_destroy(struct live_trace *t);

/* Sums of functions, where a summary was requested, after the trace has been finished. False: there are none. */
bool live_trace_function_stats(struct live_trace *t, bool histograms, struct table *ret);

/* Tasks and their descriptors; call it after live_trace_open(). */
struct trace_tasks *live_trace_tasks(struct live_trace *t);
/* Whether the command is traced, and whether it will only have one thread. */
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
