/*
 * The tree of functions that a flame graph draws, made as far as it is looked at.
 *
 * Creating one costs a pass over the profile's stacks, two million in 10 ms; nodes come to be when the children of their parent
 * are needed first. Stacks of the same functions at other addresses are one node. The profile is borrowed and const.
 * One thread.
 */
#pragma once
#include "base/idset.h"
#include "base/vector.h"
#include "profile/profile.h"

#define FLAME_ROOT 0

/* A function in a place of the tree of calls. */
struct flame_node {
	uint32_t parent, first, next; /* PROFILE_NONE: none; first is known once children were needed */
	frame_id frame;
	uint64_t name;      /* same of nodes of one parent: they are one */
	uint64_t value;     /* with what is on it */
	uint32_t stacks;    /* that it is the last frame of: the first of the list in `same`, + 1 */
	bool has_children_made;
};

/* What is read together is stored together: most of the time goes into fetching it. */
struct flame_stack {
	uint64_t value;    /* with what is on it */
	uint32_t callees;  /* the first of those that are on it, + 1 */
	uint32_t sibling;  /* the next that is on the same one, + 1 */
};

struct flame_tree {
	const struct profile *profile;
	struct flame_stack *stacks; /* as the profile has them */
	uint32_t *same;        /* by stack of a node: the next of that node, + 1 */
	uint32_t outermost;    /* the first stack that has no caller, + 1 */
	struct idset index;    /* of nodes, by parent and name */
	VEC(struct flame_node) nodes;
};

/* What an event of the profile has counted. */
void flame_tree_init(struct flame_tree *t, const struct profile *p, uint32_t event);
void flame_tree_deinit(struct flame_tree *t);
/* The first of a node's children, in no order, PROFILE_NONE where it has none. Nodes may move. */
uint32_t flame_tree_children(struct flame_tree *t, uint32_t node);
/* The hash of a node's name, the same in any profile. */
uint64_t flame_tree_name_hash(const struct flame_tree *t, uint32_t node);
/* What frames that match have counted, and what is above them; those above another one that matches do not count again. */
uint64_t flame_tree_sum(const struct flame_tree *t, bool (*passes)(void *ctx, frame_id frame), void *ctx);
