/*
 * A span of time, and sample counts in equal steps of a span, for timelines. Nanoseconds of the samples' clock.
 */
#pragma once
#include <stdint.h>

struct time_range {
	uint64_t from_ns, to_ns; /* to is included; {}: no span, if permitted */
};

struct time_counts {
	struct time_range span;
	uint64_t first_ns;  /* start of step 0, at or before that of the span */
	uint64_t step_ns;
	uint64_t *samples;  /* by step; the caller frees them */
	unsigned nr;
};
