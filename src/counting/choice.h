/*
 * The events that `stat` counts: those that were named, the defaults, what metrics need; reduced, grouped and repeated as chosen.
 */
#pragma once
#include "counter/metrics.h"
#include "event/event.h"

/* Strings are the caller's; NULL where the option was not given. */
struct event_choice {
	unsigned detail;             /* 0 to 3, as in -d, -dd, -ddd */
	bool none;                   /* nothing is counted: only time is measured */
	bool topdown, transaction, smi_cost, iostat;
	uint64_t topdown_level;      /* 0: as many levels as the machine has */
	const char *metrics;         /* as metric_set_add() takes them */
	struct metric_options metric; /* its of_cpus chooses among the defaults, too */
	bool hybrid_merge, one_group;
	const char *core_type, *pmu; /* see event/narrow.h */
	const char *for_each_cgroup;
};

/* Whether metrics are chosen: the user's own definitions belong into the set before events_choose(). */
bool event_choice_has_metrics(const struct event_choice *c);
/* Completes the list of the events that were named; metrics are added to the set. Errors name the option. */
struct strobe_error *events_choose(struct event_list *events, const struct sys *sys, const struct event_choice *c,
				   struct metric_set *metrics) _must_check_;
