/* Statistics of system calls as one JSON document, format strobe-trace-summary; times are nanoseconds. */
#pragma once
#include "base/out.h"
#include "table/syscall_stats.h"

void syscall_stats_json(struct out *out, const struct syscall_stats *s);
