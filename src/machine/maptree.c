#include "machine/maptree_priv.h"

#include <stddef.h>

const struct map *maptree_find(const struct map_node *n, uint64_t address, uint64_t time_ns)
{
	while (n) {
		if (address < n->start)
			n = n->left;
		else if (address >= n->end)
			n = n->right;
		else
			return n->since_ns <= time_ns ? n->map : NULL;
	}
	return NULL;
}

bool maptree_overlaps(const struct map_node *n, uint64_t start, uint64_t end)
{
	while (n) {
		if (end <= n->start)
			n = n->left;
		else if (start >= n->end)
			n = n->right;
		else
			return true;
	}
	return false;
}

const struct map *maptree_at(const struct map_node *n, uint64_t start)
{
	while (n && n->start != start)
		n = start < n->start ? n->left : n->right;
	return n ? n->map : NULL;
}

/* A writable node: itself if this edition created it, else a copy. */
static struct map_node *own(struct maptree *t, const struct map_node *n, uint32_t edition)
{
	if (n->edition == edition)
		return (struct map_node *)n;
	struct map_node *copy = arena_memdup(t->arena, n, sizeof(*n));
	copy->edition = edition;
	return copy;
}

/* Maps that start below key go left. The depth of the recursion is that of the treap: about 2 log n. */
static void split(struct maptree *t, const struct map_node *n, uint64_t key, uint32_t edition, const struct map_node **ret_l,
		  const struct map_node **ret_r)
{
	if (!n) {
		*ret_l = *ret_r = NULL;
		return;
	}
	struct map_node *o = own(t, n, edition);
	if (n->start < key) {
		split(t, n->right, key, edition, &o->right, ret_r);
		*ret_l = o;
	} else {
		split(t, n->left, key, edition, ret_l, &o->left);
		*ret_r = o;
	}
}

static const struct map_node *join(struct maptree *t, const struct map_node *l, const struct map_node *r, uint32_t edition)
{
	if (!l || !r)
		return l ? l : r;
	if (l->priority >= r->priority) {
		struct map_node *o = own(t, l, edition);
		o->right = join(t, l->right, r, edition);
		return o;
	}
	struct map_node *o = own(t, r, edition);
	o->left = join(t, l, r->left, edition);
	return o;
}

static uint32_t next_random(struct maptree *t)
{
	uint32_t x = t->random ? t->random : 0x9e3779b9;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return t->random = x;
}

static const struct map_node *insert_node(struct maptree *t, const struct map_node *n, struct map_node *fresh, uint32_t edition)
{
	if (!n || n->priority < fresh->priority) {
		split(t, n, fresh->start, edition, &fresh->left, &fresh->right);
		return fresh;
	}
	struct map_node *o = own(t, n, edition);
	if (fresh->start < n->start)
		o->left = insert_node(t, n->left, fresh, edition);
	else
		o->right = insert_node(t, n->right, fresh, edition);
	return o;
}

const struct map_node *maptree_insert(struct maptree *t, const struct map_node *root, const struct map *map, uint64_t since_ns,
				      uint32_t edition)
{
	struct map_node *n = arena_new(t->arena, struct map_node);
	*n = (struct map_node){
		.start = map->start,
		.end = map->end,
		.since_ns = since_ns,
		.map = map,
		.priority = next_random(t),
		.edition = edition,
	};
	return insert_node(t, root, n, edition);
}

static const struct map_node *piece(struct maptree *t, const struct map_node *root, const struct map_node *whole, uint64_t start,
				    uint64_t end, uint32_t edition)
{
	struct map *cut = arena_memdup(t->arena, whole->map, sizeof(*cut));
	/* The kernel's pgoff is not a file offset but the start of its text: it applies to every piece. */
	if (!cut->file || cut->file->kind != MAPPED_KERNEL)
		cut->pgoff += start - cut->start;
	cut->start = start;
	cut->end = end;
	return maptree_insert(t, root, cut, whole->since_ns, edition);
}

static const struct map_node *rightmost(const struct map_node *n)
{
	while (n && n->right)
		n = n->right;
	return n;
}

const struct map_node *maptree_clear(struct maptree *t, const struct map_node *root, uint64_t start, uint64_t end,
				     uint32_t edition)
{
	const struct map_node *below, *from, *inside, *above, *dead;
	split(t, root, start, edition, &below, &from);
	split(t, from, end, edition, &inside, &above);

	/* Of the maps that start below, only the last can overlap the range; of those inside, only the last can exceed it. */
	const struct map_node *last = rightmost(below);
	if (last && last->end > start) {
		struct map_node whole = *last;
		split(t, below, whole.start, edition, &below, &dead);
		below = piece(t, below, &whole, whole.start, start, edition);
		if (whole.end > end)
			above = piece(t, above, &whole, end, whole.end, edition);
	}
	last = rightmost(inside);
	if (last && last->end > end)
		above = piece(t, above, last, end, last->end, edition);
	return join(t, below, above, edition);
}

bool maptree_each(const struct map_node *n, uint64_t time_ns, bool (*fn)(void *ctx, const struct map *map), void *ctx)
{
	if (!n)
		return true;
	return maptree_each(n->left, time_ns, fn, ctx) && (n->since_ns > time_ns || fn(ctx, n->map)) &&
	       maptree_each(n->right, time_ns, fn, ctx);
}

void maptree_each_in(const struct map_node *n, uint64_t start, uint64_t end, void (*fn)(void *ctx, const struct map *map), void *ctx)
{
	while (n) {
		if (n->start >= end) {
			n = n->left;
			continue;
		}
		if (n->end > start) {
			maptree_each_in(n->left, start, end, fn, ctx);
			fn(ctx, n->map);
		}
		n = n->right;
	}
}
