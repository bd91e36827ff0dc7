/*
 * A span of time, and the samples in equal steps of one: for strips over time. Nanoseconds of the clock of the samples.
 */
#pragma once
#include <stdint.h>

struct time_range {
	uint64_t from_ns, to_ns; /* to is included; {}: no span, where that may be */
};

struct time_counts {
	struct time_range span;
	uint64_t first_ns;  /* where step 0 begins: not after the span does */
	uint64_t step_ns;
	uint64_t *samples;  /* by step; the caller frees them */
	unsigned nr;
};
