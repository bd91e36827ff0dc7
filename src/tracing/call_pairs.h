/*
 * System calls from samples of their tracepoints, raw_syscalls:sys_enter and sys_exit or syscalls:sys_enter_* and
 * sys_exit_*: for recordings, and for rings if BPF cannot be used.
 *
 * Entries and exits are paired by thread, in order of time. As in perf a call is shown when another thread's call begins within it,
 * and again when it ends. Samples do not contain strings and structs: pointers are shown as addresses. 32-bit tasks are recognised
 * by user registers in samples. Samples are borrowed for the call. One thread.
 */
#pragma once
#include "resolve/resolve.h"
#include "tracing/lines.h"

/* The fields of a tracepoint. */
struct call_point {
	bool is_exit;
	const struct tracepoint_field *number, *ret, *arg[SYSCALL_ARGS]; /* raw: arg[0] is the array of all six */
	bool raw;                                                        /* raw_syscalls: of all calls */
	unsigned args_nr;
};

/* False: not the entry or exit of calls. Borrows the tracepoint. */
bool call_point_compile(const struct tracepoint *tp, struct call_point *ret);

struct call_pairs;

struct call_pairs_setup {
	struct trace_lines *lines;
	const struct syscall_table *calls, *compat_calls; /* of the samples' architecture; those of 32-bit programs may be NULL */
	const struct syscall_set *chosen, *compat_chosen; /* NULL: all; borrowed */
	bool user_frames;                                 /* show only the user frames of calls */
};

struct call_pairs *call_pairs_create(const struct call_pairs_setup *setup);
void call_pairs_destroy(struct call_pairs *c);
/* points: of the sample's raw data. resolved: the same sample with its call graph, or NULL. */
void call_pairs_take(struct call_pairs *c, const struct tracepoints *points, const struct call_point *p, const struct sample *sample,
		     const struct resolved_sample *resolved);
/* The task has ended, or its ID was reused: its current call has no end. */
void call_pairs_forget(struct call_pairs *c, uint32_t tid);
/* Counts the calls that have not ended. */
void call_pairs_finish(struct call_pairs *c);
/* Number of samples that were dropped since they are shorter than their event's format. */
uint64_t call_pairs_damaged(const struct call_pairs *c);
