/*
 * Descriptions of the counters of /proc/schedstat, and of values derived from them.
 *
 * Source: Documentation/scheduler/sched-stats.rst; names as perf 7.2 prints them.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"

enum schedstat_kind {
	SCHEDSTAT_HEADING,     /* of the following fields; not a counter */
	SCHEDSTAT_COUNTER,
	SCHEDSTAT_SUCCESSES,   /* of balancing: attempts except those that found balance or failed */
	SCHEDSTAT_MEAN_PULLED, /* mean number of tasks moved by these */
};

struct schedstat_field {
	enum schedstat_kind kind;
	const char *name, *meaning;
	unsigned at;          /* index of the counter; for derived values, of the attempts, which two others follow */
	unsigned pulled_at;   /* SCHEDSTAT_MEAN_PULLED: index of the moved tasks */
	bool has_base;        /* it is a part of another counter, */
	unsigned base;        /* whose index this is */
	bool has_interval;    /* show the mean time between two */
};

typedef VEC(struct schedstat_field) schedstat_fields;

/* Of each CPU. */
extern const struct schedstat_field schedstat_cpu_fields[];
extern const unsigned schedstat_cpu_fields_nr;
/* Of a domain, in the order of the file; strings in arena. */
void schedstat_domain_fields(uint32_t version, struct arena *arena, schedstat_fields *ret);
/* The value of a field that is not a heading. */
double schedstat_value(const struct schedstat_field *f, const uint64_t *counters);
