/*
 * Rows of an unwind table for code that was analysed (unwind/bare_code.h).
 */
#pragma once
#include "unwind/bare_code.h"
#include "unwind/cfi_priv.h"

/*
 * Appends those up to `before`, where other rows begin; *at: which is the next. What ends there ends by the row that follows. unknown: the
 * rule where the analysis found no frame.
 */
void bare_rows_add(struct cfi_builder *b, const struct bare_code *bare, size_t *at, uint64_t before, uint32_t unknown);
