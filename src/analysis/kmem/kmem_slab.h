/*
 * Allocations and frees of the kernel's slab allocator, summed up by call site and by address.
 *
 *	kmem_slab_alloc(&s, callsite, address, requested, given, cpu);    ... kmem_slab_free(&s, address, cpu);
 *	kmem_slab_sort(&s.callers, &keys);
 *	kmem_slab_deinit(&s);
 *
 * A zeroed struct is empty. Sizes in bytes. One thread. The sums are perf's: an object may be freed twice, since the records in between
 * may be lost; its last size counts each time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "analysis/kmem/kmem_sort.h"
#include "base/u64map.h"
#include "base/vector.h"

struct kmem_slab_row {
	uint64_t callsite, address; /* address: 0 in rows by call site; callsite: in rows by address, that of the last allocation */
	uint64_t requested, given;  /* bytes */
	uint64_t last_given;
	uint32_t hits;
	uint32_t pingpongs;         /* freed on another CPU */
	int32_t cpu;                /* of the last allocation; -1: freed */
};

struct kmem_slab_rows {
	VEC(struct kmem_slab_row) list;
	struct u64map by_key; /* index; stale once it is sorted */
};

struct kmem_slab {
	struct kmem_slab_rows callers, objects;
	uint64_t requested, given, freed; /* bytes */
	uint64_t allocs, node_crossings;  /* crossings: allocated on another node than the CPU's; counted by the caller */
};

void kmem_slab_deinit(struct kmem_slab *s);
/* Says whether the call site is new. */
bool kmem_slab_alloc(struct kmem_slab *s, uint64_t callsite, uint64_t address, uint64_t requested, uint64_t given, int32_t cpu);
void kmem_slab_free(struct kmem_slab *s, uint64_t address, int32_t cpu);
/* The percentage of allocated bytes that were not requested. */
double kmem_slab_fragmentation(uint64_t requested, uint64_t given);
/* In descending order, equal rows by call site and address. */
void kmem_slab_sort(struct kmem_slab_rows *rows, const struct kmem_keys *keys);
