/*
 * Where the boxes of a flame graph are: a box for each node of the tree of names, as wide as its share of the whole.
 *
 * Boxes come in the order of a walk: a box, then what is on it from left to right. What a node takes itself is the
 * free part of its box, at its left; of a tree in time it is where it was. Nodes narrower than min_width are left out
 * with all that is on them. Siblings are in the order in which flamegraph.pl puts them.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "view/name_tree.h"

struct flame_layout_options {
	struct name_tree_options tree;
	uint64_t total;      /* what the whole width represents; 0 = what there is */
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
	int64_t delta;           /* what it takes itself against the base; saturated */
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

/* ERROR_NOT_FOUND where there is nothing. A total that is less than what there is is not used, and that is said. Deinit in any case. */
struct strobe_error *flame_layout_init(struct flame_layout *l, const struct profile *p, const struct flame_layout_options *o)
	_must_check_;
void flame_layout_deinit(struct flame_layout *l);
