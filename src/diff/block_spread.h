/*
 * How much the difference of a block's cycles varies between its executions: the first ones of both recordings, pair by pair, as in perf.
 *
 * The error is the standard error of the mean of absolute differences, in percent of that mean. Plain functions, any thread.
 */
#pragma once
#include "base/strbuf.h"
#include "report/blocks.h"

struct block_spread {
	double runs[BLOCK_RUNS]; /* absolute differences in cycles, in order of execution */
	uint32_t runs_nr;
	double error_percent;    /* 0: fewer than two pairs, or no differences */
};
struct block_spread block_spread_of(const struct block *before, const struct block *after);

/* "±  3.9% ██▆▅▃▂▂▁ ": the error, and a bar per pair, from the least difference to the largest; blank if none of them differs. */
#define BLOCK_SPREAD_WIDTH 17 /* columns */
void block_spread_text(const struct block_spread *s, struct strbuf *out);
