/* Parts of lines that are text in every format. Private to view/trace. */
#pragma once
#include "view/trace/writer.h"

/* The arguments of an event as text shows them: "fd: 3, addrlen: 16". */
void trace_point_args(struct out *out, const struct trace_writer *p, const struct trace_line *line);
/* The number of elements of an array of numbers; 0: not an array. */
uint32_t trace_array_length(const struct tracepoint_field *f);
uint64_t trace_array_number(const struct trace_line *line, const struct tracepoint_field *f, uint32_t i);
/* "[f+0x12]", "/lib/x.so@0x40", "0x7f…". */
void trace_place_text(struct out *out, const struct trace_place *place, bool with_file);
