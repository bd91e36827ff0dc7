/*
 * Mappings of memory that the program makes by mmap(2) or sbrk(2) itself, where settings.mmap requests them (`strobe heap --mmap`).
 *
 * Counted are anonymous ones that may be accessed, each of them also where allocations are sampled, and not those that the allocator
 * makes for its blocks. Parts of them may be released: what is left is a list by address, under a lock that is held for some hundred
 * instructions. A child of fork() begins without any.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "alloc/layout.h"

/* What is left of a mapping: bytes from an address on. */
struct mapping {
	uint64_t start, end;
	struct alloc_slot slot;
	bool is_first; /* of its parts: the one that is counted as the object */
};

/* False if the list is full. */
bool mappings_add(uint64_t start, uint64_t end, const struct alloc_slot *slot);
/* Takes out what is left within an address range, in so many parts; calls release() for each of them, with the lock held. */
unsigned mappings_take(uint64_t start, uint64_t end, void (*release)(const struct mapping *part));
void mappings_forget(void);
