/*
 * How long calls of functions take, as a histogram: buckets that double, or of equal width.
 *
 * The unit is a microsecond, or a nanosecond. A bucket holds the durations that its line names: from its first value on, below its last.
 * One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "statistics/stats.h"

struct table;

#define FTRACE_BUCKETS_MAX 4096
#define FTRACE_BUCKETS     22 /* as long as nobody says where the last one begins */

struct ftrace_histogram {
	bool in_ns;
	bool hide_empty;
	uint64_t range, min, max; /* of buckets of equal width; range 0: they double */
	uint32_t buckets_nr;
	uint64_t buckets[FTRACE_BUCKETS_MAX];
	struct stats stats; /* in the unit */
};

/* Checks the widths, and fills in what is left to us. ERROR_USAGE. */
struct strobe_error *ftrace_histogram_settle(struct ftrace_histogram *h) _must_check_;
void ftrace_histogram_add(struct ftrace_histogram *h, double us);
/* Text is perf's. */
void ftrace_histogram_table(struct table *t, const struct ftrace_histogram *h);
