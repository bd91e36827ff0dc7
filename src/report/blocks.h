/*
 * Blocks of code and the cycles spent in them, from branches with cycle counts.
 *
 * Between the target of one branch and the source of the next the code ran sequentially: a block, within one function. Its cycles are
 * those of the branch that ends it. Blocks with the same end are one, from the earliest start found. Cycles of a branch outside of
 * known functions count for the event but not for a block, as in perf.
 *
 * Functions and objects are opaque pointers of the caller, which are only compared. One thread.
 */
#pragma once
#include <stdint.h>

#include "base/idset.h"
#include "base/vector.h"

struct listing;

struct block_place {
	const void *function; /* NULL: unknown */
	const void *object;   /* the function's object, passed through */
	uint64_t addr;        /* in the object's address space */
};

#define BLOCK_RUNS 8 /* how many executions keep their own cycles: as many as in perf */
struct block {
	uint32_t event;
	struct block_place end;
	uint64_t start; /* in the object's address space; 0: unknown */
	uint64_t cycles, times, least, most;
	/* The first executions from that start, or all of them where it is unknown; runs_nr counts up to BLOCK_RUNS. */
	uint64_t runs[BLOCK_RUNS];
	uint32_t runs_nr;
};

/* Totals of an event, inside and outside of blocks. */
struct blocks_event {
	uint64_t cycles, samples, branches;
};

struct blocks {
	VEC(struct block) all; /* in order of first occurrence, until blocks_sort() */
	struct idset index;
	struct blocks_event *events;
	uint32_t events_nr;
};

void blocks_init(struct blocks *b, uint32_t events_nr);
void blocks_deinit(struct blocks *b);
/* Adds a branch at `end` after so many cycles (0: not counted); `from`: the target of the previous branch, or {}. */
void blocks_add(struct blocks *b, uint32_t event, const struct block_place *from, const struct block_place *end, uint64_t cycles);
/* Sorts by event, the one with most cycles first; then by address. Nothing can be added afterwards. */
void blocks_sort(struct blocks *b);

/* Cycles per execution of the block. */
static inline uint64_t block_average(const struct block *b)
{
	return b->cycles / b->times;
}
/*
 * Adds to the listing of the block's function: the cycles of its last instruction, and for all of its instructions their number per
 * cycle. Does nothing if the listing lacks the last one.
 */
void block_add_to_listing(const struct block *b, struct listing *l);
