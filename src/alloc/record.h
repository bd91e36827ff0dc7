/*
 * The work of a hooked function besides calling the real one: decides whether to count an allocation, and counts it.
 *
 * A thread's state is in its initial TLS, which needs no allocation. Nothing here calls malloc; errno is preserved. Allocations of a
 * signal handler are not counted while its thread is counting.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/blocks.h"
#include "alloc/mappings.h"
#include "alloc/walk.h"

struct thread {
	int64_t left; /* bytes until the next sample; negative: a sample is due, or all are counted, or the thread is new */
	uint64_t random;
	int64_t in_use; /* bytes allocated less bytes released by this thread, not yet added to the region's */
	bool is_known, is_busy, is_noted, is_ending;
	int ignores; /* if not 0, its allocations are never leaks */
};
extern __thread struct thread thread __attribute__((tls_model("initial-exec")));

/* Each hook's slow part begins with this, since before the first allocation the real functions are unknown. */
bool record_begin(void);
/*
 * Subtracts the bytes from the distance to the next sample; returns whether to count the allocation. Inline, since most allocations
 * need no more. There are no false negatives; record_is_due() makes the exact decision.
 */
static inline bool record_may_be_due(size_t size)
{
	int64_t left = thread.left - (int64_t)(size | 1);
	thread.left = left;
	return __builtin_expect(left < 0, 0);
}
/* size: as passed to record_may_be_due(). */
bool record_is_due(size_t size);
/* frame: of the hook, where the walk begins. */
void record_alloc(void *p, size_t size, struct walk_frame frame);
/* Removes a block that is about to be released; false if it was not counted. */
bool record_take(const void *p, struct alloc_slot *ret);
void record_free(const struct alloc_slot *slot);
/* Adds it again: it was not released. */
void record_put_back(const void *p, const struct alloc_slot *slot);
/* Counts a mapping (mappings.h), whatever the rate; and the release of a part of one. */
void record_map(void *p, uint64_t bytes, struct walk_frame frame);
void record_unmap(const struct mapping *part);
/* Counts every allocation from now on, and forgets earlier ones. False: out of memory. */
bool record_all(void);
/* The current time in the units of slots, to compare with their time of allocation. */
uint64_t record_moment(void);
/* To be called when an object may have been unloaded. */
void record_unloaded(void);
