/*
 * The number of recorded threads that run at once, from context-switch records (record --latency, --switch-events).
 *
 * Records must come in order of time. A thread runs from the record that switches it in, from its exec, or, if its state is
 * unknown, from its first sample, up to the record that switches it out, or its end. Idle tasks (thread 0) do not
 * count. A zeroed one is empty. Belongs to one thread. Source: perf_event_open(2), PERF_RECORD_SWITCH.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "record/env.h"

struct parallelism {
	struct u64map threads; /* tid → 1: it runs, 0: it does not */
	uint32_t running;
};

/* Handles a record that is not a sample. */
void parallelism_note(struct parallelism *p, const struct env *env, struct record r);
/* The number of running threads when the thread has a sample: at least 1, at most the number of CPUs. */
uint32_t parallelism_at(struct parallelism *p, const struct env *env, uint32_t tid);
void parallelism_deinit(struct parallelism *p);
