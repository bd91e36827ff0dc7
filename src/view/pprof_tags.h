/*
 * Labels in a graph of pprof: for each node what its samples were labelled with, as small boxes that hang from it.
 *
 * A node has at most four boxes for sets of texts ("phase:one"), and under each of them, or under the node itself, at most
 * four for how large the blocks of memory were that "bytes" describes; neighbouring sizes share one. Owned by the graph.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vector.h"

struct pprof_graph;

#define PPROF_BOXES_MAX 4

struct pprof_tag {
	uint32_t node;
	str_id texts;     /* of pprof_tags.strings: "key:value" lines, or "" */
	str_id size_text; /* "" for the texts themselves */
	int64_t size;
	int64_t flat, cum, flat_by, cum_by;
};

struct pprof_tags {
	struct strtab strings;
	VEC(struct pprof_tag) list;  /* by node, once made */
	uint32_t *first;             /* by node, one more at the end */
	const char *unit;            /* of sizes */
};

/* Whether the profile has labels that make boxes at all. */
bool pprof_tags_has(const struct pprof_graph *r);
/* Of all nodes that are kept, but for those tags that are less than `least`. Zeroed or made before. */
void pprof_tags_make(struct pprof_tags *t, const struct pprof_graph *r, int64_t least);
void pprof_tags_deinit(struct pprof_tags *t);
/* How many boxes a node is thought to have when nodes are chosen: all that end there. */
uint32_t pprof_tags_count(const struct pprof_tags *t, uint32_t node);

struct pprof_box {
	char *text;
	int64_t value;
	uint32_t parent; /* a box before it, or PROFILE_NONE: the node itself */
	uint32_t number; /* among those of the same parent and kind */
	bool is_size;
	bool is_passed;  /* counts what is called, too */
};

struct pprof_boxes {
	VEC(struct pprof_box) list;
};

/* Of a node, in order; the caller's to deinit. */
void pprof_boxes_init(struct pprof_boxes *b, const struct pprof_graph *r, uint32_t node);
void pprof_boxes_deinit(struct pprof_boxes *b);
