/*
 * Positions of the boxes of a flame graph: a box for each node of the tree of names, as wide as its share of the total.
 *
 * Boxes are in preorder: a box, then those on it from left to right. The node's own value is the free part of its
 * box, at the left; in a tree in order of time it is where it occurred. Nodes narrower than min_width are left out
 * with all that is on them. Siblings have flamegraph.pl's order.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "view/name_tree.h"

struct flame_layout_options {
	struct name_tree_options tree;
	uint64_t total;      /* the value of the full width; 0 = the tree's total */
	bool normalize;      /* with a base: scaled to the same sum */
	double width;        /* of the whole, in pixels */
	double min_width;    /* in pixels */
};

struct flame_box {
	uint32_t node;
	uint32_t depth;      /* 0 for the root */
	uint32_t last;       /* index after the last box that is drawn on it */
	double x, width;     /* from the left edge of the whole, in pixels */
	uint64_t value, samples; /* with all that is on it */
	int64_t delta;           /* difference of its own value to the base; saturated */
};

struct flame_layout {
	struct name_tree tree;
	uint64_t *values, *samples; /* by node, with those below */
	VEC(struct flame_box) boxes;
	uint32_t depth_max;
	uint32_t left_out;   /* nodes that are too narrow */
	uint64_t total;
	double base_scale;       /* of name_node.base, before it is compared */
	uint64_t delta_max;      /* the largest difference, without its sign */
};

/* ERROR_NOT_FOUND for an empty tree. A total below the sum of the tree is ignored with a warning. Deinit in any case. */
struct strobe_error *flame_layout_init(struct flame_layout *l, const struct profile *p, const struct flame_layout_options *o)
	_must_check_;
void flame_layout_deinit(struct flame_layout *l);
