/*
 * Heap profiles that the library itself writes: when they are due, by the environment of gperftools.
 *
 * HEAPPROFILE, HEAP_PROFILE_ALLOCATION_INTERVAL, HEAP_PROFILE_INUSE_INTERVAL, HEAP_PROFILE_TIME_INTERVAL, HEAP_PROFILE_SIGNAL.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

extern bool dumps_are_on; /* dumps_check() is to be called for each allocation */

/* Of the environment; true where every allocation is to be counted from the beginning. */
bool dumps_set_up(void);
/* After an allocation has been counted. */
void dumps_check(uint64_t bytes);
/* The last one, where HEAPPROFILE began them. */
void dumps_finish(void);
