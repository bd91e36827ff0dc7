/*
 * The sum of the heaps of one or more processes: a profile of call chains, and data that profiles lack: processes, sizes, growth.
 *
 *	struct heap heap;
 *	heap_init(&heap);
 *	heap_add(&heap, &region, pid, leaks);	// of each process image
 *	heap_name(&heap, host);			// functions, files and lines of its addresses
 *	… heap.profile, heap_sites_table(&heap, …) …
 *	heap_deinit(&heap);
 *
 * Addresses in the profile are file addresses, so that processes share them wherever the files were loaded. One thread.
 */
#pragma once
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "heap/region.h"
#include "profile/profile.h"
#include "session/host.h"

/* The events of the profile, in the order of Go's heap profiles, followed by those that Go's lack. */
enum heap_event {
	HEAP_ALLOC_OBJECTS, HEAP_ALLOC_SPACE, HEAP_INUSE_OBJECTS, HEAP_INUSE_SPACE, HEAP_PEAK_OBJECTS, HEAP_PEAK_SPACE,
	HEAP_SHORT_OBJECTS, HEAP_SHORT_SPACE, HEAP_LEAK_OBJECTS, HEAP_LEAK_SPACE, HEAP_EVENTS
};

/* A block that nothing points to. */
struct heap_leak {
	uint64_t address, bytes;
	uint32_t entry; /* in the region */
};

/* All of them, and their sums by entry of the region. */
struct heap_leaks {
	VEC(struct heap_leak) blocks;
	uint64_t *objects, *bytes;
	uint32_t entries_nr;
	uint64_t reached_objects, reached_bytes; /* blocks that do not leak */
};

struct heap_process {
	uint32_t pid;
	const char *program, *comm; /* path and last part of it; in the heap's arena */
	struct heap_counts counts;
	uint64_t leak_objects, leak_bytes, peak_bytes, peak_ns, end_ns, dropped, truncated, stacks;
	bool knows_leaks;
	uint32_t first_point, points_nr; /* in heap.points */
};

struct heap {
	struct arena arena;
	struct profile *profile;
	uint32_t pid_column, comm_column;
	VEC(struct heap_process) processes;
	VEC(struct alloc_point) points;
	struct heap_counts sizes[256];  /* by alloc_size_class() */
	struct heap_counts total;
	uint64_t leak_objects, leak_bytes, dropped, truncated, rate;
	bool knows_leaks;
};

/* is_live: for running processes; memory in use is then of most interest, otherwise memory at the peak. */
void heap_init(struct heap *h, bool is_live);
void heap_deinit(struct heap *h);
/* leaks NULL: not searched. */
void heap_add(struct heap *h, const struct heap_region *r, uint32_t pid, const struct heap_leaks *leaks);
/* Adds only its leaks, as blocks in use. identify: each with its address instead of the allocating function. */
void heap_add_leaks(struct heap *h, const struct heap_region *r, uint32_t pid, const struct heap_leaks *leaks, bool identify);
/* After the last heap_add(): names the addresses, and orders processes by allocated bytes, largest first. */
struct strobe_error *heap_name(struct heap *h, const struct session_host *host) _must_check_;

/* The half-width of the 95 % interval of an estimate, in bytes; 0 if each allocation was counted. */
double heap_margin(double variance);
/* Its profile without frames of allocators; owned by the caller. */
struct profile *heap_callers(const struct heap *h);
/* Appends the function, or the address if it has no name. */
void heap_frame_name(const struct profile *p, frame_id id, struct strbuf *ret);
