/*
 * The blocks that are in use and counted: for each address the entry (layout.h) that it is counted in, and its size.
 *
 * A slot for each ALLOC_GRANULE of addresses, in leaves that are mapped where blocks are: no hashing, and no locks, for an address
 * belongs to one thread at a time, from the allocator's return of it to its release. Where allocators give two blocks of 8 bytes in
 * a granule the second has its slot in a second leaf. A filter of the addresses that may be in use lets release of others, nearly
 * all when one in 512 KiB is counted, pass at the cost of one byte's look-up.
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

/* Whether the block may be one that was counted. */
static inline bool blocks_may_have(const void *p)
{
	return __atomic_load_n(blocks_filter_of(p), __ATOMIC_RELAXED) != 0;
}

/* All addresses pass the filter: each allocation is counted. */
void blocks_pass_all(void);
void blocks_pass(const void *p);
/* Forgets all blocks, which are the parent's; the filter stays as it is, and lets too many pass. */
void blocks_clear(void);
/* The slot of a block, already on its way into the cache; NULL where there is no memory for it. */
struct alloc_slot *blocks_slot(const void *p);
/* Writes the block's slot. */
void blocks_put(const void *p, struct alloc_slot *to, const struct alloc_slot *slot);
/* Of the block that an address lies in; NULL: of none that is counted. ret_start: where it begins. */
struct alloc_slot *blocks_find(const void *inside, uintptr_t *ret_start);
/* Takes the block out; false where it is not one that is counted. */
bool blocks_take(const void *p, struct alloc_slot *ret);
