/*
 * Metrics: named expressions over counts, built-in or user-defined, their events, and their values.
 *
 *	struct metric_set set;
 *	metric_set_init(&set);
 *	TRY(metric_set_add(&set, &events, sys, "ipc,branch,mine = page-faults / task-clock", options));
 *	... the events are counted ...
 *	metric_set_show(&set, &tally, &counts);
 *
 * A metric with missing events is kept in the set and names these. One thread at a time.
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
	const char *groups; /* separated by semicolons */
	const char *expr, *unit, *desc;
	const char *threshold; /* or NULL */
};

/* The built-in metrics; those with the same name are in order of preference. */
extern const struct metric metrics_builtin[];
extern const size_t metrics_builtin_nr;
bool metric_is_in_group(const struct metric *m, const char *group);

struct metric_use {
	struct metric metric;
	const char *label;                     /* shown with its value */
	struct metric_node *value, *threshold; /* threshold NULL: none */
	VEC(const char *) events;              /* that it requires, without repetition */
	const char *missing;                   /* those that this machine lacks, or NULL */
};

struct metric_options {
	bool no_group, no_merge, no_threshold;
	bool of_cpus; /* CPUs are counted, not tasks: perf's metrics then use cpu-clock, as in perf */
};

struct metric_set {
	struct arena arena;
	VEC(struct metric_use) uses;
	/* User-defined metrics: tried before built-in ones. Strings are owned by the caller. */
	VEC(struct metric) own;
};

void metric_set_init(struct metric_set *s);
void metric_set_deinit(struct metric_set *s);
/* Adds a user-defined metric. */
void metric_set_define(struct metric_set *s, const char *name, const char *expr);
/*
 * Adds the metrics of a list: names, groups, "all", or NAME = EXPRESSION. Their events are appended to the list, each
 * metric's hardware events as a weak group. An unknown name suggests the nearest.
 */
struct strobe_error *metric_set_add(struct metric_set *s, struct event_list *events, const struct sys *sys, const char *text,
				    struct metric_options options) _must_check_;
/* Adds each metric's value as a figure to a row of its events, in each place; or a separate row if there is none. */
void metric_set_show(struct metric_set *s, const struct tally *t, struct counts *c);
