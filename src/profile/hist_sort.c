/* The order of a report's rows. */
#include <stdlib.h>

#include "base/mem.h"
#include "profile/hist_priv.h"

struct sorter {
	const struct hist *h;
	const struct hist_key *by;
	uint32_t by_nr, event;
	uint32_t thread; /* label column that tells threads apart, or PROFILE_NONE */
};

static int compare_u64_down(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* The deciding event first, then the others of the group in their order. */
static int compare_values(const struct sorter *s, const struct hist_entry *a, const struct hist_entry *b,
			  enum column_id id)
{
	const struct hist_stat *x = hist_stats(s->h, a), *y = hist_stats(s->h, b);
	int order = compare_u64_down(hist_value(&x[s->event], id), hist_value(&y[s->event], id));
	/* With children the reference asks the deciding event alone. */
	for (uint32_t j = 0; !order && id != COLUMN_OVERHEAD_CHILDREN && j < s->h->options.events_nr; j++)
		if (j != s->event)
			order = compare_u64_down(hist_value(&x[j], id), hist_value(&y[j], id));
	return order;
}

/* Callers come before what they call where both have the same share: the entry with the longer stacks below it first. */
static int compare_depth(const struct sorter *s, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct hist *h = s->h;
	if (hist_label(h, a, s->thread, 0) != hist_label(h, b, s->thread, 0))
		return 0;
	int order = a->max_depth > b->max_depth ? -1 : a->max_depth < b->max_depth;
	return h->options.callee_first ? -order : order;
}

static int compare(const struct sorter *s, uint32_t ia, uint32_t ib)
{
	const struct hist *h = s->h;
	const struct hist_entry *a = &h->entries.data[ia], *b = &h->entries.data[ib];
	for (uint32_t i = 0; i < s->by_nr; i++) {
		const struct hist_key *k = &s->by[i];
		int order;
		if (k->column->from == COLUMN_FROM_VALUES) {
			order = compare_values(s, a, b, k->column->id);
			if (!order && h->options.callers_above && k->column->id == COLUMN_OVERHEAD_CHILDREN)
				order = compare_depth(s, a, b);
		} else {
			order = column_compare(h, k, a, b);
		}
		if (order)
			return order;
	}
	return 0;
}

/* By what tells entries apart, in the order of the keys. */
static int compare_identity(const void *pa, const void *pb, void *ctx)
{
	const struct hist *h = ((const struct sorter *)ctx)->h;
	uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	for (uint32_t i = 0; i < h->options.keys_nr; i++) {
		int order = column_compare_identity(h, &h->options.keys[i], &h->entries.data[ia], &h->entries.data[ib]);
		if (order)
			return order;
	}
	return ia < ib ? -1 : ia > ib;
}

/*
 * Callers are put above callees only within one thread, so the order is not transitive, and what comes out depends on how
 * it is found. The reference puts entries into a red-black tree one by one; the same tree gives the same report.
 */
#define NIL UINT32_MAX

struct tree {
	uint32_t root;
	struct tree_node {
		uint32_t parent, child[2];
		bool red;
	} *nodes;
};

static void rotate(struct tree *t, uint32_t n, int side)
{
	struct tree_node *nodes = t->nodes;
	uint32_t up = nodes[n].child[!side], parent = nodes[n].parent;
	nodes[n].child[!side] = nodes[up].child[side];
	if (nodes[up].child[side] != NIL)
		nodes[nodes[up].child[side]].parent = n;
	nodes[up].parent = parent;
	if (parent == NIL)
		t->root = up;
	else
		nodes[parent].child[nodes[parent].child[1] == n] = up;
	nodes[up].child[side] = n;
	nodes[n].parent = up;
}

static void rebalance(struct tree *t, uint32_t n)
{
	struct tree_node *nodes = t->nodes;
	uint32_t parent;
	while ((parent = nodes[n].parent) != NIL && nodes[parent].red) {
		uint32_t above = nodes[parent].parent;
		int side = nodes[above].child[1] == parent;
		uint32_t uncle = nodes[above].child[!side];
		if (uncle != NIL && nodes[uncle].red) {
			nodes[parent].red = nodes[uncle].red = false;
			nodes[above].red = true;
			n = above;
			continue;
		}
		if (nodes[parent].child[!side] == n) {
			rotate(t, parent, side);
			n = parent;
			parent = nodes[n].parent;
		}
		nodes[parent].red = false;
		nodes[above].red = true;
		rotate(t, above, !side);
	}
	nodes[t->root].red = false;
}

static void insert(struct tree *t, const struct sorter *s, uint32_t n)
{
	uint32_t parent = NIL, at = t->root;
	int side = 0;
	while (at != NIL) {
		parent = at;
		side = compare(s, n, at) >= 0;
		at = t->nodes[at].child[side];
	}
	t->nodes[n] = (struct tree_node){ .parent = parent, .child = { NIL, NIL }, .red = true };
	if (parent == NIL)
		t->root = n;
	else
		t->nodes[parent].child[side] = n;
	rebalance(t, n);
}

static uint32_t first_of(const struct tree *t, uint32_t n)
{
	while (n != NIL && t->nodes[n].child[0] != NIL)
		n = t->nodes[n].child[0];
	return n;
}

static uint32_t next_of(const struct tree *t, uint32_t n)
{
	if (t->nodes[n].child[1] != NIL)
		return first_of(t, t->nodes[n].child[1]);
	uint32_t parent;
	while ((parent = t->nodes[n].parent) != NIL && t->nodes[parent].child[1] == n)
		n = parent;
	return parent;
}

void hist_sort(struct hist *h, const struct hist_key *by, uint32_t by_nr, uint32_t event)
{
	struct sorter s = { .h = h, .by = by, .by_nr = by_nr, .event = event < h->options.events_nr ? event : 0 };
	uint32_t n = (uint32_t)h->entries.len;
	s.thread = h->thread_label;
	if (s.thread == PROFILE_NONE)
		s.thread = profile_find_column(h->profile, "comm");
	h->order = xreallocarray(h->order, n + 1, sizeof(*h->order));
	for (uint32_t i = 0; i < n; i++)
		h->order[i] = i;
	qsort_r(h->order, n, sizeof(*h->order), compare_identity, &s);
	struct tree t = { .root = NIL, .nodes = xreallocarray(NULL, n + 1, sizeof(*t.nodes)) };
	for (uint32_t i = 0; i < n; i++)
		insert(&t, &s, h->order[i]);
	h->order_nr = 0;
	for (uint32_t e = first_of(&t, t.root); e != NIL; e = next_of(&t, e))
		if (!h->entries.data[e].hidden)
			h->order[h->order_nr++] = e;
	free(t.nodes);
}
