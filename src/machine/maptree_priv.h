/*
 * The maps of one address space at one time: a tree by address that shares unchanged parts with other times.
 *
 * A treap with path copying. Nodes have the edition that created them: an insertion changes nodes of its own edition in place and
 * copies all others, so a fork costs one pointer, an mmap O(log n), and a tree of an older edition never changes. Maps in a tree do
 * not overlap. Each has the time of its creation, so that additions in place are invisible to look-ups of earlier times.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "machine/machine.h"

struct map_node {
	uint64_t start, end; /* copies of those of *map, for the search */
	uint64_t since_ns;
	const struct map *map;
	const struct map_node *left, *right;
	uint32_t priority, edition;
};

struct maptree {
	struct arena *arena;
	uint32_t random;
};

/* The map that contains address at time_ns, or NULL. */
const struct map *maptree_find(const struct map_node *root, uint64_t address, uint64_t time_ns);
/* Whether [start, end) overlaps any map. */
bool maptree_overlaps(const struct map_node *root, uint64_t start, uint64_t end);
/* The map with exactly this start, or NULL. */
const struct map *maptree_at(const struct map_node *root, uint64_t start);
/* The new root; map must not overlap. */
const struct map_node *maptree_insert(struct maptree *t, const struct map_node *root, const struct map *map, uint64_t since_ns,
				      uint32_t edition);
/*
 * The new root with [start, end) empty: maps that overlap it are cut. Cut pieces keep their since_ns. No node of an
 * older edition is touched.
 */
const struct map_node *maptree_clear(struct maptree *t, const struct map_node *root, uint64_t start, uint64_t end,
				     uint32_t edition);
/* Calls fn for maps that overlap [start, end), by address. */
void maptree_each_in(const struct map_node *root, uint64_t start, uint64_t end, void (*fn)(void *ctx, const struct map *map),
		     void *ctx);
/* In order of addresses; false: fn stopped. */
bool maptree_each(const struct map_node *root, uint64_t time_ns, bool (*fn)(void *ctx, const struct map *map), void *ctx);
