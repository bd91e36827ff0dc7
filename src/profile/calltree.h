/*
 * Call trees of the entries of a hist: their callers or callees.
 *
 * A node is a run of frames common to its samples, with the sums of samples that end in it (hits) and that continue
 * below it. Callers first (the default with children), an entry's tree has the complete stacks of samples that end in
 * it, and for others the part of their stack from its outermost occurrence inwards. Callees first, it has the stacks
 * from its innermost occurrence outwards. Branches below the threshold are left out, and not even visited: the trees of
 * a group of rows are merged level by level from one shared call tree.
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
	double min_percent;    /* of the total; in fractal mode of the parent */
	uint32_t print_limit;  /* maximum number of nodes per level; 0 = all */
	bool callee_first;
	bool by_address;       /* frames of one function are distinguished by address */
	unsigned threads;      /* 0 = all CPUs */
};

struct calltree_node {
	struct calltree_node *parent;
	struct calltree_node *child, *next; /* children by share, the largest first; by order of keys in flat and folded mode */
	const frame_id *frames;             /* in display order; none in the root */
	uint32_t frames_nr;
	uint64_t hits, below;               /* period of samples that end here, and of those that continue (including left out branches) */
	uint64_t hits_samples, below_samples;
};

struct calltrees;

/* Trees for n entries (indexes into h->entries), of the hist's event 0. */
struct calltrees *calltrees_create(const struct hist *h, struct calltree_options options, const uint32_t *entries, uint32_t n);
/*
 * For callers that need few trees at a time: creates none yet; calltrees_add() adds missing ones. The common part of the trees of a
 * group is kept, so that further trees cost only their own nodes.
 */
struct calltrees *calltrees_open(const struct hist *h, struct calltree_options options);
void calltrees_add(struct calltrees *t, uint32_t entry);
/* Whether the tree is not empty, without building it. Only after calltrees_open(). */
bool calltrees_has_any(struct calltrees *t, uint32_t entry);
void calltrees_destroy(struct calltrees *t);
/* The root: its children are the first nodes. NULL for an entry that was not selected or has no tree. */
const struct calltree_node *calltrees_get(const struct calltrees *t, uint32_t entry);

static inline uint64_t calltree_total(const struct calltree_node *n)
{
	return n->hits + n->below;
}
