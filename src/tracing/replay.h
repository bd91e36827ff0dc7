/*
 * The system calls and events of a recording as lines, as they would have been shown live.
 *
 *	TRY(trace_replay_open(&request, &t));
 *	err = trace_replay_run(t);               lines, to the end or to what is damaged
 *	trace_replay_finish(t, &stats);          what could be read is whole
 *	trace_replay_destroy(t);                 in any case
 *
 * The request and all that it points to outlive it. One thread.
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
/* ERROR_NOT_FOUND where it has no system calls, and these are selected: then there is nothing to finish. */
struct strobe_error *trace_replay_run(struct trace_replay *t) _must_check_;
/* Ends the lines. *ret_stats: where a summary was requested, else NULL; the replay's. */
void trace_replay_finish(struct trace_replay *t, const struct syscall_stats **ret_stats);
/* Says what was lost or damaged. */
void trace_replay_remarks(const struct trace_replay *t);
void trace_replay_destroy(struct trace_replay *t);
struct trace_tasks *trace_replay_tasks(struct trace_replay *t);
