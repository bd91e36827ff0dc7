/*
 * The events that sample memory accesses with their addresses, as `mem record` and `c2c record` record them: those of the processor
 * that the kernel offers.
 *
 * Sources: sysfs of the PMUs, Documentation/ABI/testing/sysfs-bus-event_source-devices-events; perf-mem(1), perf-amd-ibs(1),
 * perf-arm-spe(1).
 */
#pragma once
#include "analysis/recorded_events.h"
#include "table/table.h"

#define ACCESS_LATENCY_DEFAULT 30 /* cycles, as perf: loads that hit the first cache take fewer */

struct access_choice {
	bool loads, stores;   /* which accesses; IBS samples both */
	uint64_t latency;     /* of loads, in cycles: only those that took at least this long */
	bool latency_set;     /* by the user: also of processors that otherwise sample all */
	const char *only;     /* one of the names below, or NULL */
};

/* The events are added in the order that perf has; ERROR_UNSUPPORTED where the machine has none. */
struct strobe_error *access_recorded_events(const struct sys *sys, const struct access_choice *choice, struct recorded_events *ret)
	_must_check_;
/* A row for each name that `only` may have: whether this machine has it, and the event that it is. */
void access_events_table(const struct sys *sys, struct table *ret);
/* The keys of `mem report`, as perf has them: of stores no weight is known. In arena; NULL: those of report --mem-mode. */
const char *access_sort_keys(struct arena *arena, const struct access_choice *choice, bool physical, bool page_size);
