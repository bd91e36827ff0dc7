/*
 * Call trees: for each entry of a hist, where its samples came from or what they went on to.
 *
 * A tree's node is a run of frames that all its samples share, with what ends in it (hits) and what goes on below it.
 * Callers first (the default with children), an entry's tree holds the whole stacks of samples that end in it, and for
 * the others the part of their stack from its outermost occurrence inwards. Callees first, it holds the stacks from its
 * innermost occurrence outwards. Branches below the threshold are left out, and not even visited: the trees of one group
 * of rows are merged from one shared tree of calls, level by level.
 *
 * Works on ids; belongs to the caller; reads the hist, which must outlive it. Building uses threads of base/pool.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "profile/hist.h"

enum calltree_mode { CALLTREE_NONE, CALLTREE_GRAPH, CALLTREE_FRACTAL, CALLTREE_FLAT, CALLTREE_FOLDED };
enum calltree_value { CALLTREE_PERCENT, CALLTREE_PERIOD, CALLTREE_COUNT };

struct calltree_options {
	enum calltree_mode mode;
	enum calltree_value value;
	double min_percent;    /* of the total; of what is above in fractal mode */
	uint32_t print_limit;  /* nodes shown on each level; 0 = all */
	bool callee_first;
	bool by_address;       /* frames of one function are distinguished by address */
	unsigned threads;      /* 0 = all CPUs */
};

struct calltree_node {
	struct calltree_node *parent;
	struct calltree_node *child, *next; /* children by share, the largest first; by order of keys in flat and folded mode */
	const frame_id *frames;             /* in the order in which they are shown; none in the root */
	uint32_t frames_nr;
	uint64_t hits, below;               /* period of samples that end here, and of those that go on (left out ones too) */
	uint64_t hits_samples, below_samples;
};

struct calltrees;

/* Trees for n entries (indexes into h->entries), of the hist's event 0. */
struct calltrees *calltrees_create(const struct hist *h, struct calltree_options options, const uint32_t *entries, uint32_t n);
/*
 * For callers that need few at a time: no trees yet, and calltrees_add() makes those that are not there. What trees of one group
 * of rows have in common is kept from the first of them on, so that each other one costs what it holds itself.
 */
struct calltrees *calltrees_open(const struct hist *h, struct calltree_options options);
void calltrees_add(struct calltrees *t, uint32_t entry);
/* Whether its tree has anything to show: sooner known than what it is. Of those that were opened. */
bool calltrees_has_any(struct calltrees *t, uint32_t entry);
void calltrees_destroy(struct calltrees *t);
/* The root: its children are the first nodes. NULL for an entry that was not selected or has no tree. */
const struct calltree_node *calltrees_get(const struct calltrees *t, uint32_t entry);

static inline uint64_t calltree_total(const struct calltree_node *n)
{
	return n->hits + n->below;
}
