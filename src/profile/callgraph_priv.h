/*
 * What the two ways to make a call graph have in common: one node a function, or one a way that leads to it.
 * Private to this room.
 */
#pragma once
#include "base/strbuf.h"
#include "profile/callgraph.h"

/* A node of the frame, not yet of the graph; b is scratch. */
struct callgraph_node callgraph_node_of_frame(struct callgraph *g, struct strbuf *b, frame_id frame);
/* The id of an equal node (text, object, parent), added where it is new. */
uint32_t callgraph_intern_node(struct callgraph *g, struct idset *index, const struct callgraph_node *node);
/* Whether a frame counts as its caller. */
static inline bool callgraph_passes_over(const struct callgraph *g, frame_id frame)
{
	return g->options.no_inlines && g->profile->frames.data[frame].flags & FRAME_INLINED;
}

/* Values by stack of those that end there, and g->total; what means are over. self: zeroed, by stack. */
void callgraph_sum_values(struct callgraph *g, int64_t *self);
void callgraph_sum_divisors(struct callgraph *g, int64_t *self);
/* What nodes cost, without options.tree; with their edges, or none. */
void callgraph_count(struct callgraph *g, bool with_edges);
/* Edges in the lists of their nodes. */
void callgraph_list_edges(struct callgraph *g);

/* With options.tree: all nodes, and the edges between those that are kept. */
void callgraph_make_tree(struct callgraph *g);
void callgraph_join_tree(struct callgraph *g);
