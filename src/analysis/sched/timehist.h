/*
 * `sched timehist`: a line for each time that a thread leaves its CPU, with how long it waited before, how long of that for a CPU, and how
 * long it ran; then sums.
 *
 * Lines are written as records come: memory is that of the threads. One thread. What the request points to outlives the call. Source of
 * the text and of what is counted: what perf 7.2 prints.
 */
#pragma once
#include "analysis/sched/sched_rows.h"
#include "analysis/sched/sched_source.h"

struct timehist_request {
	struct sched_source_request source; /* with_chains: shown where the recording has them */
	enum table_format format;
	bool wakeups, next, migrations, visual, idle, state, prio, pre_migrations;
	bool summary, summary_only;
	uint64_t max_stack;
	const char *times;      /* FROM,TO in seconds; either may be missing */
	const char *pids, *tids, *cpus, *prios; /* lists, or NULL */
};

/* ERROR_USAGE of lists and times that do not parse. */
struct strobe_error *timehist_run(const struct timehist_request *q, struct out *out) _must_check_;
