/*
 * The settings of a trace, as values of files in tracefs: in an instance of our own if the tracer supports instances, otherwise in
 * the global one, whose values are restored afterwards. A file that an instance lacks is that of the whole system.
 *
 * Source: Documentation/trace/ftrace.rst. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "capture/target.h"
#include "sys/guard.h"
#include "sys/sys.h"

typedef VEC(const char *) ftrace_names;

struct ftrace_settings {
	const char *tracer;  /* "function_graph", "function"; NULL: function_graph, unless selected functions require the other */
	bool is_of_durations; /* always function_graph */
	ftrace_names functions, no_functions, graph_functions, no_graph_functions; /* names and globs */
	bool call_graph, irq_info; /* of the function tracer */
	/* of function_graph */
	bool arguments, return_values, return_values_hex, return_addresses, no_sleep_time, no_irqs, verbose, tail;
	uint64_t threshold_us, depth; /* 0: no limit */
	uint64_t buffer_bytes;        /* per CPU; 0: unchanged */
	bool inherit;
};

/* A value to write; lists have several. */
struct ftrace_write {
	const char *path, *value; /* path below the root of sys */
	bool is_appended;
};

struct ftrace_plan {
	struct arena arena;
	const struct sys *sys;
	const char *top, *instance; /* instance NULL: none */
	VEC(struct ftrace_write) writes;
	VEC(struct guard_write) undo; /* full paths */
	struct guard of_instance, of_values;
};

/* "call-graph,irq-info" */
struct strobe_error *ftrace_function_options_parse(const char *text, struct ftrace_settings *s) _must_check_;
/* "args,depth=3,…" */
struct strobe_error *ftrace_graph_options_parse(const char *text, struct ftrace_settings *s) _must_check_;
/* The tracer that the selected functions require, or the one that is set. */
const char *ftrace_tracer_of(const struct ftrace_settings *s);

/* Determines the files and values to write. On an error (the kernel lacks the tracer, or it is in use) nothing was changed. */
struct strobe_error *ftrace_plan_make(struct ftrace_plan *p, const struct sys *sys, const struct ftrace_settings *s,
				      const struct target_map *target) _must_check_;
/* Call in any case. Restores everything; no file of the instance may be open any more. */
void ftrace_plan_deinit(struct ftrace_plan *p);
/* The file of the instance, or of the whole system; in the arena. */
const char *ftrace_plan_path(struct ftrace_plan *p, const char *name);
/* Writes all values; the tracer is last, and is not started. */
struct strobe_error *ftrace_plan_apply(struct ftrace_plan *p) _must_check_;
struct strobe_error *ftrace_file_write(const struct sys *sys, const char *path, const char *value, bool append) _must_check_;
