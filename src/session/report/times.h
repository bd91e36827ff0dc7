/*
 * Samples of a recording over time, read anew from it.
 */
#pragma once
#include "session/report/report_session.h"

/* By equal steps of time. */
struct report_times {
	struct time_range span;
	uint64_t first_ns;  /* where step 0 begins: not after the span does */
	uint64_t step_ns;
	uint64_t *samples;  /* by step; the caller frees them */
	unsigned nr;
};

/* Those of the events of a part, in at most n steps, n > 1, of a span or (with {}) from the first sample to the last. */
struct strobe_error *report_count_times(const struct report_session *r, const struct report_part *part, struct time_range span, unsigned n,
					struct report_times *ret) _must_check_;
