/*
 * Labels in a pprof graph: the labels of a node's samples, as small boxes below it.
 *
 * A node has at most four boxes for sets of texts ("phase:one") and, below each of them or the node itself, at most four for the
 * sizes of memory blocks (label "bytes"); adjacent sizes share a box. Owned by the graph.
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

/* Whether the profile has labels that are shown as boxes. */
bool pprof_tags_has(const struct pprof_graph *r);
/* Computes the tags of all kept nodes, except those below `least`. t is zeroed or from an earlier call. */
void pprof_tags_make(struct pprof_tags *t, const struct pprof_graph *r, int64_t least);
void pprof_tags_deinit(struct pprof_tags *t);
/* The number of boxes of a node, as estimated while nodes are selected: those of samples that end there. */
uint32_t pprof_tags_count(const struct pprof_tags *t, uint32_t node);

struct pprof_box {
	char *text;
	int64_t value;
	uint32_t parent; /* an earlier box, or PROFILE_NONE: the node itself */
	uint32_t number; /* among those of the same parent and kind */
	bool is_size;
	bool is_passed;  /* includes callees */
};

struct pprof_boxes {
	VEC(struct pprof_box) list;
};

/* The boxes of a node, in order; the caller calls deinit. */
void pprof_boxes_init(struct pprof_boxes *b, const struct pprof_graph *r, uint32_t node);
void pprof_boxes_deinit(struct pprof_boxes *b);
