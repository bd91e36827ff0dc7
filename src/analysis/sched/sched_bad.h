/*
 * Events of a recording that were lost or contradict others, and the lines about them that perf prints below tables.
 */
#pragma once
#include "analysis/sched/sched_source.h"
#include "base/out.h"

#define SCHED_CPUS_MAX 4096 /* events of CPUs from this number on are ignored */

struct sched_bad {
	uint64_t unordered, timestamps; /* wake-ups before the thread slept; checked wake-ups */
	uint64_t switch_bugs;           /* a thread left a CPU on which another one was running */
	uint32_t current[SCHED_CPUS_MAX];
	bool is_seen[SCHED_CPUS_MAX];
};

/* False: invalid CPU. */
bool sched_bad_switch(struct sched_bad *b, const struct sched_event *e);
void sched_bad_put(const struct sched_bad *b, const struct sched_source_counts *c, struct out *out);
