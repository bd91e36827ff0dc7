/*
 * Formats of tracepoints in a recording, for tests of readers of tracepoint samples: version 0.6 of the section
 * HEADER_TRACING_DATA of perf.data-file-format.txt (trace-cmd.dat(5)), of a 64-bit machine.
 */
#pragma once
#include "record/bytes_builder.h"

static inline void bytes_sized(struct bytes_builder *b, const char *text)
{
	bytes_u64(b, strlen(text));
	bytes_raw(b, text, strlen(text));
}

/* One system of tracepoints; formats: n, as in tracefs. The section has nothing else. */
static inline void bytes_formats(struct bytes_builder *b, const char *system, const char *const *formats, uint32_t n)
{
	bytes_raw(b, "\x17\x08\x44tracing0.6", 14);
	bytes_raw(b, bytes_are_big(b) ? "\1\x08" : "\0\x08", 2); /* byte order, bytes of a long */
	bytes_u32(b, 4096);
	bytes_raw(b, "header_page", 12);
	bytes_sized(b, "");
	bytes_raw(b, "header_event", 13);
	bytes_sized(b, "");
	bytes_u32(b, 0); /* formats of ftrace */
	bytes_u32(b, 1); /* systems */
	bytes_raw(b, system, strlen(system) + 1);
	bytes_u32(b, n);
	for (uint32_t i = 0; i < n; i++)
		bytes_sized(b, formats[i]);
	bytes_u32(b, 0); /* kallsyms */
	bytes_u32(b, 0); /* printk */
	bytes_sized(b, ""); /* command lines */
}
