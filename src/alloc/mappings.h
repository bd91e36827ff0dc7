/*
 * Mappings of memory that the program makes by mmap(2) or sbrk(2) itself, if settings.mmap requests them (`strobe heap --mmap`).
 *
 * Anonymous accessible mappings are counted, every one even if allocations are sampled, except those of the allocator for its
 * blocks. Parts may be released: the rest is in a list by address, under a lock that is held for some hundred instructions. In a
 * child of fork() the list is empty.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "alloc/layout.h"

/* The rest of a mapping, or a part of it. */
struct mapping {
	uint64_t start, end;
	struct alloc_slot slot;
	bool is_first; /* the part that counts as the object */
};

/* False if the list is full. */
bool mappings_add(uint64_t start, uint64_t end, const struct alloc_slot *slot);
/* Removes all parts within an address range, and calls release() for each with the lock held. Returns their number. */
unsigned mappings_take(uint64_t start, uint64_t end, void (*release)(const struct mapping *part));
void mappings_forget(void);
