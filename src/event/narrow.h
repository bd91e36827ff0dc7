/*
 * A list of events changed as a whole: reduced to one PMU or type of core, joined into one group, repeated for cgroups.
 *
 * Leaders of groups stay consistent. Where an error is returned, the list may have been changed.
 */
#pragma once
#include "event/event.h"

/* --cputype: of a hybrid machine, only the events of this type of core ("core", or a whole PMU name) remain. */
struct strobe_error *event_list_keep_core_type(struct event_list *list, const struct sys *sys, const char *type) _must_check_;
/* --pmu-filter: of the events that have a PMU, only those of this one remain. */
struct strobe_error *event_list_keep_pmu(struct event_list *list, const struct sys *sys, const char *pmu) _must_check_;
/* The first event leads all others but tools. */
void event_list_group_all(struct event_list *list);
/* --for-each-cgroup: all events once for each cgroup: names divided by commas, or a regular expression over their paths. */
struct strobe_error *event_list_for_each_cgroup(struct event_list *list, const struct sys *sys, const char *cgroups) _must_check_;
/* ERROR_USAGE if a term of an event is about samples, which a count does not have. */
struct strobe_error *event_list_check_counting(const struct event_list *list) _must_check_;
