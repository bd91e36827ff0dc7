/* The sort keys of `kmem stat`, for objects and for pages. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum kmem_key {
	KMEM_CALLSITE,
	KMEM_BYTES,
	KMEM_HIT,
	KMEM_FRAGMENTATION, /* objects: */
	KMEM_PTR,
	KMEM_PINGPONG,
	KMEM_PAGE,          /* pages: */
	KMEM_PAGE_ORDER,
	KMEM_MIGRATETYPE,
	KMEM_GFP,
	KMEM_KEYS
};

enum kmem_allocator { KMEM_SLAB, KMEM_PAGES, KMEM_ALLOCATORS };

struct kmem_keys {
	enum kmem_key keys[KMEM_KEYS];
	uint32_t nr;
};

/* "bytes,hit"; NULL: perf's default. ERROR_USAGE lists the keys. */
struct strobe_error *kmem_keys_parse(enum kmem_allocator allocator, const char *text, struct kmem_keys *ret) _must_check_;

/*
 * The keys of each allocator: of[] has its own ones, or NULL; of_any applies to the selected allocators without own keys that have
 * these, at least one.
 */
struct strobe_error *kmem_keys_choose(const char *const of[KMEM_ALLOCATORS], const char *of_any,
				      const bool is_chosen[KMEM_ALLOCATORS], struct kmem_keys ret[KMEM_ALLOCATORS]) _must_check_;

/* For qsort, in descending order. */
static inline int kmem_order(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}
