/*
 * Measures two commands in turn and compares their counts: `stat --vs`.
 *
 *	TRY(versus_prepare(&v, host, sys, events, &settings));
 *	TRY(versus_run(&v, &signals, workload));
 *	if (versus_has_pairs(&v))
 *		versus_table(&v, &table);
 *	versus_close(&v);			// in any case
 *
 * In each pair of runs the first command is chosen at random, so that a machine that becomes slower does not favour one. The first
 * pair warms caches and is not counted. Events and commands are borrowed until versus_close(). One thread at a time.
 */
#pragma once
#include "statistics/compare.h"
#include "counter/tally.h"
#include "counting/counting.h"
#include "table/table.h"

struct versus_settings {
	char *const *argv[2];  /* the commands, A and B, each ended by NULL */
	int argc[2];
	struct target target;  /* CPUs, or none: each command itself */
	struct counter_options counters; /* except their start */
	bool no_scale;
	bool quiet;            /* see counting_settings */
	uint64_t pairs;        /* of runs; 0 or 1: as many as the spread of the first ones requires, for at most a minute */
};

struct versus_side {
	const char *name;
	struct counting counting;
	struct tally tally;
	bool is_prepared;
	VEC(double) elapsed;   /* seconds, of each run */
	unsigned failed;
	int failed_status;     /* of wait(2), of the last failed run */
};

struct versus {
	const struct sys *sys;
	uint64_t pairs;
	struct versus_side sides[2];
	uint64_t random;
};

/* The list of events must be complete. */
struct strobe_error *versus_prepare(struct versus *v, const struct session_host *host, const struct sys *sys,
				    const struct event_list *events, const struct versus_settings *settings) _must_check_;
/* Runs until there are enough pairs, or a signal arrives. */
struct strobe_error *versus_run(struct versus *v, const struct signals *signals, struct workload_options workload) _must_check_;
void versus_close(struct versus *v);

static inline bool versus_has_pairs(const struct versus *v)
{
	return v->sides[0].elapsed.len && v->sides[1].elapsed.len;
}

static inline bool versus_has_failures(const struct versus *v)
{
	return v->sides[0].failed || v->sides[1].failed;
}

/* The values of an event in the runs of a side; and whether both sides counted it, under a name that is not merged with another. */
struct compare_series versus_values(const struct versus_side *side, uint32_t event);
bool versus_is_counted(const struct versus *v, uint32_t event);
/* Initialises and fills the table: a row for each event, and one for the time. Owned by the caller. */
void versus_table(const struct versus *v, struct table *ret);
