/*
 * Parses lines of the kernel's function_graph tracer that contain the duration of a call: "0) ! 271.254 us  |  } ", with the function in a
 * comment that follows, or " 1)   4.889 us    |    do_filp_open();".
 *
 * Source: Documentation/trace/ftrace.rst.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct ftrace_duration {
	double us;
	const char *function; /* in the line; with its module, "xfs_read [xfs]" */
	size_t function_bytes; /* 0: the line only closes a call ("}") */
};

/* False if no call ends in this line. n bytes without the newline. */
bool ftrace_duration_parse(const char *line, size_t n, struct ftrace_duration *ret);
/* "CPU:1 [LOST 123 EVENTS]": the number, else 0. */
unsigned long ftrace_lost_events(const char *line, size_t n);
