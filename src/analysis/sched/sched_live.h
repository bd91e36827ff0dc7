/*
 * `sched latency` of the running system: the states of a command's tasks, of tasks, or of all tasks, aggregated in the kernel.
 *
 * One thread. Everything that the request points to must outlive the call.
 */
#pragma once
#include "analysis/sched/sched_sums.h"
#include "capture/target.h"
#include "session/host.h"

struct sched_live_request {
	const struct session_host *host;
	const struct sys *sys;
	struct target target;
	char *const *command; /* NULL: none */
	const char *sort;
	bool by_thread;
	uint32_t entries;     /* tasks at a time */
	uint64_t interval_ms; /* 0: once, at the end */
	/* Called with the sums of an interval, or the totals; an error ends the run. */
	struct strobe_error *(*give)(void *ctx, const struct sched_sums *sums);
	void *ctx;
};

/* Runs until the command or the tasks have ended, or a signal arrives. */
struct strobe_error *sched_live_run(const struct sched_live_request *q) _must_check_;
