/*
 * `sched timehist`: a line whenever a thread leaves its CPU, with the time that it waited before, the part of that for a CPU, and the time
 * that it ran; then sums.
 *
 * Lines are written while records are read, without a table (table/table.h): memory only depends on the number of threads. JSON and
 * CSV are rows of sched_rows.h. One thread. Everything that the request points to must outlive the call. Source of
 * the text and the rules: the output of perf 7.2.
 */
#pragma once
#include "analysis/sched/sched_rows.h"
#include "analysis/sched/sched_source.h"

struct timehist_request {
	struct sched_source_request source; /* with_chains: show call chains if the recording has them */
	enum table_format format;
	bool wakeups, next, migrations, visual, idle, state, prio, pre_migrations;
	bool summary, summary_only;
	uint64_t max_stack;
	const char *times;      /* FROM,TO in seconds; either may be missing */
	const char *pids, *tids, *cpus, *prios; /* lists, or NULL */
};

/* ERROR_USAGE for invalid lists and times. */
struct strobe_error *timehist_run(const struct timehist_request *q, struct out *out) _must_check_;
