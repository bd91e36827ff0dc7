/*
 * A command and its descendants, each with its region of libstrobe_alloc.so, from start to end.
 *
 * The library sends each region through a socket in a directory that only its user may enter. The counts of a process are added to
 * the heap when it ends or executes another program, even if it is killed: the region is shared memory. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "heap/heap.h"
#include "session/host.h"

struct heap_settings {
	uint64_t rate;          /* mean distance of samples in bytes; 1: each allocation */
	uint64_t depth;         /* maximum frames of a stack */
	uint64_t seed;          /* of the choice of samples; 0: random */
	bool mmap;              /* also count mappings made by programs */
	bool leaks;             /* search for leaks when programs end */
	uint64_t snapshot_ns;   /* interval of profiles; 0: only at the end */
};

struct heap_run {
	const struct session_host *host;
	struct heap_settings settings;
	char *const *command;   /* terminated by NULL */
	bool stdout_to_stderr;  /* the command's output must not mix with a document on our standard output */
	/* Called with a heap of all memory in use by running processes; owned by the caller, valid until it returns. */
	struct strobe_error *(*snapshot)(void *ctx, struct heap *heap);
	void *ctx;
};

/*
 * Runs the command to its end and adds the allocations of its processes to *heap. *ret_status: as from wait(2). A command that cannot be
 * started is an error with the exit status of shells for that.
 */
struct strobe_error *heap_run_command(const struct heap_run *run, struct heap *heap, int *ret_status) _must_check_;
