/* Converts statistics of system calls to tables; strings and counts are copied. */
#pragma once
#include "table/syscall_stats.h"
#include "table/table.h"

struct syscall_stats_style {
	bool errnos;     /* a line per errno below its call */
	bool histograms; /* of durations, below their call */
	size_t max_rows; /* of each block; 0: all */
};

/* For text, in perf's layout: a block per thread (or cgroup, or one for all). Initializes *t. */
void syscall_stats_fill_block(struct table *t, const struct syscall_stats *s, const struct syscall_thread *thread,
			      struct syscall_stats_style style);
/* For data, format strobe-trace-summary: rows of threads, each with rows of its calls; times in nanoseconds. Initializes *t. */
void syscall_stats_fill_tree(struct table *t, const struct syscall_stats *s);
