/*
 * The entries of the region (layout.h): one for each call chain and size class, found by the hash of both.
 *
 * Found without locks; each entry is changed under its own lock, which is held for some ten instructions. A lock without a holder
 * (in a child of fork(), which has no other threads) only delays the others.
 */
#pragma once
#include <stdint.h>

#include "alloc/layout.h"

/* Finds or adds an entry; UINT32_MAX: the table is full. frames: of the chain, innermost first. */
uint32_t entries_find(uint64_t hash, uint8_t size_class, const uint64_t *frames, unsigned depth);
/* Without its lock: for a process with one thread. */
struct alloc_entry *entries_get(uint32_t entry);
struct alloc_entry *entries_lock(uint32_t entry);
void entries_unlock(struct alloc_entry *e);
/* Empties the index, for a new region. */
void entries_forget(void);
