/*
 * Pages that the kernel gave and got back, summed up by page and by call site.
 *
 *	kmem_pages_alloc(&p, &what);    ... kmem_pages_free(&p, page, order);
 *	kmem_pages_finish(&p, &page_keys, &caller_keys);
 *	... p.pages, p.callers ...
 *	kmem_pages_deinit(&p);
 *
 * live and page_bytes are set before the first; else a zeroed struct is empty. live: sums are of the pages that are not given back.
 * One thread. A free without an allocation is counted alone. Sources: include/trace/events/kmem.h; the sums are perf's.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "analysis/kmem/kmem_sort.h"
#include "base/idset.h"
#include "base/u64map.h"
#include "base/vector.h"

#define KMEM_ORDERS       16 /* of pages: what is greater counts as the last */
#define KMEM_MIGRATETYPES 5  /* the last: that and what is greater */

struct kmem_page_row {
	uint64_t page;     /* its number, or address in older kernels; 0 in rows by call site */
	uint64_t callsite; /* of the last allocation */
	uint32_t order, migratetype, gfp;
	uint64_t bytes;
	uint64_t hits;     /* allocations; 0: given back */
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
	struct kmem_page_rows pages, callers; /* pages: of allocations of a size and kind; live: those that are not given back */
	VEC(struct kmem_page_row) held;       /* not given back; hits 0: a free place */
	VEC(uint32_t) free_places;
	struct u64map held_by_page;
	struct kmem_page_count allocs, frees, unmatched_frees, failures;
	int64_t orders[KMEM_ORDERS][KMEM_MIGRATETYPES];
};

void kmem_pages_deinit(struct kmem_pages *p);
/* what: page to gfp. */
void kmem_pages_alloc(struct kmem_pages *p, const struct kmem_page_row *what);
/* It was requested, and there was none. */
void kmem_pages_fail(struct kmem_pages *p, uint32_t order);
void kmem_pages_free(struct kmem_pages *p, uint64_t page, uint32_t order);
/* After all: the greatest first; what is equal by its page or call site, order, migrate type and flags. */
void kmem_pages_finish(struct kmem_pages *p, const struct kmem_keys *of_pages, const struct kmem_keys *of_callers);
