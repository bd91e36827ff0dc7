/*
 * Opening events where it is not plain: which event is recorded when none is named, and why one could not be opened.
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
	bool user_only; /* kernel samples were not allowed: exclude_kernel is set */
	int errnum;     /* why the step before was not taken; 0 at the first */
};

/*
 * Appends the first of cycles:ppp, cycles:pp, cycles:p, cycles, cpu-clock that can be opened for sampling on (pid,
 * cpu), 0 and -1 being this thread anywhere. Where the kernel part is forbidden each is tried without it. Fails where
 * not even cpu-clock can be opened.
 */
struct strobe_error *event_default(struct event_list *list, const struct sys *sys, pid_t pid, int cpu,
				   struct event_default *ret) _must_check_;

/*
 * One sentence on why perf_event_open() failed with errnum for the event: names the sysctl, capability, limit or
 * hardware that is in the way, and what to do. pid and cpu are those of the call.
 */
struct strobe_error *event_open_error(const struct event *e, int errnum, const struct sys *sys, pid_t pid, int cpu)
	__attribute__((returns_nonnull)) _must_check_;
/* The status of a command that cannot open its events, as with perf: a workload that fails ends with less. */
#define EVENT_OPEN_STATUS 255
