/*
 * The blocks of code of two recordings with cycle counts: by how many cycles a run of each block has become slower or faster.
 *
 * Of a finished diff, whose recordings are read once more. Rows are the blocks of the second recording in functions that both have
 * samples of, those of the function with the largest share first, the largest difference first among them, as in perf. Blocks are
 * the same where their function, beginning and end are. One thread.
 */
#pragma once
#include "diff/diff.h"

/*
 * Of event i of d, or of all for data, as diff_table(); the sides of d are a recording each. table_deinit() it, on errors too:
 * ERROR_USAGE if there are no cycles, or rows are not functions.
 */
struct strobe_error *diff_blocks_table(const struct diff *d, uint32_t i, struct table *ret) _must_check_;
