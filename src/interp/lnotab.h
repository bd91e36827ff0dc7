/* Writes lines of code in the form PYTHON_LINES_LNOTAB: pairs of bytes, so many bytes of code on and so many lines. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct lnotab_writer {
	struct strbuf *to;
	size_t before; /* bytes that `to` had */
	uint32_t last; /* offset of the last change */
	int64_t line;
};

struct lnotab_writer lnotab_begin(struct strbuf *to, uint32_t first_line);
/* From the offset on, code is of the line; offsets ascend. False: the list is full. */
bool lnotab_put(struct lnotab_writer *w, uint32_t offset, uint32_t line);
