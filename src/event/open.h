/*
 * The default event to record, and explanations of errors of perf_event_open(2).
 */
#pragma once
#include "event/event.h"

enum event_default_step {
	EVENT_DEFAULT_CYCLES_PPP,
	EVENT_DEFAULT_CYCLES_PP,
	EVENT_DEFAULT_CYCLES_P,
	EVENT_DEFAULT_CYCLES,
	EVENT_DEFAULT_CPU_CLOCK,
};

struct event_default {
	enum event_default_step step;
	bool user_only; /* kernel samples were not permitted: exclude_kernel is set */
	int errnum;     /* the error of the preceding candidate; 0: it was the first */
};

/*
 * Appends the first of cycles:ppp, cycles:pp, cycles:p, cycles, cpu-clock that can be opened for sampling on (pid, cpu), 0 and -1
 * being this thread on any CPU. If kernel samples are not permitted each is tried without them. Fails if even cpu-clock cannot be
 * opened.
 */
struct strobe_error *event_default(struct event_list *list, const struct sys *sys, pid_t pid, int cpu,
				   struct event_default *ret) _must_check_;

/*
 * One sentence on why perf_event_open() failed with errnum for the event: names the sysctl, capability, limit or missing hardware,
 * and the remedy. pid and cpu are those of the call.
 */
struct strobe_error *event_open_error(const struct event *e, int errnum, const struct sys *sys, pid_t pid, int cpu)
	__attribute__((returns_nonnull)) _must_check_;
/* The status of a command that cannot open its events, as with perf: the status of a failing workload is lower. */
#define EVENT_OPEN_STATUS 255
