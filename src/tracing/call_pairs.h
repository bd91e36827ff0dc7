/*
 * System calls out of samples of their tracepoints, raw_syscalls:sys_enter and sys_exit or syscalls:sys_enter_* and
 * sys_exit_*: what a recording holds, and what rings bring where BPF cannot be used.
 *
 * Calls are put together thread by thread, in order of time. As in perf a call is shown when another thread's call begins within
 * it, and again when it ends. Strings and structs are not in samples: pointers stay addresses. That a task is a 32-bit one is known
 * where samples have registers of user space. Samples are borrowed for the call. One thread.
 */
#pragma once
#include "resolve/resolve.h"
#include "tracing/lines.h"

/* Where a tracepoint keeps what. */
struct call_point {
	bool is_exit;
	const struct tracepoint_field *number, *ret, *arg[SYSCALL_ARGS]; /* raw: arg[0] is the array of all six */
	bool raw;                                                        /* raw_syscalls: of all calls */
	unsigned args_nr;
};

/* False where it is not the entry or exit of calls. Borrows the tracepoint. */
bool call_point_compile(const struct tracepoint *tp, struct call_point *ret);

struct call_pairs;

struct call_pairs_setup {
	struct trace_lines *lines;
	const struct syscall_table *calls, *compat_calls; /* of the samples' architecture; those of 32-bit programs may be NULL */
	const struct syscall_set *chosen, *compat_chosen; /* NULL: all; borrowed */
	bool user_frames;                                 /* of the stacks of calls only what is the program's */
};

struct call_pairs *call_pairs_create(const struct call_pairs_setup *setup);
void call_pairs_destroy(struct call_pairs *c);
/* points: of the sample's raw data. resolved: the same sample with its call graph, or NULL. */
void call_pairs_take(struct call_pairs *c, const struct tracepoints *points, const struct call_point *p, const struct sample *sample,
		     const struct resolved_sample *resolved);
/* The task has ended, or its number is another's: the call that it was in has no end. */
void call_pairs_forget(struct call_pairs *c, uint32_t tid);
/* Counts the calls that have not ended. */
void call_pairs_finish(struct call_pairs *c);
/* Samples that are shorter than their event's format; they were left out. */
uint64_t call_pairs_damaged(const struct call_pairs *c);
