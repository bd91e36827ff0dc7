/*
 * A process whose threads all stand still: their registers, its mappings, its memory.
 *
 * Stopped by ptrace(2) (PTRACE_SEIZE, PTRACE_INTERRUPT), which sends no signal and leaves no trace when it goes on. Requires permission to
 * trace it (/proc/sys/kernel/yama/ptrace_scope), and that nobody else does.
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
	uint64_t sp, tls; /* stack pointer, address of the thread's own data; 0: unknown */
	uint64_t registers[STOPPED_REGISTERS];
	unsigned registers_nr;
};

struct stopped_map {
	uint64_t start, end;
	bool is_writable, is_readable, is_shared;
	char *path; /* "" where it is anonymous */
};

struct stopped {
	pid_t pid;
	VEC(struct stopped_thread) threads;
	VEC(struct stopped_map) maps; /* by address */
};

struct strobe_error *stopped_begin(struct stopped *s, pid_t pid) _must_check_;
/* It goes on. */
void stopped_end(struct stopped *s);
/* How many bytes from address on could be read. */
size_t process_read(pid_t pid, uint64_t address, void *ret, size_t bytes);
/* The mappings of a process, by address; its paths belong to the list. */
struct strobe_error *process_maps(pid_t pid, struct stopped *ret) _must_check_;
void process_maps_deinit(struct stopped *s);
