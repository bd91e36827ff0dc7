/* The call graph as a tree: a node for each path to a function. */
#include <stdlib.h>

#include "base/mem.h"
#include "profile/callgraph_priv.h"

/* The ID of a stack is larger than its caller's, and so is that of a node than its parent's. */
static void make_nodes(struct callgraph *g)
{
	const struct profile *p = g->profile;
	struct idset index = {};
	_cleanup_strbuf_ struct strbuf b = {};
	struct callgraph_node *of_frames = xmalloc((p->frames.len + 1) * sizeof(*of_frames));
	strbuf_reserve(&b, 256);
	for (frame_id f = 0; f < p->frames.len; f++)
		of_frames[f] = callgraph_node_of_frame(g, &b, f);
	g->stack_nodes = xmalloc((p->stacks.len + 1) * sizeof(*g->stack_nodes));
	for (stack_id s = 0; s < p->stacks.len; s++) {
		const struct profile_stack *st = &p->stacks.data[s];
		uint32_t parent = st->caller == PROFILE_NONE ? PROFILE_NONE : g->stack_nodes[st->caller];
		g->stack_nodes[s] = parent;
		if (callgraph_passes_over(g, st->frame))
			continue;
		struct callgraph_node node = of_frames[st->frame];
		bool is_inlined = p->frames.data[st->frame].flags & FRAME_INLINED;
		node.parent = parent;
		node.inlined = is_inlined;
		uint32_t id = g->stack_nodes[s] = callgraph_intern_node(g, &index, &node);
		g->nodes.data[id].inlined &= is_inlined;
	}
	free(of_frames);
	idset_deinit(&index);
}

static void count(struct callgraph *g, void (*sum)(struct callgraph *g, int64_t *self))
{
	int64_t *self = xcalloc(g->profile->stacks.len + 1, sizeof(*self));
	for (size_t i = 0; i < g->nodes.len; i++)
		g->nodes.data[i].flat = g->nodes.data[i].cum = 0;
	sum(g, self);
	for (stack_id s = 0; s < g->profile->stacks.len; s++)
		if (g->stack_nodes[s] != PROFILE_NONE)
			g->nodes.data[g->stack_nodes[s]].flat += self[s];
	for (size_t i = g->nodes.len; i--;) {
		struct callgraph_node *n = &g->nodes.data[i];
		n->cum += n->flat;
		if (n->parent != PROFILE_NONE)
			g->nodes.data[n->parent].cum += n->cum;
	}
	free(self);
}

void callgraph_make_tree(struct callgraph *g)
{
	make_nodes(g);
	if (g->options.mean)
		count(g, callgraph_sum_divisors);
	for (size_t i = 0; i < g->nodes.len; i++) {
		struct callgraph_node *n = &g->nodes.data[i];
		n->flat_by = n->flat;
		n->cum_by = n->cum;
	}
	count(g, callgraph_sum_values);
	callgraph_join_tree(g);
}

/* The nearest kept node above a node, and the kind of the edge. */
struct stem {
	uint32_t from;
	bool residual, inlined;
};

static struct stem stem_of(const struct callgraph *g, const struct stem *stems, uint32_t node)
{
	const struct callgraph_node *n = &g->nodes.data[node];
	struct stem stem = { .from = n->parent, .inlined = n->inlined };
	if (n->parent == PROFILE_NONE || g->nodes.data[n->parent].kept)
		return stem;
	stem.from = stems[n->parent].from;
	stem.residual = true;
	stem.inlined &= stems[n->parent].inlined;
	return stem;
}

void callgraph_join_tree(struct callgraph *g)
{
	struct stem *stems = xmalloc((g->nodes.len + 1) * sizeof(*stems));
	vec_clear(&g->edges);
	for (uint32_t i = 0; i < g->nodes.len; i++) {
		const struct callgraph_node *n = &g->nodes.data[i];
		struct stem stem = stems[i] = stem_of(g, stems, i);
		if (!n->kept || stem.from == PROFILE_NONE)
			continue;
		struct callgraph_edge e = {
			.from = stem.from,
			.to = i,
			.weight = n->cum,
			.weight_by = n->cum_by,
			.residual = stem.residual,
			.inlined = stem.inlined,
		};
		vec_push(&g->edges, e);
	}
	free(stems);
	callgraph_list_edges(g);
}
