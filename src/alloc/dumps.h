/*
 * Heap profiles written by the library itself, at times set by the environment of gperftools.
 *
 * HEAPPROFILE, HEAPPROFILESIGNAL, HEAP_PROFILE_{ALLOCATION,DEALLOCATION,INUSE,TIME}_INTERVAL, HEAP_PROFILE_MMAP,
 * HEAP_PROFILE_ONLY_MMAP, HEAP_PROFILE_MMAP_LOG, HEAP_PROFILE_CLEANUP. Source: gperftools docs/heapprofile.html,
 * src/heap-profiler.cc, and the observed behaviour of libtcmalloc 2.10.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

extern bool dumps_are_on; /* dumps_check() must be called for each allocation and release */

/* Reads the environment; true if every allocation must be counted from the beginning. */
bool dumps_set_up(void);
/* Adds allocated or released bytes, and writes a dump if one is due. */
void dumps_check(uint64_t allocated, uint64_t released);
/* Only adds the bytes, for callers that hold a lock. */
void dumps_count(uint64_t allocated, uint64_t released);
/* Writes the last dump, if HEAPPROFILE is set. */
void dumps_finish(void);
