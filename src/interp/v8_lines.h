/*
 * Lines of V8 code: the ends of lines in a script's source, and the table of source positions of a function's bytecode. Positions
 * count UTF-16 units. Data comes from another process and is hostile; damaged data yields no lines.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "interp/layouts.h"
#include "interp/memory.h"

struct v8_line_ends {
	uint32_t *data; /* positions, ascending */
	size_t len, cap; /* as VEC() has them */
};

/* For a script's source string, with that many units; false (and none): it was replaced, or has a form that sources do not have. */
bool v8_line_ends_of_string(const struct interp_memory *memory, const struct v8_layout *layout, uint64_t string, uint32_t units,
			    struct v8_line_ends *ret);
/* For the file that a source was read from, in UTF-8. */
bool v8_line_ends_of_text(const void *text, size_t n, uint32_t units, struct v8_line_ends *ret);
/* Counts from 1. */
uint32_t v8_line_of(const struct v8_line_ends *ends, uint32_t position);
/* Appends a function's table in the form PYTHON_LINES_LNOTAB. */
void v8_lines_convert(const void *positions, size_t n, const struct v8_line_ends *ends, uint32_t first_line, struct strbuf *to);
