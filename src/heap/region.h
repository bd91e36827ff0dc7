/*
 * The bytes of a region that libstrobe_alloc.so fills (alloc/layout.h), checked: the allocations of one process image.
 *
 * The bytes are borrowed and hostile: the process that wrote them may have overwritten anything, and runs while they are read. Every
 * number is checked against the tables' sizes when it is read; incomplete entries are skipped. Threads may share one.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "alloc/layout.h"
#include "base/error.h"

struct heap_region {
	const uint8_t *bytes;
	size_t bytes_nr;
	struct alloc_header header; /* a copy, with terminated strings */
	uint32_t entries_nr, frames_nr, modules_nr, points_nr, leaves_nr;
};

/* name: of the process, for messages. */
struct strobe_error *heap_region_open(struct heap_region *r, const void *bytes, size_t n, const char *name) _must_check_;

/* Counts of one entry, for all allocations: estimates if the region is sampled. */
struct heap_counts {
	uint64_t alloc_objects, alloc_bytes, in_use_objects, in_use_bytes;
	uint64_t peak_objects, peak_bytes, short_objects, short_bytes;
	double alloc_variance, in_use_variance; /* of the bytes */
};

struct heap_entry {
	struct heap_counts counts;
	const uint64_t *frames; /* in the region; innermost first, with ALLOC_FRAME_EXACT */
	uint32_t depth;
	uint32_t modules_nr;    /* only the first modules_nr modules were known; the last that matches has its code */
	uint8_t size_class;
};

/* False if it is incomplete. */
bool heap_region_entry(const struct heap_region *r, uint32_t n, struct heap_entry *ret);
/* A copy, with a terminated path; false if invalid. */
bool heap_region_module(const struct heap_region *r, uint32_t n, struct alloc_module *ret);
/* The module with the code at an address of the process, when the first modules_nr were known; UINT32_MAX: none. */
uint32_t heap_region_find_module(const struct heap_region *r, uint32_t modules_nr, uint64_t address);
struct alloc_point heap_region_point(const struct heap_region *r, uint32_t n);
struct alloc_leaf heap_region_leaf(const struct heap_region *r, uint32_t n);
/* Adds b to a. */
void heap_counts_add(struct heap_counts *a, const struct heap_counts *b);
