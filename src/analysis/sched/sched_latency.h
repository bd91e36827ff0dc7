/*
 * `sched latency` of a recording: perf's sums by perf's rules and, on request, the states of each thread.
 *
 *	err = sched_latency_run(&request, &l);    *ret in any case; on an error it holds the complete part
 *	sched_latency_destroy(l);
 *
 * perf counts a wait for a CPU from the wake-up, or from being preempted; a thread's first run without either counts as a wait of length
 * 0. The runtime is that of sched_stat_runtime or, if the recording does not have it, of sched_switch.
 *
 * One thread. Everything that the request points to must outlive it.
 */
#pragma once
#include "analysis/sched/sched_source.h"
#include "analysis/sched/sched_sums.h"

struct sched_latency_request {
	struct sched_source_request source;
	const char *sort;
	bool by_thread;
	bool one_cpu;     /* the recording has one CPU: a runnable thread may come from another one */
	bool with_states;
};

struct sched_latency;

struct strobe_error *sched_latency_run(const struct sched_latency_request *q, struct sched_latency **ret) _must_check_;
void sched_latency_destroy(struct sched_latency *l);
/* Sorted. */
const struct sched_sums *sched_latency_sums(const struct sched_latency *l);
/* perf's remarks below its table: lost and contradicting events. */
void sched_latency_notes(const struct sched_latency *l, struct out *out);
void sched_latency_remarks(const struct sched_latency *l);
