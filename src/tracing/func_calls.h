/*
 * Calls of functions out of the events of trace's BPF programs, as nested lines.
 *
 * Each task has a stack of open calls, by their stack pointers. A call has one line where it calls nothing that is traced, else one
 * when it first does or takes long, and one when it returns; so lines are in order of the beginnings of calls. Where lines are chosen by
 * durations, that of a call and those that are still to come of its callers are written when it returns. Calls that longjmp(), an
 * exception or an exec left have no result.
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
/* Before another line of the task at that time: those that it is within are written. Returns how many these are. */
uint32_t func_calls_open(struct func_calls *f, uint32_t tid);
/* Calls that have been open for a while get their first lines: what a task waits in is seen. */
void func_calls_tick(struct func_calls *f, uint64_t now_ns);
/* Open calls get their lines, once. */
void func_calls_finish(struct func_calls *f);
/* By number: what calls took. */
const struct trace_func_row *func_calls_rows(const struct func_calls *f);
