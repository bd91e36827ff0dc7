/*
 * Heap profiles that the library itself writes: when they are due, by the environment of gperftools.
 *
 * HEAPPROFILE, HEAPPROFILESIGNAL, HEAP_PROFILE_{ALLOCATION,DEALLOCATION,INUSE,TIME}_INTERVAL, HEAP_PROFILE_MMAP, HEAP_PROFILE_ONLY_MMAP,
 * HEAP_PROFILE_MMAP_LOG, HEAP_PROFILE_CLEANUP. Source: gperftools docs/heapprofile.html, src/heap-profiler.cc, and libtcmalloc 2.10 as it
 * was seen to work.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

extern bool dumps_are_on; /* dumps_check() is to be called for each allocation and release */

/* Of the environment; true where every allocation is to be counted from the beginning. */
bool dumps_set_up(void);
/* Bytes that have been counted as allocated or released, and whether that makes a dump due: it is written here. */
void dumps_check(uint64_t allocated, uint64_t released);
/* Only the first, where a lock is held. */
void dumps_count(uint64_t allocated, uint64_t released);
/* The last one, where HEAPPROFILE began them. */
void dumps_finish(void);
