/*
 * The blocks that are in use and counted: for each address its entry (layout.h), and its size.
 *
 * A slot for each ALLOC_GRANULE of addresses, in leaves that are mapped on demand: no hashing, and no locks, since a block belongs
 * to one thread at a time from its allocation to its release. If an allocator places two blocks of 8 bytes in a granule, the second
 * has its slot in a second leaf. A filter of the addresses that may be counted makes the release of others, nearly all when one in
 * 512 KiB is counted, cost only one byte's look-up.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/layout.h"

#define FILTER_BITS 14
extern uint8_t blocks_filter[1 << FILTER_BITS];

static inline uint8_t *blocks_filter_of(const void *p)
{
	return &blocks_filter[(uint64_t)((uintptr_t)p >> 3) * 0x9e3779b97f4a7c15ull >> (64 - FILTER_BITS)];
}

/* Whether the block may have been counted. */
static inline bool blocks_may_have(const void *p)
{
	return __atomic_load_n(blocks_filter_of(p), __ATOMIC_RELAXED) != 0;
}

/* All addresses pass the filter: each allocation is counted. */
void blocks_pass_all(void);
void blocks_pass(const void *p);
/* In a child of fork(): forgets all blocks, which belong to the parent. The filter is kept, and passes too many addresses. */
void blocks_clear(void);
/* The slot of a block, which is prefetched; NULL: no memory for it. */
struct alloc_slot *blocks_slot(const void *p);
/* Writes the block's slot. */
void blocks_put(const void *p, struct alloc_slot *to, const struct alloc_slot *slot);
/* The slot of the block that contains an address; NULL: no counted block. ret_start: its begin. */
struct alloc_slot *blocks_find(const void *inside, uintptr_t *ret_start);
/* Removes the block; false if it was not counted. */
bool blocks_take(const void *p, struct alloc_slot *ret);
