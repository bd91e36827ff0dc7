/*
 * Function calls from events of trace's BPF programs, as nested lines.
 *
 * Each task has a stack of open calls, by their stack pointers. A call without traced calls in it has one line; others have an opening
 * line, when the first inner call begins or after some time, and one at the return: so lines are ordered by the beginnings of calls. If
 * lines are selected by duration, the line of a call and the pending ones of its callers are written at its return. Calls that were left
 * by longjmp(), an exception or an exec have no result.
 *
 * Events are borrowed for the call. One thread.
 */
#pragma once
#include "bpf/trace/trace_shared.h"
#include "resolve/resolve.h"
#include "tracing/func/call.h"
#include "tracing/func/filter.h"
#include "tracing/lines.h"

struct func_calls;

struct func_calls_setup {
	const struct func_choice *choice;
	struct trace_lines *lines;
	const struct func_filter *filter; /* of calls; NULL: all. Borrowed */
	bool by_duration;
	uint64_t longer_than_ns; /* by_duration */
};

struct func_calls *func_calls_create(const struct func_calls_setup *setup);
void func_calls_destroy(struct func_calls *f);
/* FUNC, FUNC_RETURN; EXEC and EXIT end the calls of their tasks. frames: of the call graph, or NULL. */
void func_calls_take(struct func_calls *f, const struct trace_event *ev, size_t bytes, const struct resolved_frame *frames,
		     uint32_t frames_nr);
/* Call it before another line of the task at that time: writes the enclosing calls. Returns their number. */
uint32_t func_calls_open(struct func_calls *f, uint32_t tid);
/* Writes the opening lines of calls that have been open for a while, to show in which call a task waits. */
void func_calls_tick(struct func_calls *f, uint64_t now_ns);
/* Writes the lines of open calls; call it once. */
void func_calls_finish(struct func_calls *f);
/* By index: the sums of calls. */
const struct trace_func_row *func_calls_rows(const struct func_calls *f);
