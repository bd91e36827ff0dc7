/*
 * The used stacks of a profile as the tree of the page: each after its caller, siblings sorted. A rank is the identity
 * under which a stack is shown, such as its function: siblings with the same rank are one box, though their addresses or
 * lines may differ. The tree of boxes is computed here, so that the browser needs neither look-ups nor sorting.
 *
 * The profile is borrowed; the arrays belong to the tree. No recursion: a hostile file may have stacks of any depth.
 * One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

#define STACK_TREE_NOWHERE UINT32_MAX

struct stack_tree {
	uint32_t nr;
	stack_id *order;  /* by place: a stack comes after its caller, and its callees before its next sibling */
	uint32_t *place;  /* by stack; STACK_TREE_NOWHERE: not used */
	uint32_t *box;    /* by place: the box that it is part of; NULL: each is a box of its own */
};

/* Used stacks: those with rows that have samples or a value, and their callers. Indexed by stack; the caller frees it. */
bool *stack_tree_used(const struct profile *p);
/* rank: by frame, below ranks_nr for frames of used stacks. */
void stack_tree_make(struct stack_tree *t, const struct profile *p, const bool *used, const uint32_t *rank, uint32_t ranks_nr);
void stack_tree_deinit(struct stack_tree *t);
/* Whether a row is shown at all. */
bool stack_tree_has(const struct profile_row *row);
