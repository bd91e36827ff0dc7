/*
 * `sched map`: which thread each CPU runs, a line for each switch. Threads have names of two characters; '.' is the idle thread.
 *
 * Lines are written as records come: memory is that of the threads. One thread. What the request points to outlives the call. Source of
 * the text: what perf 7.2 prints.
 */
#pragma once
#include "analysis/sched/sched_rows.h"
#include "analysis/sched/sched_source.h"

struct sched_map_request {
	struct sched_source_request source;
	enum table_format format;
	bool compact;             /* columns of the CPUs that have had events alone */
	bool colour;
	bool verbose;             /* the thread's name in each line */
	const char *colour_pids, *colour_cpus; /* lists, or NULL */
	const char *cpus;         /* switches on these alone */
	const char *tasks;        /* of threads with these names alone; comma-separated */
	bool is_fuzzy;            /* a part of the name suffices */
};

/* ERROR_USAGE of lists that do not parse. */
struct strobe_error *sched_map_run(const struct sched_map_request *q, struct out *out) _must_check_;
