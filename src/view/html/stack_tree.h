/*
 * The stacks of a profile that count, as the tree that the page shows: each after its caller, siblings in the order that
 * is needed. What a stack is shown as (its function, say) is a rank: siblings of one rank are one box, though their
 * addresses or lines differ. The tree of boxes is made here once, so that a browser needs neither look-ups nor sorting.
 *
 * The profile is borrowed; the arrays belong to the tree. Nothing recurses: stacks may be as deep as a hostile file says.
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
	uint32_t *place;  /* by stack; STACK_TREE_NOWHERE where it does not count */
	uint32_t *box;    /* by place: the box that it is part of, counted in the same manner; NULL: each is its own */
};

/* Which stacks count: those with rows that have samples or a value, and their callers. By stack; the caller frees it. */
bool *stack_tree_used(const struct profile *p);
/* rank: by frame, below ranks_nr for those of stacks that are used. */
void stack_tree_make(struct stack_tree *t, const struct profile *p, const bool *used, const uint32_t *rank, uint32_t ranks_nr);
void stack_tree_deinit(struct stack_tree *t);
/* Whether a row is shown at all. */
bool stack_tree_has(const struct profile_row *row);
