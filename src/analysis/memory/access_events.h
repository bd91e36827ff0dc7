/*
 * The events of `mem record` and `c2c record`, which sample memory accesses with their addresses, as offered by the kernel for this
 * processor.
 *
 * Sources: sysfs of the PMUs, Documentation/ABI/testing/sysfs-bus-event_source-devices-events; perf-mem(1), perf-amd-ibs(1),
 * perf-arm-spe(1).
 */
#pragma once
#include "analysis/recorded_events.h"
#include "table/table.h"

#define ACCESS_LATENCY_DEFAULT 30 /* cycles, as perf: loads that hit the first cache take fewer */

struct access_choice {
	bool loads, stores;   /* accesses to sample; IBS samples both */
	uint64_t latency;     /* minimum latency of loads in cycles */
	bool latency_set;     /* set by the user: applies also on processors that otherwise sample all loads */
	const char *only;     /* one of the names below, or NULL */
};

/* Adds the events, in perf's order; ERROR_UNSUPPORTED if the machine has none. */
struct strobe_error *access_recorded_events(const struct sys *sys, const struct access_choice *choice, struct recorded_events *ret)
	_must_check_;
/* A row for each possible value of `only`: whether this machine has it, and its event. */
void access_events_table(const struct sys *sys, struct table *ret);
/* The sort keys of `mem report`, as in perf: stores have no weight. In arena; NULL: those of report --mem-mode. */
const char *access_sort_keys(struct arena *arena, const struct access_choice *choice, bool types, bool physical, bool page_size);
