/*
 * The entries of the region (layout.h): one for each call chain and size class, found by the hash of both.
 *
 * Found without locks; each entry is changed under its own lock, which is held for some ten instructions. A holder that is gone (a
 * child of fork() that other threads left behind) does not stop the others for long.
 */
#pragma once
#include <stdint.h>

#include "alloc/layout.h"

/* Adds it where it is new; UINT32_MAX where there is no more room. frames: of the chain, innermost first. */
uint32_t entries_find(uint64_t hash, uint8_t size_class, const uint64_t *frames, unsigned depth);
/* Without its lock: where there is one thread. */
struct alloc_entry *entries_get(uint32_t entry);
struct alloc_entry *entries_lock(uint32_t entry);
void entries_unlock(struct alloc_entry *e);
/* The entries are gone: the region is another. */
void entries_forget(void);
