/*
 * The maps of one address space at one time: a tree by address that shares what did not change with other times.
 *
 * A treap with path copying. Nodes carry the edition that made them: an insertion changes nodes of its own edition in place
 * and copies all others, so a fork costs one pointer, an mmap O(log n), and a tree that was handed out under an older
 * edition never changes. Maps in a tree do not overlap. Each says since when it is there, so that additions in place are
 * invisible to questions about earlier times.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "machine/machine.h"

struct map_node {
	uint64_t start, end; /* of *map, here for the search */
	uint64_t since_ns;
	const struct map *map;
	const struct map_node *left, *right;
	uint32_t priority, edition;
};

struct maptree {
	struct arena *arena;
	uint32_t random;
};

/* The map over address that was there at time_ns, or NULL. */
const struct map *maptree_find(const struct map_node *root, uint64_t address, uint64_t time_ns);
/* Whether [start, end) meets any map. */
bool maptree_overlaps(const struct map_node *root, uint64_t start, uint64_t end);
/* The map with exactly this start, or NULL. */
const struct map *maptree_at(const struct map_node *root, uint64_t start);
/* The new root; map must not overlap. */
const struct map_node *maptree_insert(struct maptree *t, const struct map_node *root, const struct map *map, uint64_t since_ns,
				      uint32_t edition);
/*
 * The new root with nothing left in [start, end): maps that reach in are cut. Cut pieces keep their since_ns. No node of an
 * older edition is touched.
 */
const struct map_node *maptree_clear(struct maptree *t, const struct map_node *root, uint64_t start, uint64_t end,
				     uint32_t edition);
/* Those that meet [start, end), by address. */
void maptree_each_in(const struct map_node *root, uint64_t start, uint64_t end, void (*fn)(void *ctx, const struct map *map),
		     void *ctx);
/* By address; false when fn said stop. */
bool maptree_each(const struct map_node *root, uint64_t time_ns, bool (*fn)(void *ctx, const struct map *map), void *ctx);
