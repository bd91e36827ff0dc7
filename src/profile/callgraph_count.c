/*
 * Values of the nodes and edges of a call graph, in one walk over paths that only processes the differences between consecutive
 * paths.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "profile/callgraph_priv.h"

/* A frame of the current path. */
struct step {
	frame_id frame;
	uint32_t node, edge; /* the nearest kept node, and the edge to it (or PROFILE_NONE) */
	uint32_t flat_node;  /* node of the flat values of samples that end here, or PROFILE_NONE */
	int64_t all;         /* sum of samples that pass, so far */
	bool own_node;       /* node is this frame's own */
	bool residual;       /* ends in frames that are not kept */
	bool is_first_node, is_first_edge; /* on this path */
};

#define NODE_DROPPED (PROFILE_NONE - 1) /* a node that is not kept */

struct counter {
	struct callgraph *g;
	VEC(struct step) path;         /* the first element is a root above all frames */
	uint32_t *kept_nodes;          /* by frame: node, NODE_DROPPED, or PROFILE_NONE if it counts as its caller */
	uint32_t *on_path_node;        /* number of occurrences on the current path */
	VEC(uint32_t) on_path_edge;
	struct u64map edges;           /* from << 32 | to → edge + 1 */
	bool with_edges;
};

/* ---- along a path ---- */

static uint32_t find_edge(struct counter *c, uint32_t from, uint32_t to)
{
	bool is_new;
	uint64_t *at = u64map_put(&c->edges, (uint64_t)from << 32 | to, &is_new);
	if (is_new) {
		struct callgraph_edge e = { .from = from, .to = to, .inlined = true };
		vec_push(&c->g->edges, e);
		vec_push(&c->on_path_edge, 0);
		*at = c->g->edges.len;
	}
	return (uint32_t)*at - 1;
}

static void enter_edge(struct counter *c, struct step *step, const struct step *above)
{
	uint32_t e = step->edge = find_edge(c, above->node, step->node);
	step->is_first_edge = !c->on_path_edge.data[e]++;
	c->g->edges.data[e].residual |= above->residual;
	c->g->edges.data[e].inlined &= c->g->profile->frames.data[step->frame].flags & FRAME_INLINED;
}

/* There is room on the path: see make_room(). */
static inline void enter(struct counter *c, frame_id frame)
{
	struct step *step = &c->path.data[c->path.len++];
	const struct step *above = step - 1;
	uint32_t node = c->kept_nodes[frame];
	step->frame = frame;
	step->edge = PROFILE_NONE;
	step->all = 0;
	step->is_first_node = step->is_first_edge = false;
	step->own_node = node < NODE_DROPPED;
	if (step->own_node) {
		step->node = step->flat_node = node;
		step->residual = false;
		step->is_first_node = !c->on_path_node[node]++;
		if (c->with_edges && above->node != PROFILE_NONE && above->node != node)
			enter_edge(c, step, above);
	} else {
		step->node = above->node;
		step->residual = node == NODE_DROPPED || above->residual;
		step->flat_node = step->residual ? PROFILE_NONE : above->node;
	}
}

/* For paths of this length: once per path, not per frame. */
static inline void make_room(struct counter *c, size_t depth)
{
	vec_reserve(&c->path, depth + 1);
}

/* Adds a value at the end of the path. */
static void add(struct counter *c, int64_t value)
{
	struct step *last = &vec_last(&c->path);
	last->all += value;
	if (last->flat_node != PROFILE_NONE)
		c->g->nodes.data[last->flat_node].flat += value;
}

static void leave_until(struct counter *c, size_t depth)
{
	for (; c->path.len > depth + 1; c->path.len--) {
		const struct step *step = &vec_last(&c->path);
		c->path.data[c->path.len - 2].all += step->all;
		if (step->own_node)
			c->on_path_node[step->node]--;
		if (step->is_first_node)
			c->g->nodes.data[step->node].cum += step->all;
		if (step->edge != PROFILE_NONE)
			c->on_path_edge.data[step->edge]--;
		if (step->is_first_edge)
			c->g->edges.data[step->edge].weight += step->all;
	}
}

static uint32_t *find_kept_nodes(const struct callgraph *g)
{
	size_t nr = g->profile->frames.len;
	uint32_t *ret = xmalloc((nr + 1) * sizeof(*ret));
	for (size_t f = 0; f < nr; f++) {
		uint32_t node = g->frame_nodes[f];
		ret[f] = node == PROFILE_NONE || g->nodes.data[node].kept ? node : NODE_DROPPED;
	}
	return ret;
}

static void counter_init(struct counter *c, struct callgraph *g, bool with_edges)
{
	struct step root = { .node = PROFILE_NONE, .flat_node = PROFILE_NONE, .edge = PROFILE_NONE };
	*c = (struct counter){ .g = g, .with_edges = with_edges, .kept_nodes = find_kept_nodes(g) };
	c->on_path_node = xcalloc(g->nodes.len + 1, sizeof(uint32_t));
	for (size_t i = 0; i < g->nodes.len; i++)
		g->nodes.data[i].flat = g->nodes.data[i].cum = 0;
	vec_clear(&g->edges);
	vec_push(&c->path, root);
}

static void counter_finish(struct counter *c)
{
	leave_until(c, 0);
	free(c->kept_nodes);
	free(c->on_path_node);
	vec_deinit(&c->path);
	vec_deinit(&c->on_path_edge);
	u64map_deinit(&c->edges);
}

/* ---- paths of samples, as they come ---- */

static void count_samples(struct callgraph *g, bool with_edges)
{
	struct counter c;
	struct callgraph_sample s;
	const struct callgraph_samples *samples = g->options.samples;
	g->total = 0;
	counter_init(&c, g, with_edges);
	for (samples->rewind(samples->ctx); samples->next(samples->ctx, &s);) {
		g->total += s.value;
		if (!s.value || !s.nr)
			continue;
		uint32_t shared = 0;
		while (shared < s.nr && shared + 1 < c.path.len && c.path.data[shared + 1].frame == s.path[shared])
			shared++;
		leave_until(&c, shared);
		make_room(&c, s.nr);
		for (; shared < s.nr; shared++)
			enter(&c, s.path[shared]);
		add(&c, s.value);
	}
	counter_finish(&c);
}

/* ---- the tree of stacks: once over it, however many samples there are ---- */

int64_t callgraph_divisor(const struct callgraph *g, const struct profile_row *row)
{
	bool is_foreign = g->profile->origin.events_are_values;
	if (row->event != (is_foreign ? 0 : g->options.event))
		return 0;
	return (int64_t)(is_foreign ? row->value : row->samples);
}

void callgraph_sum_divisors(struct callgraph *g, int64_t *self)
{
	const struct profile *p = g->profile;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->stack != PROFILE_NONE)
			self[row->stack] += callgraph_divisor(g, row);
	}
}

void callgraph_sum_values(struct callgraph *g, int64_t *self)
{
	const struct profile *p = g->profile;
	int64_t total = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->event != g->options.event)
			continue;
		int64_t value = (int64_t)row->value;
		total += value < 0 ? -value : value;
		if (row->stack != PROFILE_NONE)
			self[row->stack] += value;
	}
	g->total = total;
}

/* Whether stacks are in preorder: the caller of each is on the path of the one before. */
static bool is_in_order(const struct profile *p)
{
	VEC(stack_id) path = {};
	bool is = true;
	for (stack_id s = 0; s < p->stacks.len && is; s++) {
		const struct profile_stack *st = &p->stacks.data[s];
		uint32_t above = st->depth - 1;
		is = above <= path.len && (!above || path.data[above - 1] == st->caller);
		path.len = above;
		if (is)
			vec_push(&path, s);
	}
	vec_deinit(&path);
	return is;
}

static stack_id *walk_order(const struct profile *p)
{
	size_t nr = p->stacks.len;
	uint32_t *sizes = xcalloc(nr + 1, sizeof(uint32_t)), *next = xmalloc((nr + 1) * sizeof(uint32_t)), roots = 0;
	stack_id *order = xmalloc((nr + 1) * sizeof(stack_id));
	/* the ID of a stack is larger than its caller's */
	for (size_t s = nr; s--;) {
		stack_id caller = p->stacks.data[s].caller;
		sizes[s]++;
		if (caller != PROFILE_NONE)
			sizes[caller] += sizes[s];
	}
	for (stack_id s = 0; s < nr; s++) {
		stack_id caller = p->stacks.data[s].caller;
		uint32_t *place = caller == PROFILE_NONE ? &roots : &next[caller];
		order[*place] = s;
		next[s] = *place + 1;
		*place += sizes[s];
	}
	free(sizes);
	free(next);
	return order;
}

/* Stacks of samples without a value, of which heap profiles have many, get no edges. */
static bool *passed_stacks(const struct callgraph *g)
{
	const struct profile *p = g->profile;
	bool *ret = xcalloc(p->stacks.len + 1, sizeof(*ret));
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		bool counts = (row->event == g->options.event && row->value) || (g->options.mean && callgraph_divisor(g, row));
		for (stack_id s = counts ? row->stack : PROFILE_NONE; s != PROFILE_NONE && !ret[s]; s = p->stacks.data[s].caller)
			ret[s] = true;
	}
	return ret;
}

/* The used stacks, and their order in the walk. */
struct walk {
	bool *is_passed;
	stack_id *order; /* preorder; NULL: they are in preorder already */
};

/* One walk, for values or divisors. Depth first, without recursion, because stacks may be deep. */
static void count_stacks(struct callgraph *g, const struct walk *w, bool with_edges, void (*sum)(struct callgraph *g, int64_t *self))
{
	struct counter c;
	const struct profile *p = g->profile;
	int64_t *self = xcalloc(p->stacks.len + 1, sizeof(*self)); /* by stack: the sum of samples that end there */
	counter_init(&c, g, with_edges);
	sum(g, self);
	for (size_t i = 0; i < p->stacks.len; i++) {
		stack_id s = w->order ? w->order[i] : (stack_id)i;
		if (!w->is_passed[s])
			continue;
		leave_until(&c, p->stacks.data[s].depth - 1);
		make_room(&c, p->stacks.data[s].depth);
		enter(&c, p->stacks.data[s].frame);
		add(&c, self[s]);
	}
	counter_finish(&c);
	free(self);
}

/* ---- both ---- */

/* Both walks have the same order, and so the same edge indexes. */
static int64_t *count_divisors(struct callgraph *g, const struct walk *w, bool with_edges)
{
	count_stacks(g, w, with_edges, callgraph_sum_divisors);
	for (size_t i = 0; i < g->nodes.len; i++) {
		struct callgraph_node *n = &g->nodes.data[i];
		n->flat_by = n->flat;
		n->cum_by = n->cum;
	}
	int64_t *weights = xcalloc(g->edges.len + 1, sizeof(*weights));
	for (size_t i = 0; i < g->edges.len; i++)
		weights[i] = g->edges.data[i].weight;
	return weights;
}

static void count_rows(struct callgraph *g, bool with_edges)
{
	struct walk w = { passed_stacks(g), is_in_order(g->profile) ? NULL : walk_order(g->profile) };
	int64_t *weights = g->options.mean ? count_divisors(g, &w, with_edges) : NULL;
	count_stacks(g, &w, with_edges, callgraph_sum_values);
	for (size_t i = 0; weights && i < g->edges.len; i++)
		g->edges.data[i].weight_by = weights[i];
	free(weights);
	free(w.is_passed);
	free(w.order);
}

void callgraph_count(struct callgraph *g, bool with_edges)
{
	if (g->options.samples)
		count_samples(g, with_edges);
	else
		count_rows(g, with_edges);
	callgraph_list_edges(g);
}

/* ---- means ---- */

static int64_t divided(int64_t value, int64_t by)
{
	return by ? value / by : value;
}

static int64_t divisor_total(const struct callgraph *g)
{
	int64_t total = 0;
	for (size_t i = 0; i < g->profile->rows.len; i++)
		total += callgraph_divisor(g, &g->profile->rows.data[i]);
	return total;
}

void callgraph_divide(struct callgraph *g)
{
	for (size_t i = 0; g->options.mean && i < g->nodes.len; i++) {
		struct callgraph_node *n = &g->nodes.data[i];
		n->flat = divided(n->flat, n->flat_by);
		n->cum = divided(n->cum, n->cum_by);
	}
	for (size_t i = 0; g->options.mean && i < g->edges.len; i++)
		g->edges.data[i].weight = divided(g->edges.data[i].weight, g->edges.data[i].weight_by);
	if (g->options.mean)
		g->total = divided(g->total, divisor_total(g));
}
