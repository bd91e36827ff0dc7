/*
 * Blocks that a stopped process can no longer reach: a conservative mark from its roots, in the manner of gperftools' heap checker.
 *
 * Roots are the registers of all threads, their stacks from the stack pointer on, and what is writable and holds no blocks: data of
 * objects, thread-local storage, mappings of the program's own. Each aligned word that is an address within a block reaches the block,
 * which is then searched itself. The process is stopped by ptrace(2) meanwhile. Every allocation must have been counted, for a block
 * that is not known is not followed.
 */
#pragma once
#include "heap/heap.h"

/* ERROR_PERMISSION where the process may not be traced, ERROR_UNSUPPORTED where it is sampled. */
struct strobe_error *heap_leaks_find(uint32_t pid, const struct heap_region *r, struct heap_leaks *ret) _must_check_;
void heap_leaks_deinit(struct heap_leaks *l);
