/* Statistics of system calls as the reference lays them out: a block for each thread (or cgroup, or one for all). */
#pragma once
#include "base/out.h"
#include "table/syscall_stats.h"

struct syscall_stats_style {
	bool errnos;     /* a line for each errno below its call */
	bool histograms; /* of durations, below their call */
	size_t max_rows; /* of each block; 0: all */
};

void syscall_stats_text(struct out *out, const struct syscall_stats *s, struct syscall_stats_style style);
