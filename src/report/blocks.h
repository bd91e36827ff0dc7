/*
 * Blocks of code and the cycles that the processor spent in them, out of branches with cycle counts.
 *
 * Between the target of one branch and the source of the next the code ran straight on: a block, within one function. Its
 * cycles are those of the branch that ends it. Blocks that end in the same place are one, from the earliest beginning that
 * was seen. What ends where no function is known counts in the event's cycles and is not a block, as in perf.
 *
 * Functions and objects are the caller's: they are compared, and never looked into. One thread.
 */
#pragma once
#include <stdint.h>

#include "base/idset.h"
#include "base/vector.h"

struct listing;

struct block_place {
	const void *function; /* NULL: unknown */
	const void *object;   /* that the function is of; handed back */
	uint64_t addr;        /* in the object's space */
};

struct block {
	uint32_t event;
	struct block_place end;
	uint64_t start; /* in the object's space; 0 where no beginning was seen */
	uint64_t cycles, times, least, most;
};

/* Totals of an event, blocks or not. */
struct blocks_event {
	uint64_t cycles, samples, branches;
};

struct blocks {
	VEC(struct block) all; /* in the order in which they were met, until blocks_sort() */
	struct idset index;
	struct blocks_event *events;
	uint32_t events_nr;
};

void blocks_init(struct blocks *b, uint32_t events_nr);
void blocks_deinit(struct blocks *b);
/* A branch left the code at `end` after so many cycles (0: not counted); `from`: where the branch before it led to, or {}. */
void blocks_add(struct blocks *b, uint32_t event, const struct block_place *from, const struct block_place *end, uint64_t cycles);
/* By event, the one with most cycles first; then by address. Nothing can be added afterwards. */
void blocks_sort(struct blocks *b);

/* Cycles of the block each time that it ran. */
static inline uint64_t block_average(const struct block *b)
{
	return b->cycles / b->times;
}
/*
 * Into a listing of the block's function: what its last instruction needed, and for all of the block's how many of them ran in a
 * cycle. Nothing where the listing lacks the last one.
 */
void block_add_to_listing(const struct block *b, struct listing *l);
