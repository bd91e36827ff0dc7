#include "view/svg/layered.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vector.h"

#define ORDER_SWEEPS 16
#define PLACE_SWEEPS 24
#define NONE UINT32_MAX
#define BEND_WEIGHT 8.0 /* weight of a bend between two steps of an edge, relative to one at a box */

/* A box, or a point where an edge passes through a layer. */
struct spot {
	double width, height, x, y;
	uint32_t rank, at; /* layer, and place in it */
};

/* A part of an edge from one layer to the next. */
struct link {
	uint32_t up, down;
	double weight;
};

struct layout {
	struct layered_graph *g;
	bool *reversed;         /* by edge: drawn from `to` to `from` */
	VEC(struct spot) spots; /* the nodes first */
	VEC(struct link) links;
	uint32_t *chain_first;  /* by edge: its first intermediate spot; with an end marker */
	uint32_t ranks;
	uint32_t **layers, *layer_nr; /* by rank: spots, in order */
	uint32_t *up_start, *up, *down_start, *down; /* by spot: its links upwards and downwards */
};

static uint32_t edge_top(const struct layout *l, uint32_t e)
{
	return l->reversed[e] ? l->g->edges[e].to : l->g->edges[e].from;
}

static uint32_t edge_bottom(const struct layout *l, uint32_t e)
{
	return l->reversed[e] ? l->g->edges[e].from : l->g->edges[e].to;
}

/* Lists of numbers by key: those of key k are (*ret_items)[starts[k]] up to starts[k + 1]. */
static uint32_t *list_by(uint32_t keys_nr, uint32_t nr, uint32_t (*key)(const void *ctx, uint32_t i), const void *ctx,
			 uint32_t **ret_items)
{
	uint32_t *starts = xcalloc((size_t)keys_nr + 2, sizeof(*starts)), *items = xcalloc((size_t)nr + 1, sizeof(*items));
	for (uint32_t i = 0; i < nr; i++)
		starts[key(ctx, i) + 2]++;
	for (uint32_t k = 0; k < keys_nr; k++)
		starts[k + 2] += starts[k + 1];
	for (uint32_t i = 0; i < nr; i++)
		items[starts[key(ctx, i) + 1]++] = i;
	*ret_items = items;
	return starts;
}

/* ---- cycles ---- */

static uint32_t key_from(const void *ctx, uint32_t i)
{
	return ((const struct layout *)ctx)->g->edges[i].from;
}

/* Reverses edges that close a cycle in a depth-first walk, in which heavy edges come first. */
static void break_cycles(struct layout *l)
{
	const struct layered_graph *g = l->g;
	uint32_t *out, *starts = list_by(g->nodes_nr, g->edges_nr, key_from, l, &out);
	uint32_t *next = xmalloc(((size_t)g->nodes_nr + 1) * sizeof(*next)), *path = xcalloc((size_t)g->nodes_nr + 1, sizeof(*path));
	uint8_t *state = xcalloc((size_t)g->nodes_nr + 1, 1); /* 1: on the path, 2: done */
	memcpy(next, starts, ((size_t)g->nodes_nr + 1) * sizeof(*next));
	for (uint32_t root = 0; root < g->nodes_nr; root++) {
		uint32_t depth = 0;
		if (state[root])
			continue;
		path[depth++] = root;
		state[root] = 1;
		while (depth) {
			uint32_t n = path[depth - 1];
			if (next[n] == starts[n + 1]) {
				state[n] = 2;
				depth--;
				continue;
			}
			uint32_t e = out[next[n]++], to = g->edges[e].to;
			l->reversed[e] = state[to] == 1;
			if (!state[to]) {
				state[to] = 1;
				path[depth++] = to;
			}
		}
	}
	free(out);
	free(starts);
	free(next);
	free(path);
	free(state);
}

/* ---- ranks ---- */

static uint32_t key_top(const void *ctx, uint32_t i)
{
	return edge_top(ctx, i);
}

/* Ranks a node by the longest path to it, then moves it down towards its callees. */
static void rank_nodes(struct layout *l)
{
	const struct layered_graph *g = l->g;
	uint32_t *out, *starts = list_by(g->nodes_nr, g->edges_nr, key_top, l, &out);
	uint32_t *waits = xcalloc((size_t)g->nodes_nr + 1, sizeof(*waits)), *order = xcalloc((size_t)g->nodes_nr + 1, sizeof(*order));
	uint32_t nr = 0;
	for (uint32_t e = 0; e < g->edges_nr; e++)
		waits[edge_bottom(l, e)]++;
	for (uint32_t n = 0; n < g->nodes_nr; n++)
		if (!waits[n])
			order[nr++] = n;
	for (uint32_t i = 0; i < nr; i++) {
		const struct spot *s = &l->spots.data[order[i]];
		for (uint32_t k = starts[order[i]]; k < starts[order[i] + 1]; k++) {
			uint32_t to = edge_bottom(l, out[k]);
			struct spot *below = &l->spots.data[to];
			below->rank = below->rank > s->rank ? below->rank : s->rank + 1;
			if (!--waits[to])
				order[nr++] = to;
		}
	}
	for (uint32_t i = nr; i--;) {
		struct spot *s = &l->spots.data[order[i]];
		uint32_t nearest = NONE;
		for (uint32_t k = starts[order[i]]; k < starts[order[i] + 1]; k++) {
			uint32_t rank = l->spots.data[edge_bottom(l, out[k])].rank;
			nearest = rank < nearest ? rank : nearest;
		}
		if (nearest != NONE && nearest > s->rank + 1)
			s->rank = nearest - 1;
	}
	for (uint32_t n = 0; n < g->nodes_nr; n++)
		l->ranks = l->spots.data[n].rank >= l->ranks ? l->spots.data[n].rank + 1 : l->ranks;
	free(out);
	free(starts);
	free(waits);
	free(order);
}

/* ---- links ---- */

static void cut_edges(struct layout *l)
{
	const struct layered_graph *g = l->g;
	for (uint32_t e = 0; e < g->edges_nr; e++) {
		uint32_t top = edge_top(l, e), bottom = edge_bottom(l, e), at = top;
		double weight = g->edges[e].weight;
		l->chain_first[e] = (uint32_t)l->spots.len;
		for (uint32_t rank = l->spots.data[top].rank + 1; rank < l->spots.data[bottom].rank; rank++) {
			struct spot bend = { .width = g->gap_x / 4, .rank = rank };
			struct link link = { at, (uint32_t)l->spots.len, weight };
			at = link.down;
			vec_push(&l->spots, bend);
			vec_push(&l->links, link);
		}
		struct link last = { at, bottom, weight };
		vec_push(&l->links, last);
	}
	l->chain_first[g->edges_nr] = (uint32_t)l->spots.len;
}

static uint32_t key_up(const void *ctx, uint32_t i)
{
	return ((const struct layout *)ctx)->links.data[i].up;
}

static uint32_t key_down(const void *ctx, uint32_t i)
{
	return ((const struct layout *)ctx)->links.data[i].down;
}

static uint32_t key_rank(const void *ctx, uint32_t i)
{
	return ((const struct layout *)ctx)->spots.data[i].rank;
}

static void number_layers(struct layout *l)
{
	for (uint32_t r = 0; r < l->ranks; r++)
		for (uint32_t i = 0; i < l->layer_nr[r]; i++)
			l->spots.data[l->layers[r][i]].at = i;
}

/* ---- order ---- */

struct position {
	double at;
	uint32_t spot, was;
};

static int compare_positions(const void *a, const void *b)
{
	const struct position *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->was < y->was ? -1 : x->was > y->was;
}

/* Orders the spots of a layer by the weighted mean position of their neighbours in the layer above (or below). */
static void order_layer(struct layout *l, uint32_t rank, bool by_upper, struct position *positions)
{
	uint32_t nr = l->layer_nr[rank];
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t spot = l->layers[rank][i];
		const uint32_t *starts = by_upper ? l->up_start : l->down_start, *list = by_upper ? l->up : l->down;
		double sum = 0, weight = 0;
		for (uint32_t k = starts[spot]; k < starts[spot + 1]; k++) {
			const struct link *link = &l->links.data[list[k]];
			uint32_t other = by_upper ? link->up : link->down;
			sum += link->weight * l->spots.data[other].at;
			weight += link->weight;
		}
		positions[i] = (struct position){ weight > 0 ? sum / weight : i, spot, i };
	}
	qsort(positions, nr, sizeof(*positions), compare_positions);
	for (uint32_t i = 0; i < nr; i++) {
		l->layers[rank][i] = positions[i].spot;
		l->spots.data[positions[i].spot].at = i;
	}
}

struct ends {
	uint32_t up, down;
};

static int compare_ends(const void *a, const void *b)
{
	const struct ends *x = a, *y = b;
	if (x->up != y->up)
		return x->up < y->up ? -1 : 1;
	return x->down < y->down ? -1 : x->down > y->down;
}

/* Crossings between a layer and the next: inversions among links, counted in a Fenwick tree. */
static uint64_t count_crossings(const struct layout *l, uint32_t rank, struct ends *ends, uint32_t *sums)
{
	uint32_t nr = 0, width = l->layer_nr[rank + 1];
	uint64_t crossings = 0;
	for (uint32_t i = 0; i < l->layer_nr[rank]; i++) {
		uint32_t spot = l->layers[rank][i];
		for (uint32_t k = l->down_start[spot]; k < l->down_start[spot + 1]; k++)
			ends[nr++] = (struct ends){ i, l->spots.data[l->links.data[l->down[k]].down].at };
	}
	qsort(ends, nr, sizeof(*ends), compare_ends);
	memset(sums, 0, ((size_t)width + 1) * sizeof(*sums));
	for (uint32_t i = nr; i--;) {
		/* those after it that end further left */
		for (uint32_t at = ends[i].down; at; at &= at - 1)
			crossings += sums[at];
		for (uint32_t at = ends[i].down + 1; at <= width; at += at & -at)
			sums[at]++;
	}
	return crossings;
}

static uint64_t all_crossings(const struct layout *l, struct ends *ends, uint32_t *sums)
{
	uint64_t crossings = 0;
	for (uint32_t r = 0; r + 1 < l->ranks; r++)
		crossings += count_crossings(l, r, ends, sums);
	return crossings;
}

static void order_layers(struct layout *l)
{
	size_t spots = l->spots.len;
	struct position *positions = xcalloc(spots + 1, sizeof(*positions));
	struct ends *ends = xcalloc(l->links.len + 1, sizeof(*ends));
	uint32_t *sums = xcalloc(spots + 2, sizeof(*sums)), *best = xcalloc(spots + 1, sizeof(*best));
	uint64_t fewest = UINT64_MAX;
	for (uint32_t sweep = 0; sweep <= ORDER_SWEEPS && fewest; sweep++) {
		for (uint32_t r = 1; r < l->ranks && sweep; r++) {
			bool downwards = sweep % 2;
			order_layer(l, downwards ? r : l->ranks - 1 - r, downwards, positions);
		}
		uint64_t crossings = all_crossings(l, ends, sums);
		if (crossings >= fewest)
			continue;
		fewest = crossings;
		for (size_t i = 0; i < spots; i++)
			best[i] = l->spots.data[i].at;
	}
	for (uint32_t i = 0; i < spots; i++) {
		struct spot *s = &l->spots.data[i];
		s->at = best[i];
		l->layers[s->rank][s->at] = i;
	}
	free(positions);
	free(ends);
	free(sums);
	free(best);
}

/* ---- places ---- */

static double distance(const struct layout *l, uint32_t left, uint32_t right)
{
	return (l->spots.data[left].width + l->spots.data[right].width) / 2 + l->g->gap_x;
}

/* Spots pushed against each other, which are placed as one. */
struct block {
	double position, weight;
	uint32_t nr;
};

/* Places the spots of a layer as near to their desired positions as possible without overlap: least squares, by pooling adjacent
 * violators. */
static void settle(struct layout *l, uint32_t rank, const double *positions, const double *weights, struct block *blocks)
{
	uint32_t nr = l->layer_nr[rank], blocks_nr = 0;
	const uint32_t *layer = l->layers[rank];
	double shift = 0;
	for (uint32_t i = 0; i < nr; i++) {
		shift += i ? distance(l, layer[i - 1], layer[i]) : 0;
		struct block b = { positions[i] - shift, weights[i], 1 };
		for (; blocks_nr && blocks[blocks_nr - 1].position > b.position; blocks_nr--) {
			const struct block *before = &blocks[blocks_nr - 1];
			double weight = before->weight + b.weight;
			b = (struct block){ (before->position * before->weight + b.position * b.weight) / weight, weight,
					    before->nr + b.nr };
		}
		blocks[blocks_nr++] = b;
	}
	shift = 0;
	for (uint32_t i = 0, b = 0, left = blocks_nr ? blocks[0].nr : 0; i < nr; i++, left--) {
		if (!left)
			left = blocks[++b].nr;
		shift += i ? distance(l, layer[i - 1], layer[i]) : 0;
		l->spots.data[layer[i]].x = blocks[b].position + shift;
	}
}

static bool is_bend(const struct layout *l, uint32_t spot)
{
	return spot >= l->g->nodes_nr;
}

static void add_wishes(const struct layout *l, uint32_t spot, bool upwards, double *sum, double *weight)
{
	const uint32_t *starts = upwards ? l->up_start : l->down_start, *list = upwards ? l->up : l->down;
	for (uint32_t k = starts[spot]; k < starts[spot + 1]; k++) {
		const struct link *link = &l->links.data[list[k]];
		uint32_t other = upwards ? link->up : link->down;
		double w = link->weight * (is_bend(l, spot) && is_bend(l, other) ? BEND_WEIGHT : 1);
		*sum += w * l->spots.data[other].x;
		*weight += w;
	}
}

/* Downward passes align a layer to the one above, upward passes to the one below, the last pass to both. */
static void place_layers(struct layout *l)
{
	size_t spots = l->spots.len;
	double *positions = xcalloc(spots + 1, sizeof(*positions)), *weights = xcalloc(spots + 1, sizeof(*weights));
	struct block *blocks = xcalloc(spots + 1, sizeof(*blocks));
	for (uint32_t r = 0; r < l->ranks; r++)
		for (uint32_t i = 1; i < l->layer_nr[r]; i++)
			l->spots.data[l->layers[r][i]].x = l->spots.data[l->layers[r][i - 1]].x +
							  distance(l, l->layers[r][i - 1], l->layers[r][i]);
	for (uint32_t sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
		bool downwards = sweep % 2 == 0, both = sweep >= PLACE_SWEEPS / 2;
		for (uint32_t n = 0; n < l->ranks; n++) {
			uint32_t r = downwards ? n : l->ranks - 1 - n;
			for (uint32_t i = 0; i < l->layer_nr[r]; i++) {
				uint32_t spot = l->layers[r][i];
				double sum = 0, weight = 0;
				if (downwards || both)
					add_wishes(l, spot, true, &sum, &weight);
				if (!downwards || both)
					add_wishes(l, spot, false, &sum, &weight);
				positions[i] = weight > 0 ? sum / weight : l->spots.data[spot].x;
				weights[i] = weight > 0 ? weight : 1e-6;
			}
			settle(l, r, positions, weights, blocks);
		}
	}
	free(positions);
	free(weights);
	free(blocks);
}

static void stack_layers(struct layout *l)
{
	double y = 0, left = 0, right = 0;
	for (uint32_t r = 0; r < l->ranks; r++) {
		double height = 0;
		for (uint32_t i = 0; i < l->layer_nr[r]; i++) {
			const struct spot *s = &l->spots.data[l->layers[r][i]];
			height = s->height > height ? s->height : height;
		}
		for (uint32_t i = 0; i < l->layer_nr[r]; i++) {
			struct spot *s = &l->spots.data[l->layers[r][i]];
			s->y = y + height / 2;
			if (is_bend(l, l->layers[r][i]))
				s->height = height;
			left = s->x - s->width / 2 < left ? s->x - s->width / 2 : left;
			right = s->x + s->width / 2 > right ? s->x + s->width / 2 : right;
		}
		y += height + l->g->gap_y;
	}
	for (size_t i = 0; i < l->spots.len; i++)
		l->spots.data[i].x -= left;
	l->g->width = right - left;
	l->g->height = y > l->g->gap_y ? y - l->g->gap_y : 0;
}

/* ---- edges ---- */

/* Two points per bend, so that the edge is straight within the layer. */
static void route(struct layout *l, uint32_t e)
{
	struct layered_edge *edge = &l->g->edges[e];
	uint32_t bends = l->chain_first[e + 1] - l->chain_first[e], nr = 0;
	const struct spot *top = &l->spots.data[edge_top(l, e)], *bottom = &l->spots.data[edge_bottom(l, e)];
	struct layered_point *p = xcalloc((size_t)bends * 2 + 2, sizeof(*p));
	p[nr++] = (struct layered_point){ top->x, top->y + top->height / 2 };
	for (uint32_t i = 0; i < bends; i++) {
		const struct spot *s = &l->spots.data[l->chain_first[e] + i];
		p[nr++] = (struct layered_point){ s->x, s->y - s->height / 2 };
		p[nr++] = (struct layered_point){ s->x, s->y + s->height / 2 };
	}
	p[nr++] = (struct layered_point){ bottom->x, bottom->y - bottom->height / 2 };
	for (uint32_t i = 0; l->reversed[e] && i < nr / 2; i++) {
		struct layered_point swap = p[i];
		p[i] = p[nr - 1 - i];
		p[nr - 1 - i] = swap;
	}
	edge->points = p;
	edge->points_nr = nr;
}

static void make_layers(struct layout *l)
{
	uint32_t *items, *starts = list_by(l->ranks, (uint32_t)l->spots.len, key_rank, l, &items);
	l->layers = xcalloc((size_t)l->ranks + 1, sizeof(*l->layers));
	l->layer_nr = xcalloc((size_t)l->ranks + 1, sizeof(*l->layer_nr));
	for (uint32_t r = 0; r < l->ranks; r++) {
		l->layer_nr[r] = starts[r + 1] - starts[r];
		l->layers[r] = items + starts[r];
	}
	l->layers[l->ranks] = items;
	free(starts);
	number_layers(l);
}

void layered_layout(struct layered_graph *g)
{
	struct layout l = { .g = g, .reversed = xcalloc((size_t)g->edges_nr + 1, sizeof(bool)) };
	for (uint32_t i = 0; i < g->nodes_nr; i++) {
		struct spot s = { .width = g->nodes[i].width, .height = g->nodes[i].height };
		vec_push(&l.spots, s);
	}
	l.chain_first = xcalloc((size_t)g->edges_nr + 1, sizeof(*l.chain_first));
	break_cycles(&l);
	rank_nodes(&l);
	cut_edges(&l);
	l.up_start = list_by((uint32_t)l.spots.len, (uint32_t)l.links.len, key_down, &l, &l.up);
	l.down_start = list_by((uint32_t)l.spots.len, (uint32_t)l.links.len, key_up, &l, &l.down);
	make_layers(&l);
	order_layers(&l);
	place_layers(&l);
	stack_layers(&l);
	for (uint32_t i = 0; i < g->nodes_nr; i++) {
		g->nodes[i].x = l.spots.data[i].x;
		g->nodes[i].y = l.spots.data[i].y;
	}
	for (uint32_t e = 0; e < g->edges_nr; e++)
		route(&l, e);
	free(l.layers[l.ranks]);
	free(l.layers);
	free(l.layer_nr);
	free(l.up_start);
	free(l.up);
	free(l.down_start);
	free(l.down);
	free(l.chain_first);
	free(l.reversed);
	vec_deinit(&l.spots);
	vec_deinit(&l.links);
}

void layered_free(struct layered_graph *g)
{
	for (uint32_t e = 0; e < g->edges_nr; e++)
		free(g->edges[e].points);
}
