/*
 * A process whose threads are all stopped: their registers, its mappings, its memory.
 *
 * Stopped by ptrace(2) (PTRACE_SEIZE, PTRACE_INTERRUPT), which sends no signal and leaves no trace when it resumes. Requires
 * permission to trace it (/proc/sys/kernel/yama/ptrace_scope), and that no other process traces it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vector.h"

#define STOPPED_REGISTERS 64

struct stopped_thread {
	pid_t tid;
	uint64_t sp, tls; /* stack pointer, address of the thread control block; 0: unknown */
	uint64_t registers[STOPPED_REGISTERS];
	unsigned registers_nr;
};

struct stopped_map {
	uint64_t start, end;
	bool is_writable, is_readable, is_shared;
	char *path; /* "" if anonymous */
};

struct stopped {
	pid_t pid;
	VEC(struct stopped_thread) threads;
	VEC(struct stopped_map) maps; /* by address */
};

struct strobe_error *stopped_begin(struct stopped *s, pid_t pid) _must_check_;
/* Resumes it. */
void stopped_end(struct stopped *s);
/* The mappings of a process, by address; the list owns the paths. */
struct strobe_error *process_maps(pid_t pid, struct stopped *ret) _must_check_;
void process_maps_deinit(struct stopped *s);
