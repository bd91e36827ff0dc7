/*
 * Operations on a list of events: reduction to one PMU or type of core, grouping, repetition for cgroups.
 *
 * Leaders of groups stay consistent. After an error the list may have been changed.
 */
#pragma once
#include "event/event.h"

/* --cputype: keeps only the events of this type of core of a hybrid machine ("core", or a whole PMU name). */
struct strobe_error *event_list_keep_core_type(struct event_list *list, const struct sys *sys, const char *type) _must_check_;
/* --pmu-filter: of the events of PMUs, keeps only those of this one. */
struct strobe_error *event_list_keep_pmu(struct event_list *list, const struct sys *sys, const char *pmu) _must_check_;
/* Makes the first event the leader of all others, except tool events. */
void event_list_group_all(struct event_list *list);
/* --for-each-cgroup: repeats all events for each cgroup: names separated by commas, or a regular expression over their paths. */
struct strobe_error *event_list_for_each_cgroup(struct event_list *list, const struct sys *sys, const char *cgroups) _must_check_;
/* ERROR_USAGE if an event has a term that requires sampling. */
struct strobe_error *event_list_check_counting(const struct event_list *list) _must_check_;
