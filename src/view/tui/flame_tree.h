/*
 * The tree of functions of a flame graph, created lazily.
 *
 * Initialization takes one pass over the profile's stacks, two million in 10 ms; nodes are created when the children of their parent
 * are first needed. Stacks of the same functions at different addresses are one node. If the profile has samples of processes with
 * several names, these are the nodes next to the root. The profile is borrowed and const.
 * One thread.
 */
#pragma once
#include "base/idset.h"
#include "base/vector.h"
#include "profile/profile.h"

#define FLAME_ROOT 0

/* A function at a place in the call tree. */
struct flame_node {
	uint32_t parent, first, next; /* PROFILE_NONE: none; first is set when children are first needed */
	frame_id frame;     /* PROFILE_NONE: the root, or a process */
	str_id process;     /* its name */
	uint64_t name;      /* unique among the children of a node */
	uint64_t value;     /* with what is on it */
	uint32_t stacks;    /* 1 + the first stack, of the list in `same`, that ends with it */
	bool has_children_made;
};

/* Fields that are read together are stored together: most time is spent on cache misses. */
struct flame_stack {
	uint64_t value;    /* with what is on it */
	uint32_t callees;  /* 1 + the first callee */
	uint32_t sibling;  /* 1 + the next callee of the same caller */
};

/* A stack of the processes with one name; callers have lower indices. */
struct flame_part {
	stack_id stack;    /* PROFILE_NONE: the name itself */
	uint32_t caller;   /* index, or PROFILE_NONE */
	str_id process;
};

struct flame_tree {
	const struct profile *profile;
	VEC(struct flame_part) parts; /* empty: there is one process, and stacks are as the profile has them */
	struct idset part_index;    /* of parts, by process and stack */
	struct flame_stack *stacks; /* by part, or by stack of the profile */
	size_t stacks_nr;
	uint32_t *same;        /* by stack of a node: the next of that node, + 1 */
	uint32_t outermost;    /* the first stack that has no caller, + 1 */
	struct idset index;    /* of nodes, by parent and name */
	VEC(struct flame_node) nodes;
};

/* Initializes the tree of an event of the profile. */
void flame_tree_init(struct flame_tree *t, const struct profile *p, uint32_t event);
void flame_tree_deinit(struct flame_tree *t);
/* The first of a node's children, which are unordered; PROFILE_NONE: none. Nodes may move. */
uint32_t flame_tree_children(struct flame_tree *t, uint32_t node);
/* The hash of a node's name, the same in any profile. */
uint64_t flame_tree_name_hash(const struct flame_tree *t, uint32_t node);
/* The sum of all matching frames with their callees; a match above another match does not count again. */
uint64_t flame_tree_sum(const struct flame_tree *t, bool (*passes)(void *ctx, frame_id frame), void *ctx);
