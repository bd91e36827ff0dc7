/*
 * The system calls of a machine and of its 32-bit programs, and which of them are traced. Owns its tables; const once made.
 */
#pragma once
#include "base/error.h"
#include "tracing/call_pairs.h"

struct call_choice {
	struct syscall_table *native, *compat; /* compat may be NULL */
	bool all;
	struct syscall_set chosen, compat_chosen; /* not all */
};

/* words: as in syscall_select(); NULL: all. native stays NULL where the architecture (NULL: unknown) has no table. */
struct strobe_error *call_choice_make(struct call_choice *c, const struct arch *arch, const char *words) _must_check_;
void call_choice_deinit(struct call_choice *c);
/* For calls from samples. Borrows the choice. */
struct call_pairs_setup call_choice_pairs(const struct call_choice *c, struct trace_lines *lines);
/* A filter for the tracepoints of raw_syscalls that lets calls with these numbers pass; to be freed. */
char *call_choice_filter(const struct syscall_set *calls);
/* Registers to record with each sample of a call, so that its width is known: one, or 0 where there is only one width. */
uint64_t call_choice_registers(void);
