/*
 * The heap of a process that goes on and has libstrobe_alloc.so loaded, read from outside: it takes no part in that.
 *
 * Needs the right to read its memory, as ptrace(2) does (PTRACE_MODE_ATTACH_REALCREDS). With leaks it stands still for the search.
 */
#pragma once
#include "heap/heap.h"

/* ERROR_NOT_FOUND where the process does not have the library. leaks: look for them, too. */
struct strobe_error *heap_attach(struct heap *heap, uint32_t pid, bool leaks) _must_check_;
