/*
 * `sched latency` of the running system: the states of a command's tasks, of tasks, or of all, aggregated in the kernel.
 *
 * One thread. What the request points to outlives the call.
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
	/* The sums of an interval, or of the whole; ends the run by an error. */
	struct strobe_error *(*give)(void *ctx, const struct sched_sums *sums);
	void *ctx;
};

/* Until the command or the tasks have ended, or a signal came. */
struct strobe_error *sched_live_run(const struct sched_live_request *q) _must_check_;
