/*
 * `sched map`: a line per switch with the thread running on each CPU. Threads have names of two characters; '.' is the idle thread.
 *
 * Lines are written while records are read, without a table (table/table.h): memory only depends on the number of threads. JSON and
 * CSV are rows of sched_rows.h. One thread. Everything that the request points to must outlive the call. Source of
 * the text: the output of perf 7.2.
 */
#pragma once
#include "analysis/sched/sched_rows.h"
#include "analysis/sched/sched_source.h"

struct sched_map_request {
	struct sched_source_request source;
	enum table_format format;
	bool compact;             /* columns only for CPUs with events so far */
	bool colour;
	bool verbose;             /* the thread's name in each line */
	const char *colour_pids, *colour_cpus; /* lists, or NULL */
	const char *cpus;         /* only switches on these */
	const char *tasks;        /* only of threads with these names; comma-separated */
	bool is_fuzzy;            /* a part of the name suffices */
};

/* ERROR_USAGE for invalid lists. */
struct strobe_error *sched_map_run(const struct sched_map_request *q, struct out *out) _must_check_;
