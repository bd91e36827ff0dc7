/*
 * The events that `stat` counts: named events, defaults, and those that metrics require; reduced, grouped and repeated as chosen.
 */
#pragma once
#include "counter/metrics.h"
#include "event/event.h"

/* Strings are owned by the caller; NULL: the option was not given. */
struct event_choice {
	unsigned detail;             /* 0 to 3, as in -d, -dd, -ddd */
	bool none;                   /* no events: only time is measured */
	bool topdown, transaction, smi_cost, iostat;
	uint64_t topdown_level;      /* 0: as many levels as the machine has */
	const char *metrics;         /* the argument of metric_set_add() */
	struct metric_options metric; /* its of_cpus chooses among the defaults, too */
	bool hybrid_merge, one_group;
	const char *core_type, *pmu; /* see event/narrow.h */
	const char *for_each_cgroup;
};

/* Whether metrics are chosen: then the user's definitions must be added to the set before events_choose(). */
bool event_choice_has_metrics(const struct event_choice *c);
/* Completes the list of named events, and adds metrics to the set. Errors name the option. */
struct strobe_error *events_choose(struct event_list *events, const struct sys *sys, const struct event_choice *c,
				   struct metric_set *metrics) _must_check_;
