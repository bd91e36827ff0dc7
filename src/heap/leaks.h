/*
 * Blocks that a stopped process can no longer reach: a conservative mark from its roots, in the manner of gperftools' heap checker.
 *
 * Roots are the registers of all threads, their stacks from the stack pointer on, and writable memory without blocks: data of
 * objects, thread-local storage, mappings of the program. Each aligned word that is an address within a block reaches the block,
 * which is then searched itself. The process is stopped by ptrace(2) meanwhile. Every allocation must have been counted, since
 * unknown blocks are not followed. Blocks that the heap checker ignores are roots themselves.
 */
#pragma once
#include <sys/types.h>

#include "heap/heap.h"

/* Restrictions of the search; {} searches for all leaks from all roots. */
struct heap_leaks_options {
	bool no_threads, no_globals; /* leaks include blocks that only their stacks and registers, or only data, reach */
	bool has_since;
	uint64_t since; /* blocks allocated earlier are not leaks (alloc_slot_is_since()) */
	pid_t tid;      /* this thread's stack is searched from stack on, its registers not at all; 0: none */
	uint64_t stack;
	unsigned step;        /* as in struct mark */
	uint64_t offset_most; /* as in struct mark */
};

/* ERROR_PERMISSION if the process may not be traced, ERROR_UNSUPPORTED if it is sampled. */
struct strobe_error *heap_leaks_find(uint32_t pid, const struct heap_region *r, const struct heap_leaks_options *o,
				     struct heap_leaks *ret) _must_check_;
void heap_leaks_deinit(struct heap_leaks *l);
