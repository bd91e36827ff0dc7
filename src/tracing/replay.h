/*
 * The system calls and events of a recording as lines, as in a live trace.
 *
 *	TRY(trace_replay_open(&request, &t));
 *	err = trace_replay_run(t);               lines, up to the end or to damage
 *	trace_replay_finish(t, &stats);          finishes the part that could be read
 *	trace_replay_destroy(t);                 in any case
 *
 * The request and everything that it points to must outlive it. One thread.
 */
#pragma once
#include "session/host.h"
#include "tracing/lines.h"
#include "tracing/selection.h"

struct trace_replay_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;        /* it may belong to another user */
	const struct trace_selection *selection;
	const struct trace_summary *summary;
	struct trace_sink *sink;
};

struct trace_replay;

/* *ret is set in any case. */
struct strobe_error *trace_replay_open(const struct trace_replay_request *q, struct trace_replay **ret) _must_check_;
/* ERROR_NOT_FOUND if system calls are selected, but there are none: then do not call trace_replay_finish(). */
struct strobe_error *trace_replay_run(struct trace_replay *t) _must_check_;
/* Ends the lines. *ret_stats: set if a summary was requested, else NULL; owned by the replay. */
void trace_replay_finish(struct trace_replay *t, const struct syscall_stats **ret_stats);
/* Reports lost or damaged records. */
void trace_replay_remarks(const struct trace_replay *t);
void trace_replay_destroy(struct trace_replay *t);
struct trace_tasks *trace_replay_tasks(struct trace_replay *t);
