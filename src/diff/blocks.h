/*
 * The blocks of code of two recordings with cycle counts: by how many cycles each block has become slower or faster per execution.
 *
 * Reads the recordings of a finished diff again. Rows are the blocks of the second recording in functions with samples on both sides,
 * ordered by the share of the function, then by difference, both descending, as in perf. Blocks are the same if function, start and
 * end are equal. One thread.
 */
#pragma once
#include "diff/diff.h"

/*
 * For event i of d, or for all in data, as with diff_table(); each side of d is one recording. Call table_deinit() also on errors:
 * ERROR_USAGE if there are no cycles, or rows are not functions.
 */
struct strobe_error *diff_blocks_table(const struct diff *d, uint32_t i, struct table *ret) _must_check_;
