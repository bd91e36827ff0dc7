/*
 * Lines of code of V8: where the lines of a script's source end, and the table of a function's bytecode that says where in the source
 * its instructions are. Positions count UTF-16 units. All is read of another process, and hostile; what is damaged has no lines.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "interp/layouts.h"

struct v8_line_ends {
	uint32_t *data; /* positions, ascending */
	size_t len, cap; /* as VEC() has them */
};

struct v8_memory {
	bool (*read)(void *ctx, uint64_t at, void *to, size_t n); /* all or nothing */
	void *ctx;
};

/*
 * Of the string that a script has as its source, of so many units; false (and none): it is another by now, or in a form that sources do
 * not have.
 */
bool v8_line_ends_of_string(const struct v8_memory *memory, const struct v8_layout *layout, uint64_t string, uint32_t units,
			    struct v8_line_ends *ret);
/* Of the file that a source was read from, in UTF-8. */
bool v8_line_ends_of_text(const void *text, size_t n, uint32_t units, struct v8_line_ends *ret);
/* From 1 on. */
uint32_t v8_line_of(const struct v8_line_ends *ends, uint32_t position);
/* Appends a function's table in the form PYTHON_LINES_LNOTAB. */
void v8_lines_convert(const void *positions, size_t n, const struct v8_line_ends *ends, uint32_t first_line, struct strbuf *to);
