/*
 * Converts events of trace's BPF programs to lines: calls, starts and ends of tasks, names, signals.
 *
 * Events are borrowed for the call. One thread.
 */
#pragma once
#include "bpf/trace/trace_shared.h"
#include "resolve/resolve.h"
#include "tracing/func_calls.h"
#include "tracing/lines.h"
#include "tracing/path_choice.h"

struct trace_calls {
	const struct syscall_table *native, *compat; /* compat may be NULL */
	const struct path_choice *path; /* -P */
	struct trace_lines *lines;
	struct func_calls *funcs;       /* or NULL */
	bool signals, processes; /* lines of their own */
	bool sched;              /* keep run and wait times of ended tasks */
};

/* frames: of the call graph, or NULL. */
void trace_calls_take(const struct trace_calls *c, const struct trace_event *ev, size_t bytes,
		      const struct resolved_frame *frames, uint32_t frames_nr);
