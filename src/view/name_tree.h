/*
 * Rows of a profile as a tree of names: process, then frames from the outermost in. Equal names below one node are one.
 *
 * Node 0 is the root; a node's id is greater than its parent's. Belongs to one thread; the profile is borrowed and must
 * outlive it. Values saturate instead of wrapping.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/idset.h"
#include "base/vector.h"
#include "profile/profile.h"
#include "view/frame_names.h"

struct name_tree_options {
	struct frame_names_options names;
	uint32_t event;     /* rows of this one only */
	bool count_samples; /* values are sample counts: always so for tracepoints and where no value was recorded */
	bool reverse;       /* innermost frame first, process last */
	/*
	 * In order of time instead of summed up: only equal stacks that follow each other are merged. Uses the order of the
	 * profile's log, in which the samples of a row have equal weight, or of its rows if it has no log.
	 */
	bool in_time;
	bool has_base;      /* rows of base_event go into name_node.base */
	uint32_t base_event;
};

struct name_node {
	uint32_t parent; /* PROFILE_NONE in the root */
	name_id name;    /* PROFILE_NONE in the root */
	uint64_t value;  /* of rows that end here */
	uint64_t samples;
	uint64_t base;   /* value of base_event's rows that end here */
	uint64_t start;  /* with in_time: the sum of all before it */
	uint32_t first_child, children; /* in name_tree.children, after name_tree_sort() */
};

struct name_tree {
	struct frame_names names;
	VEC(struct name_node) nodes;
	struct idset index;
	uint32_t *children; /* IDs of nodes by parent, those of one parent in the order of ranks */
};

/* Whether the values of such a tree are numbers of samples. */
bool name_tree_counts_samples(const struct profile *p, uint32_t event, bool count_samples);
void name_tree_init(struct name_tree *t, const struct profile *p, const struct name_tree_options *options);
void name_tree_deinit(struct name_tree *t);

/*
 * For each name its rank in byte order with `end` appended ("" or ";"): in a sorted file "a;x" follows "a b".
 * Owned by the caller. *ret_nr is the number of ranks.
 */
struct name_ranks {
	uint32_t *bare;    /* of "name" */
	uint32_t *as_path; /* of "name;" */
	uint32_t nr;
};
/* Full names are ranked with their mark appended ("_[k]"), as in flamegraph.pl's input. */
struct name_ranks name_tree_ranks(const struct name_tree *t);
void name_ranks_deinit(struct name_ranks *r);

/* Creates the lists of children, in the order of rank[name]. */
void name_tree_sort(struct name_tree *t, const uint32_t *rank, uint32_t ranks_nr);
/*
 * The same in flamegraph.pl's order, which sorts lines: a node with children is sorted by its name with a ';' appended.
 */
void name_tree_sort_as_lines(struct name_tree *t, const struct name_ranks *ranks);
/* The same in the order in which nodes were created, for a tree in order of time. */
void name_tree_keep_order(struct name_tree *t);

static inline uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}
