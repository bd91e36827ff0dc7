/*
 * Completes call stacks of the branch hardware that are deeper than its number of registers (--stitch-lbr).
 *
 * The processor keeps the newest calls and overwrites the oldest. These may be in an earlier sample of the same thread: if the oldest
 * call of a sample is in the same register and equal (from, to, flags) to that in the sample before, the calls outside of it are assumed
 * to be the same. This is not certain: after a longjmp other calls may have happened in between. Requires samples in order of time, with
 * PERF_SAMPLE_BRANCH_HW_INDEX, and the number of registers from the recording's header. Source: perf-report(1), --stitch-lbr;
 * perf_event.h on hw_idx; Intel SDM 3B, call-stack mode of LBRs.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"
#include "record/env.h"
#include "record/sample.h"

struct stitches {
	const struct env *env; /* NULL: disabled */
	uint64_t registers;    /* 0: not looked up yet, or unknown */
	struct u64map threads; /* process and thread → index + 1 */
	VEC(struct stitch_thread *) all;
};

typedef VEC(uint64_t) stitch_words;

/* env may be completed until the first sample. */
void stitches_init(struct stitches *s, const struct env *env);
void stitches_deinit(struct stitches *s);

/*
 * Writes the result of chain_join_calls() for a sample's words and branches to *to, followed by the sources of calls that are no
 * longer in its branches. Must be called for each sample of a thread. False: the chain is unchanged.
 */
bool stitch_join_calls(struct stitches *s, const struct sample *x, const uint64_t *words, uint32_t words_nr, uint32_t max,
		       stitch_words *to);
