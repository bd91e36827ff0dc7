/*
 * A histogram of call durations: buckets that double, or of equal width.
 *
 * The unit is a microsecond, or a nanosecond. A bucket contains the durations shown in its line: from its first value up to, but not
 * including, its last. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "statistics/stats.h"

struct table;

#define FTRACE_BUCKETS_MAX 4096
#define FTRACE_BUCKETS     22 /* default number */

struct ftrace_histogram {
	bool in_ns;
	bool hide_empty;
	uint64_t range, min, max; /* for buckets of equal width; range 0: they double */
	uint32_t buckets_nr;
	uint64_t buckets[FTRACE_BUCKETS_MAX];
	struct stats stats; /* in the unit */
};

/* Checks the widths, and fills in defaults. ERROR_USAGE. */
struct strobe_error *ftrace_histogram_settle(struct ftrace_histogram *h) _must_check_;
void ftrace_histogram_add(struct ftrace_histogram *h, double us);
/* Text is in perf's format. */
void ftrace_histogram_table(struct table *t, const struct ftrace_histogram *h);
