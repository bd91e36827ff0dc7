/* Statistics of system calls as JSON; times are nanoseconds. */
#pragma once
#include "base/out.h"
#include "table/syscall_stats.h"

/* A document, format strobe-trace-summary. */
void syscall_stats_json(struct out *out, const struct syscall_stats *s);
/* The last line of a stream of lines (strobe-trace): an object whose one member, summary, has the members of the document. */
void syscall_stats_json_line(struct out *out, const struct syscall_stats *s);
