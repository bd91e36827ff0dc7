/*
 * The heap of a process that goes on and has libstrobe_alloc.so loaded, read from outside: it takes no part in that.
 *
 * Requires permission to read its memory, as ptrace(2) does (PTRACE_MODE_ATTACH_REALCREDS). With leaks it stands still for the search.
 */
#pragma once
#include <sys/types.h>

#include "heap/heap.h"

/* A copy of the region of a process. */
struct heap_copy {
	pid_t pid;
	struct heap_region region;
	uint64_t address; /* in the process */
	uint8_t *bytes;   /* header.bytes of them, of which those that are used are there */
	struct alloc_header header;
};

/* ERROR_NOT_FOUND if the process does not have the library. heap_copy_deinit() in any case. */
struct strobe_error *heap_copy(struct heap_copy *c, uint32_t pid) _must_check_;
void heap_copy_deinit(struct heap_copy *c);

/* ERROR_NOT_FOUND if the process does not have the library. leaks: look for them, too. */
struct strobe_error *heap_attach(struct heap *heap, uint32_t pid, bool leaks) _must_check_;
