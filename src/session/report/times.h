/*
 * Samples of a recording over time, by reading it again.
 */
#pragma once
#include "profile/time_counts.h"
#include "session/report/report_session.h"

/* Samples of the events of a part, in at most n steps, n > 1, of a span or (with {}) from the first sample to the last. */
struct strobe_error *report_count_times(const struct report_session *r, const struct report_part *part, struct time_range span, unsigned n,
					struct time_counts *ret) _must_check_;
