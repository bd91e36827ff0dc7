/*
 * Reads the heap of a running process that has libstrobe_alloc.so loaded, from outside.
 *
 * Requires permission to read its memory, as ptrace(2) does (PTRACE_MODE_ATTACH_REALCREDS). The process is stopped while leaks are
 * searched.
 */
#pragma once
#include <sys/types.h>

#include "heap/heap.h"

/* A copy of a process's region. */
struct heap_copy {
	pid_t pid;
	struct heap_region region;
	uint64_t address; /* in the process */
	uint8_t *bytes;   /* header.bytes of them; only those in use are filled */
	struct alloc_header header;
};

/* ERROR_NOT_FOUND if the process does not have the library. Call heap_copy_deinit() in any case. */
struct strobe_error *heap_copy(struct heap_copy *c, uint32_t pid) _must_check_;
void heap_copy_deinit(struct heap_copy *c);

/* ERROR_NOT_FOUND if the process does not have the library. leaks: search for leaks, too. */
struct strobe_error *heap_attach(struct heap *heap, uint32_t pid, bool leaks) _must_check_;
