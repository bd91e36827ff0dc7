/*
 * How many of the recorded threads run at once, by the records of context switches (record --latency, --switch-events).
 *
 * Records must come in order of time. A thread runs from the record that switches it in, from its exec, or, where nothing is
 * known of it yet, from its first sample; up to the record that switches it out, or its end. Idle tasks (thread 0) do not
 * count. A zeroed one is empty. Belongs to one thread. Source: perf_event_open(2), PERF_RECORD_SWITCH.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "record/env.h"

struct parallelism {
	struct u64map threads; /* tid → 1 where it runs, 0 where it does not */
	uint32_t running;
};

/* Of a record that is not a sample. */
void parallelism_note(struct parallelism *p, const struct env *env, struct record r);
/* How many run while the thread takes a sample: 1 at least, and no more than there are CPUs. */
uint32_t parallelism_at(struct parallelism *p, const struct env *env, uint32_t tid);
void parallelism_deinit(struct parallelism *p);
