/*
 * The events of `sched record`, `lock record` and similar commands: those of their list that the running kernel has.
 *
 *	struct recorded_events e = { .arena = arena };
 *	sched_recorded_events(sys, &e);
 *	... e.list ...    "system:name", as -e takes them; the texts are the arena's, the list is the caller's to deinit
 *
 * If a kernel has none of them, the first one is returned, so that record reports why it cannot be opened.
 */
#pragma once
#include "base/arena.h"
#include "base/vector.h"
#include "sys/sys.h"

struct recorded_events {
	struct arena *arena;
	VEC(const char *) list;
};

/* terms: "/max-stack=8/", or "". */
void recorded_events_add(struct recorded_events *e, const char *system, const char *name, const char *terms);
/* The same if the kernel has the event. */
void recorded_events_add_known(struct recorded_events *e, const struct sys *sys, const char *system, const char *name);

/* Switches, wakeups, forks and migrations, and the events of kernels with CONFIG_SCHEDSTATS. */
void sched_recorded_events(const struct sys *sys, struct recorded_events *ret);

/*
 * Of a kernel with CONFIG_LOCKDEP and CONFIG_LOCK_STAT each step of each lock, else the waits, which need the call chains that
 * *ret_chains requests.
 */
struct strobe_error *lock_recorded_events(const struct sys *sys, struct recorded_events *ret, bool *ret_chains) _must_check_;

/* At most one of them. */
struct timechart_events {
	bool power_only, tasks_only, io_only;
};

/* ERROR_USAGE for contradicting options; ERROR_UNSUPPORTED if the kernel has no system call events. */
struct strobe_error *timechart_recorded_events(const struct sys *sys, const struct timechart_events *choice,
					       struct recorded_events *ret) _must_check_;
