/*
 * Blocks that a stopped process can no longer reach: a conservative mark from its roots, in the manner of gperftools' heap checker.
 *
 * Roots are the registers of all threads, their stacks from the stack pointer on, and what is writable and holds no blocks: data of
 * objects, thread-local storage, mappings of the program's own. Each aligned word that is an address within a block reaches the block,
 * which is then searched itself. The process is stopped by ptrace(2) meanwhile. Every allocation must have been counted, for a block
 * that is not known is not followed. Blocks that the heap checker ignores are roots themselves.
 */
#pragma once
#include <sys/types.h>

#include "heap/heap.h"

/* What differs from a search for all leaks by all roots; {} is that. */
struct heap_leaks_options {
	bool no_threads, no_globals; /* what only their stacks and registers, or only data and mappings, reach is a leak, too */
	bool has_since;
	uint64_t since; /* blocks that were allocated earlier are no leaks (alloc_slot_is_since()) */
	pid_t tid;      /* this thread's stack is searched from here on, its registers not at all; 0: none's */
	uint64_t stack;
	unsigned step;        /* of struct mark */
	uint64_t offset_most; /* of struct mark */
};

/* ERROR_PERMISSION if the process may not be traced, ERROR_UNSUPPORTED if it is sampled. */
struct strobe_error *heap_leaks_find(uint32_t pid, const struct heap_region *r, const struct heap_leaks_options *o,
				     struct heap_leaks *ret) _must_check_;
void heap_leaks_deinit(struct heap_leaks *l);
