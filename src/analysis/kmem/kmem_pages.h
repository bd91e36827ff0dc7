/*
 * Allocations and frees of pages, summed up by page and by call site.
 *
 *	kmem_pages_alloc(&p, &what);    ... kmem_pages_free(&p, page, order);
 *	kmem_pages_finish(&p, &page_keys, &caller_keys);
 *	... p.pages, p.callers ...
 *	kmem_pages_deinit(&p);
 *
 * A zeroed struct is empty; set live and page_bytes before the first call. live: sums only include pages that were not freed. One thread.
 * A free without an allocation is only counted. Sources: include/trace/events/kmem.h; the sums are perf's.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "analysis/kmem/kmem_sort.h"
#include "base/idset.h"
#include "base/u64map.h"
#include "base/vector.h"

#define KMEM_ORDERS       16 /* orders of pages; larger ones count as the last */
#define KMEM_MIGRATETYPES 5  /* the last one includes all greater numbers */

struct kmem_page_row {
	uint64_t page;     /* its number, or address in older kernels; 0 in rows by call site */
	uint64_t callsite; /* of the last allocation */
	uint32_t order, migratetype, gfp;
	uint64_t bytes;
	uint64_t hits;     /* allocations; 0: freed */
};

struct kmem_page_count {
	uint64_t requests, bytes;
};

struct kmem_page_rows {
	VEC(struct kmem_page_row) list;
	struct idset index; /* stale once it is sorted */
};

struct kmem_pages {
	bool live;
	uint64_t page_bytes;
	struct kmem_page_rows pages, callers; /* pages: allocations by size and kind; live: those not freed */
	VEC(struct kmem_page_row) held;       /* not freed; hits 0: a free slot */
	VEC(uint32_t) free_places;
	struct u64map held_by_page;
	struct kmem_page_count allocs, frees, unmatched_frees, failures;
	int64_t orders[KMEM_ORDERS][KMEM_MIGRATETYPES];
};

void kmem_pages_deinit(struct kmem_pages *p);
/* what: page to gfp. */
void kmem_pages_alloc(struct kmem_pages *p, const struct kmem_page_row *what);
/* A failed allocation. */
void kmem_pages_fail(struct kmem_pages *p, uint32_t order);
void kmem_pages_free(struct kmem_pages *p, uint64_t page, uint32_t order);
/* Call it at the end: sorts in descending order, equal rows by page or call site, order, migrate type and flags. */
void kmem_pages_finish(struct kmem_pages *p, const struct kmem_keys *of_pages, const struct kmem_keys *of_callers);
