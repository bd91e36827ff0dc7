/*
 * Times of lines, in seconds with six decimals: most lines have the millisecond of the line before, whose text is kept.
 *
 *	sched_clock_put(&clock, out, time_ns, 15);    "     461.582744"
 *
 * A zeroed struct is valid; its width must not change. One thread.
 */
#pragma once
#include <stdint.h>

#include "base/digits.h"
#include "base/out.h"

struct sched_clock {
	uint64_t ms;
	size_t bytes; /* of the text, without microseconds; 0: none yet */
	char text[DIGITS_F64_BYTES];
};

void sched_clock_put(struct sched_clock *c, struct out *out, uint64_t time_ns, size_t width);
/* Milliseconds with three decimals, truncated; right-aligned, `width` bytes before the point. */
void sched_clock_put_span(struct out *out, uint64_t ns, size_t width);
