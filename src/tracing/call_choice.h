/*
 * The system calls of an architecture and of its 32-bit programs, and the selection of those to trace. Owns its tables; const once made.
 */
#pragma once
#include "base/error.h"
#include "tracing/call_pairs.h"

struct call_choice {
	struct syscall_table *native, *compat; /* compat may be NULL */
	bool all;
	struct syscall_set chosen, compat_chosen; /* not all */
};

/* words: as in syscall_select(); NULL: all. native is NULL if the architecture (NULL: unknown) has no table. */
struct strobe_error *call_choice_make(struct call_choice *c, const struct arch *arch, const char *words) _must_check_;
void call_choice_deinit(struct call_choice *c);
/* For calls from samples. Borrows the choice. */
struct call_pairs_setup call_choice_pairs(const struct call_choice *c, struct trace_lines *lines);
/* A filter for the tracepoints of raw_syscalls that lets calls with these numbers pass; to be freed. */
char *call_choice_filter(const struct syscall_set *calls);
/* Registers to record with samples of calls, to know their width: one, or 0 if there is only one width. */
uint64_t call_choice_registers(void);
