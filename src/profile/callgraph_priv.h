/*
 * Shared by the two kinds of call graphs: a node per function, or per path to it. Private to profile/.
 */
#pragma once
#include "base/strbuf.h"
#include "profile/callgraph.h"

/* A node for the frame, not added to the graph; b is scratch. */
struct callgraph_node callgraph_node_of_frame(struct callgraph *g, struct strbuf *b, frame_id frame);
/* The ID of an equal node (text, object, parent), which is added if new. */
uint32_t callgraph_intern_node(struct callgraph *g, struct idset *index, const struct callgraph_node *node);
/* Whether a frame counts as its caller. */
static inline bool callgraph_passes_over(const struct callgraph *g, frame_id frame)
{
	return g->options.no_inlines && g->profile->frames.data[frame].flags & FRAME_INLINED;
}

/* Computes values by the stack at which samples end, and g->total; the same for divisors. self: zeroed, by stack. */
void callgraph_sum_values(struct callgraph *g, int64_t *self);
void callgraph_sum_divisors(struct callgraph *g, int64_t *self);
/* Values of nodes, without options.tree; with or without edges. */
void callgraph_count(struct callgraph *g, bool with_edges);
/* Fills the nodes' lists of edges. */
void callgraph_list_edges(struct callgraph *g);

/* With options.tree: all nodes, and the edges between those that are kept. */
void callgraph_make_tree(struct callgraph *g);
void callgraph_join_tree(struct callgraph *g);
