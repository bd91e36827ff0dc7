/*
 * All event names of this machine, for `strobe list` and for suggestions.
 *
 * Symbolic names come from tables, the others from sysfs and tracefs, which are read on each call.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sys/sys.h"

enum event_group {
	EVENT_GROUP_HARDWARE = 1 << 0,
	EVENT_GROUP_SOFTWARE = 1 << 1,
	EVENT_GROUP_TOOL = 1 << 2,
	EVENT_GROUP_CACHE = 1 << 3,
	EVENT_GROUP_PMU = 1 << 4,
	EVENT_GROUP_TRACEPOINT = 1 << 5,
	EVENT_GROUP_ALL = (1 << 6) - 1,
};

struct event_name {
	enum event_group group;
	const char *name;         /* an argument of -e: "cpu-cycles", "msr/tsc/", "sched:sched_switch" */
	const char *alias;        /* another name of the same, or NULL */
	const char *pmu;          /* of PMU events, else NULL */
	const char *terms;        /* of PMU events: "event=0x3c,umask=0x01" */
	const char *unit, *scale; /* of PMU events, or NULL */
	uint32_t type;            /* of hardware, software and cache events */
	uint64_t config;
};

/*
 * Calls fn for each name in the groups, in the order of the groups, by name within PMU events and tracepoints. The strings are valid
 * during the call. fn returns false to stop. An error names the group that is not permitted to be read; readable groups have been
 * passed to fn.
 */
struct strobe_error *event_names_each(const struct sys *sys, unsigned groups,
				      bool (*fn)(void *ctx, const struct event_name *name), void *ctx) _must_check_;
