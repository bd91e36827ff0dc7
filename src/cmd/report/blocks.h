/*
 * Blocks of code and the cycles that the processor spent in them, out of branch records with cycle counts.
 *
 * Between the target of one branch and the source of the next the code ran straight on: a block, within one function. Its
 * cycles are those of the branch that ends it. Blocks that end in the same place are one, from the earliest beginning that
 * was seen. What ends where no symbol is known counts in the whole and is no block, as in the reference.
 *
 * Places are those of the run's resolver, which has to live as long. One thread.
 */
#pragma once
#include "base/idset.h"
#include "cmd/report/report.h"

struct block_place {
	struct dso *dso;
	const struct map *map;
	const struct symbol *symbol; /* or NULL */
	uint64_t addr;               /* in the DSO's space */
};

struct block {
	uint32_t event;
	struct block_place end;
	uint64_t start; /* in the DSO's space; 0 where no beginning was seen */
	uint64_t cycles, times, least, most;
};

struct blocks {
	struct report_run *run;
	VEC(struct block) all;
	struct idset index;
	uint64_t *totals, *samples, *branches; /* by event */
};

/* Reads the recording that the run has a resolver for; b is {} before. */
struct strobe_error *blocks_read(struct blocks *b, struct report_run *r) _must_check_;
void blocks_deinit(struct blocks *b);
