/*
 * The samples that one record stands for where its event reads counters (PERF_SAMPLE_READ with ids: `-e '{a,b}:S'`).
 *
 * Such a record is the leader's and carries the counts of all members of its group. As in perf, each member whose
 * count has moved since the record before has a sample of its own there, and its period is what the count moved by: records
 * must come in order of time. An inherited event counts in each thread on its own (Linux 6.12): what a count moved by is then
 * found per thread. Belongs to one thread. Source: perf_event_open(2), PERF_FORMAT_GROUP.
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
	struct u64map last;             /* number, and thread where the event is inherited → count at the last record */
	VEC(struct member_sample) now;  /* of the record at hand */
	uint64_t unknown;               /* counts with ids that no event has, so far */
};

/* Whether records of this event stand for such samples. */
static inline bool members_are_read(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_READ && a->read_format & PERF_FORMAT_ID;
}

/* Whether those of any event do. */
bool members_in(const struct env *env);
/* Fills m->now. */
void members_read(struct members *m, const struct env *env, const struct sample *s);
/* The thread has ended: its number may be given to another, whose counts begin at 0. */
void members_end_thread(struct members *m, uint32_t tid);
void members_deinit(struct members *m);
