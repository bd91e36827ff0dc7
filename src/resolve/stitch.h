/*
 * Call stacks of the branch hardware that are deeper than it has registers (--stitch-lbr).
 *
 * The processor keeps the newest calls; where there are more, the oldest are written over. Those may have stood in an earlier
 * sample of the same thread: where the oldest call of a sample is in the same register and is the same (from, to, flags) as
 * it was in the sample before, the calls that were outside of it then are taken to be so still. This is not proof: after a
 * longjmp other calls may have come and gone in between. Requires samples in order of time, with PERF_SAMPLE_BRANCH_HW_INDEX, and
 * the number of registers from the recording's header.
 * Source: perf-report(1), --stitch-lbr; perf_event.h on hw_idx; Intel SDM 3B, call-stack mode of LBRs.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"
#include "record/env.h"
#include "record/sample.h"

struct stitches {
	const struct env *env; /* NULL: nothing is stitched */
	uint64_t registers;    /* 0: not looked for yet, or not known */
	struct u64map threads; /* process and thread → index + 1 */
	VEC(struct stitch_thread *) all;
};

typedef VEC(uint64_t) stitch_words;

/* env may come to know more until the first sample. */
void stitches_init(struct stitches *s, const struct env *env);
void stitches_deinit(struct stitches *s);

/*
 * What chain_join_calls() makes of a sample's words and branches, into *to, and after it where the calls came from that its
 * branches no longer show. Each sample of a thread must come by here. False: the chain stays as it is.
 */
bool stitch_join_calls(struct stitches *s, const struct sample *x, const uint64_t *words, uint32_t words_nr, uint32_t max,
		       stitch_words *to);
