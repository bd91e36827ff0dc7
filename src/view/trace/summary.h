/* Statistics of system calls as text or as JSON. Borrows all it is given. */
#pragma once
#include "base/out.h"
#include "table/syscall_stats_table.h"
#include "view/trace/writer.h"

/* Sums of functions, likewise. */
void trace_functions_write(struct out *out, const struct table *t, const struct trace_format *format, bool alone);
/* Blocks of text, or JSON: a document (alone: no lines precede it), else one more line. */
void trace_summary_write(struct out *out, const struct syscall_stats *stats, struct syscall_stats_style style,
			 const struct trace_format *format, bool alone);
