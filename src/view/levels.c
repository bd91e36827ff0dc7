#include "view/levels.h"

#include <stdlib.h>

#include "base/mem.h"

static int compare_identity(const void *pa, const void *pb, void *ctx)
{
	const struct levels *l = ctx;
	const struct hist *h = l->hist;
	for (uint32_t i = 0; i < l->nr; i++) {
		int order = column_compare_identity(h, l->keys[i], &h->entries.data[*(const uint32_t *)pa],
						    &h->entries.data[*(const uint32_t *)pb]);
		if (order)
			return order;
	}
	return *(const uint32_t *)pa < *(const uint32_t *)pb ? -1 : *(const uint32_t *)pa > *(const uint32_t *)pb;
}

struct sibling_order {
	const struct levels *l;
	uint32_t level;
};

static int compare_siblings(const void *pa, const void *pb, void *ctx)
{
	const struct sibling_order *o = ctx;
	const struct hist *h = o->l->hist;
	const struct level_node *a = *(struct level_node *const *)pa, *b = *(struct level_node *const *)pb;
	for (uint32_t j = 0; j < h->options.events_nr; j++)
		if (a->stats[j].period != b->stats[j].period)
			return a->stats[j].period > b->stats[j].period ? -1 : 1;
	const struct hist_key *k = o->l->keys[o->level];
	const struct hist_entry *x = &h->entries.data[a->entry], *y = &h->entries.data[b->entry];
	int order = column_compare(h, k, x, y);
	return order ? order : column_compare_identity(h, k, x, y);
}

static void add_stats(struct hist_stat *to, const struct hist_stat *from, uint32_t n)
{
	for (uint32_t j = 0; j < n; j++) {
		to[j].period += from[j].period;
		to[j].samples += from[j].samples;
		to[j].weight += from[j].weight;
		to[j].children += from[j].children;
		to[j].children_samples += from[j].children_samples;
		to[j].latency += from[j].latency;
		to[j].latency_children += from[j].latency_children;
		to[j].sys += from[j].sys;
		to[j].user += from[j].user;
		to[j].guest_sys += from[j].guest_sys;
		to[j].guest_user += from[j].guest_user;
		for (unsigned k = 0; to[j].kinds && k < ACCESS_KINDS; k++)
			to[j].kinds[k] += from[j].kinds[k];
	}
}

/* Creates the nodes of one level from sorted entries that are equal on the levels above. */
static void grow(struct levels *l, struct level_node *parent, const uint32_t *entries, uint32_t n, uint32_t level)
{
	const struct hist *h = l->hist;
	uint32_t events = h->options.events_nr;
	parent->children = arena_new_array(&l->arena, struct level_node *, n);
	for (uint32_t from = 0, to; from < n; from = to) {
		struct level_node *node = arena_new(&l->arena, struct level_node);
		node->entry = entries[from];
		node->stats = arena_new_array(&l->arena, struct hist_stat, events);
		for (uint32_t j = 0; h->data_src_label != PROFILE_NONE && j < events; j++)
			node->stats[j].kinds = arena_new_array(&l->arena, uint64_t, ACCESS_KINDS);
		node->leaf = level + 1 == l->nr;
		for (to = from; to < n; to++) {
			if (to > from && column_compare_identity(h, l->keys[level], &h->entries.data[entries[from]],
								 &h->entries.data[entries[to]]))
				break;
			add_stats(node->stats, hist_stats(h, &h->entries.data[entries[to]]), events);
		}
		if (!node->leaf)
			grow(l, node, entries + from, to - from, level + 1);
		parent->children[parent->children_nr++] = node;
	}
	struct sibling_order order = { l, level };
	qsort_r(parent->children, parent->children_nr, sizeof(*parent->children), compare_siblings, &order);
}

void levels_create(struct levels *l, const struct report *r, const struct report_part *part, const uint32_t *entries, uint32_t n)
{
	*l = (struct levels){ .hist = part->hist };
	arena_init(&l->arena);
	l->keys = arena_new_array(&l->arena, const struct hist_key *, r->fields_nr + 1);
	l->fields = arena_new_array(&l->arena, uint32_t, r->fields_nr + 1);
	for (uint32_t i = 0; i < r->fields_nr; i++)
		if (r->fields[i].column->from != COLUMN_FROM_VALUES && !r->fields[i].elided) {
			l->fields[l->nr] = i;
			l->keys[l->nr++] = &r->fields[i];
		}
	if (!l->nr || !n)
		return;
	uint32_t *sorted = xmemdup(entries, n * sizeof(*sorted));
	qsort_r(sorted, n, sizeof(*sorted), compare_identity, l);
	grow(l, &l->root, sorted, n, 0);
	free(sorted);
}

void levels_deinit(struct levels *l)
{
	arena_deinit(&l->arena);
	*l = (struct levels){};
}
