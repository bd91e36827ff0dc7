/*
 * The samples in one record of an event that reads counters (PERF_SAMPLE_READ with IDs: `-e '{a,b}:S'`).
 *
 * Such a record belongs to the leader and has the counts of all members of its group. As in perf, each member whose count has changed
 * since the record before has a sample there, whose period is the difference: records must come in order of time. An inherited event
 * counts separately in each thread (Linux 6.12): differences are then computed per thread. Belongs to one thread. Source:
 * perf_event_open(2), PERF_FORMAT_GROUP.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"
#include "record/env.h"

struct member_sample {
	uint32_t event; /* index in env->events */
	uint64_t id, period;
};

/* A zeroed one is empty. */
struct members {
	struct u64map numbers;          /* id → its number, from 1 on */
	struct u64map last;             /* number (and thread, if inherited) → count at the last record */
	VEC(struct member_sample) now;  /* of the record at hand */
	uint64_t unknown;               /* number of counts with unknown IDs so far */
};

/* Whether records of this event have such samples. */
static inline bool members_are_read(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_READ && a->read_format & PERF_FORMAT_ID;
}

/* Whether those of any event do. */
bool members_in(const struct env *env);
/* Fills m->now. */
void members_read(struct members *m, const struct env *env, const struct sample *s);
/* The thread has ended: its ID may be reused by another, whose counts begin at 0. */
void members_end_thread(struct members *m, uint32_t tid);
void members_deinit(struct members *m);
