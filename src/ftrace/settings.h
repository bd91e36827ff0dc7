/*
 * What is to be traced, as values of files in tracefs: of an instance of our own where the tracer can work in one, else of the only one,
 * whose values are put back afterwards. A file that an instance lacks is that of the whole system.
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
	const char *tracer;  /* "function_graph", "function"; NULL: function_graph; functions that are chosen may need another one */
	bool is_of_durations; /* function_graph in any case */
	ftrace_names functions, no_functions, graph_functions, no_graph_functions; /* names and globs */
	bool call_graph, irq_info; /* of the function tracer */
	/* of function_graph */
	bool arguments, return_values, return_values_hex, return_addresses, no_sleep_time, no_irqs, verbose, tail;
	uint64_t threshold_us, depth; /* 0: all */
	uint64_t buffer_bytes;        /* of each CPU; 0: as it is */
	bool inherit;
};

/* A value to be written; more than one where it is of a list. */
struct ftrace_write {
	const char *path, *value; /* below the root of sys */
	bool is_appended;
};

struct ftrace_plan {
	struct arena arena;
	const struct sys *sys;
	const char *top, *instance; /* instance NULL: there is none */
	VEC(struct ftrace_write) writes;
	VEC(struct guard_write) undo; /* full paths */
	struct guard of_instance, of_values;
};

/* "call-graph,irq-info" */
struct strobe_error *ftrace_function_options_parse(const char *text, struct ftrace_settings *s) _must_check_;
/* "args,depth=3,…" */
struct strobe_error *ftrace_graph_options_parse(const char *text, struct ftrace_settings *s) _must_check_;
/* The tracer that the chosen functions need, or the one that is set. */
const char *ftrace_tracer_of(const struct ftrace_settings *s);

/*
 * Where to write what. On an error (the kernel lacks the tracer, or somebody else uses it) nothing was changed.
 */
struct strobe_error *ftrace_plan_make(struct ftrace_plan *p, const struct sys *sys, const struct ftrace_settings *s,
				      const struct target_map *target) _must_check_;
/* In any case. Puts all back; nothing of the instance may be open any more. */
void ftrace_plan_deinit(struct ftrace_plan *p);
/* The file of the instance, or that of the whole system; in the arena. */
const char *ftrace_plan_path(struct ftrace_plan *p, const char *name);
/* Writes all; the tracer is last, and is off. */
struct strobe_error *ftrace_plan_apply(struct ftrace_plan *p) _must_check_;
struct strobe_error *ftrace_file_write(const struct sys *sys, const char *path, const char *value, bool append) _must_check_;
