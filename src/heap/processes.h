/*
 * A command and the processes that come of it, each with its region of libstrobe_alloc.so: from their beginning to their end.
 *
 * The library sends each region through a socket in a directory that only its user may enter. What a process has counted is added to
 * the heap when it ends or executes another program, however it ends: the region is shared memory. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "heap/heap.h"
#include "session/host.h"

struct heap_settings {
	uint64_t rate;          /* mean distance of samples in bytes; 1: each allocation */
	uint64_t depth;         /* most frames of a stack */
	uint64_t seed;          /* of the choice of samples; 0: another one each time */
	bool mmap;              /* count mappings that programs make themselves, too */
	bool leaks;             /* look for them when programs end */
	uint64_t snapshot_ns;   /* a profile so often; 0: at the end only */
};

struct heap_run {
	const struct session_host *host;
	struct heap_settings settings;
	char *const *command;   /* ends with NULL */
	bool stdout_to_stderr;  /* what the command prints must not break a document on our standard output */
	/* Called with a heap of what all running processes have in use by then; it is the caller's until it returns. */
	struct strobe_error *(*snapshot)(void *ctx, struct heap *heap);
	void *ctx;
};

/*
 * Runs the command to its end and adds what its processes allocated to *heap. *ret_status: of wait(2). A command that cannot be
 * started is an error with the status that shells have for it.
 */
struct strobe_error *heap_run_command(const struct heap_run *run, struct heap *heap, int *ret_status) _must_check_;
