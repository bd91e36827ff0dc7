/* Writes lines of code in the form PYTHON_LINES_LNOTAB: pairs of bytes, increments of the bytecode offset and of the line. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct lnotab_writer {
	struct strbuf *to;
	size_t before; /* size of `to` before */
	uint32_t last; /* offset of the last change */
	int64_t line;
};

struct lnotab_writer lnotab_begin(struct strbuf *to, uint32_t first_line);
/* Code from the offset on belongs to the line; offsets ascend. False: the list is full. */
bool lnotab_put(struct lnotab_writer *w, uint32_t offset, uint32_t line);
