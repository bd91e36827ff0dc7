/*
 * A tally: the readings of a counter set gathered by CPU, core, socket, thread or into one, run after run.
 *
 * Each cell belongs to an event and a place; each run (or interval) adds one observation to it: the sum over its slots,
 * each scaled up for the share of the time in which it was counted. Borrows the counter set. One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "counter/counter.h"
#include "statistics/stats.h"
#include "sys/cpus.h"
#include "table/counts.h"

#define TALLY_NO_PLACE UINT32_MAX

struct tally_cell {
	struct stats value, enabled, running; /* unscaled units: events, nanoseconds */
	bool used;                            /* the event has a slot in this place */
	VEC(double) values;                   /* of each run, if keep_values */
};

struct tally_options {
	enum counts_by by;
	unsigned cache_level;   /* with COUNTS_BY_CACHE; 0 = the last level */
	bool no_merge;          /* do not merge events of several PMUs with the same text */
	bool no_scale;
	bool keep_values;
	const struct sys_topology *topology; /* of a recording; NULL: of this machine */
	bool percore_threads;   /* --percore-show-thread: for percore events each CPU shows its core's sum */
};

struct tally {
	const struct counter_set *set;
	struct tally_options options;
	struct arena arena;
	VEC(struct counts_place) places;
	uint32_t *place_of_slot;   /* TALLY_NO_PLACE never occurs for open events */
	uint32_t *event_of_event;  /* the event that gets its counts: itself, or the first one that it is merged with */
	struct tally_cell *cells;  /* [event * places.len + place] */
	uint64_t runs;
};

enum tally_what { TALLY_ALL, TALLY_SINCE_BEFORE };

struct strobe_error *tally_init(struct tally *t, const struct counter_set *set, struct tally_options options) _must_check_;
void tally_deinit(struct tally *t);
/* Adds one observation to each cell, from the last readings, or from their difference to those before. */
void tally_add(struct tally *t, enum tally_what what);
void tally_clear(struct tally *t);

static inline struct tally_cell *tally_cell(const struct tally *t, uint32_t event, uint32_t place)
{
	return &t->cells[(size_t)event * t->places.len + place];
}
