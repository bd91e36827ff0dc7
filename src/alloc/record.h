/*
 * What a hooked function does beyond calling the real one: finds out whether an allocation is counted, and counts it.
 *
 * A thread's state lies in its initial TLS, which needs no allocation. Nothing here calls malloc; errno is kept. A signal handler
 * that allocates while its thread counts is passed over.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/blocks.h"
#include "alloc/mappings.h"
#include "alloc/walk.h"

struct thread {
	int64_t left; /* bytes until the next sample; negative: one is due, or all are counted, or the thread is new */
	uint64_t random;
	int64_t in_use; /* bytes that this thread has allocated less those that it has released, not yet added to the region's */
	bool is_known, is_busy, is_noted, is_ending;
	int ignores; /* what it allocates now is never a leak */
};
extern __thread struct thread thread __attribute__((tls_model("initial-exec")));

/* Before the first allocation has been counted the real functions may be unknown: each hook's slow part begins with this. */
bool record_begin(void);
/*
 * Counts bytes off; whether an allocation of that size is to be counted: inline, for it is all that most allocations cost. False
 * negatives there are none; record_is_due() then says whether it really is.
 */
static inline bool record_may_be_due(size_t size)
{
	int64_t left = thread.left - (int64_t)(size | 1);
	thread.left = left;
	return __builtin_expect(left < 0, 0);
}
/* size: as counted off. */
bool record_is_due(size_t size);
/* frame: of a function on the way. */
void record_alloc(void *p, size_t size, struct walk_frame frame);
/* A block that is about to be released; false where it was not counted. */
bool record_take(const void *p, struct alloc_slot *ret);
void record_free(const struct alloc_slot *slot);
/* It was not released after all. */
void record_put_back(const void *p, const struct alloc_slot *slot);
/* A mapping (mappings.h), whatever the rate is; and a part of one that is released. */
void record_map(void *p, uint64_t bytes, struct walk_frame frame);
void record_unmap(const struct mapping *part);
/* From now on every allocation is counted, and nothing of before. False where there is no memory for it. */
bool record_all(void);
/* As slots have it: blocks that were allocated before are older, later ones are not. */
uint64_t record_moment(void);
/* An object may have been unloaded. */
void record_unloaded(void);
