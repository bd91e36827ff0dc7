/*
 * The selection of a trace, live or of a recording: calls and events with lines, and statistics of calls.
 */
#pragma once
#include <sys/types.h>

#include "base/vector.h"
#include "event/event.h"
#include "table/syscall_stats.h"

struct trace_selection {
	char *calls;              /* as in -e; NULL: all. Owned */
	struct event_list events; /* tracepoints and other events */
	VEC(const char *) functions; /* patterns (tracing/func/choice.h) */
	const char *function_filter; /* of their calls (tracing/func/filter.h); NULL: all */
	bool syscalls, syscalls_set;
	bool minor_faults, major_faults;
	bool signals, signals_set, processes, processes_set; /* lines of their own */
	VEC(pid_t) excluded;      /* processes or threads */
	bool failure;             /* calls that have failed */
	double duration_ms;       /* duration_set: calls that took longer */
	bool duration_set;
	const char *path;         /* calls on this file */
	uint64_t max_events;      /* lines; 0: no limit */
	uint64_t min_stack, max_stack; /* frames; 0: no limit */
	const char *switch_on, *switch_off; /* events that begin and end the lines */
	bool switch_on_added;     /* it was added to events only for that */
	bool show_switches;       /* show them, too */
};

struct trace_summary {
	bool only;       /* instead of lines */
	bool with_lines; /* after them */
	bool in_kernel;  /* by BPF programs, if there are no lines */
	enum syscall_stats_by by;
	bool errnos;     /* errors by number */
	bool sched;      /* how long tasks ran and waited */
};

/* Of a zeroed one. */
void trace_selection_init(struct trace_selection *s);
void trace_selection_deinit(struct trace_selection *s);
/*
 * Calls and events by name, as in one -e. Several are combined; a list that begins with ! must be the only one. Unknown words are left to
 * call_choice_make(), which has the better message.
 */
struct strobe_error *trace_selection_add(struct trace_selection *s, const struct sys *sys, const char *text) _must_check_;
/* The arguments of -F and --filter-pids: "all", "maj" or "min"; comma-separated process IDs, which replace the earlier ones. */
struct strobe_error *trace_selection_set_faults(struct trace_selection *s, const char *text) _must_check_;
struct strobe_error *trace_selection_exclude(struct trace_selection *s, const char *list) _must_check_;
/*
 * Adds the switching events to those that are traced. If there are no others, system calls are traced.
 */
struct strobe_error *trace_selection_add_switches(struct trace_selection *s, const struct sys *sys) _must_check_;
/* Whether system calls are traced: if requested, or if there are no events. */
bool trace_selects_calls(const struct trace_selection *s);
/* Whether anything is traced: calls, events, functions or page faults. */
bool trace_selects_anything(const struct trace_selection *s);
/* Whether signals, starts and ends of tasks have lines: if everything is shown, or on request. */
bool trace_selects_signals(const struct trace_selection *s, const struct trace_summary *sums);
bool trace_selects_processes(const struct trace_selection *s, const struct trace_summary *sums);
/* Whether the event of that name is selected. */
bool trace_selects_event(const struct trace_selection *s, const char *name);
/* Page faults, by name or as events. */
bool trace_selects_faults(const struct trace_selection *s);
