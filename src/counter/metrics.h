/*
 * Metrics: named expressions over counts, built in or the user's own, the events they need, and their values.
 *
 *	struct metric_set set;
 *	metric_set_init(&set);
 *	TRY(metric_set_add(&set, &events, sys, "ipc,branch,mine = page-faults / task-clock", options));
 *	... the events are counted ...
 *	metric_set_show(&set, &tally, &counts);
 *
 * A metric some of whose events this machine lacks stays in the set and says which. One thread at a time.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "counter/metric_expr.h"
#include "counter/tally.h"
#include "event/event.h"
#include "table/counts.h"

struct metric {
	const char *name;
	const char *groups; /* divided by semicolons */
	const char *expr, *unit, *desc;
	const char *threshold; /* or NULL */
};

/* The metrics that are built in; those of one name follow each other by preference. */
extern const struct metric metrics_builtin[];
extern const size_t metrics_builtin_nr;
bool metric_is_in_group(const struct metric *m, const char *group);

struct metric_use {
	struct metric metric;
	const char *label;                     /* with which its value is shown */
	struct metric_node *value, *threshold; /* threshold NULL: none */
	VEC(const char *) events;              /* that it needs, each once */
	const char *missing;                   /* what this machine lacks of them, or NULL */
};

struct metric_options {
	bool no_group, no_merge, no_threshold;
	bool of_cpus; /* CPUs are counted, not tasks: perf's own metrics then take cpu-clock, as perf does */
};

struct metric_set {
	struct arena arena;
	VEC(struct metric_use) uses;
	/* Definitions of the user's own: tried before those built in. Strings are the caller's. */
	VEC(struct metric) own;
};

void metric_set_init(struct metric_set *s);
void metric_set_deinit(struct metric_set *s);
/* A definition of the user's own. */
void metric_set_define(struct metric_set *s, const char *name, const char *expr);
/*
 * Adds the metrics of a list: names, groups, "all", or NAME = EXPRESSION. What they count is appended to the events, each
 * metric's hardware events as a weak group. An unknown name suggests the nearest.
 */
struct strobe_error *metric_set_add(struct metric_set *s, struct event_list *events, const struct sys *sys, const char *text,
				    struct metric_options options) _must_check_;
/* Adds each metric's value to the rows of what it counts, in each place, as a figure; rows of its own where it has none. */
void metric_set_show(struct metric_set *s, const struct tally *t, struct counts *c);
