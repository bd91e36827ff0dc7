/*
 * System calls out of samples of their tracepoints, raw_syscalls:sys_enter and sys_exit or syscalls:sys_enter_* and
 * sys_exit_*: what a recording holds, and what rings bring where BPF cannot be used.
 *
 *	s = trace_samples_create(&setup);
 *	TRY(trace_samples_take(s, record)); …    in order of time
 *	trace_samples_finish(s);
 *
 * Calls are put together thread by thread. As in perf a call is shown when another thread's call begins within it,
 * and again when it ends. Strings and structs are not in samples: pointers stay addresses. That a task is a 32-bit one is known
 * where samples have registers of user space. Records are borrowed for the call. One thread.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"
#include "resolve/resolve.h"
#include "tracing/lines.h"

struct trace_samples;

struct trace_samples_setup {
	const struct env *env; /* may grow while records come (a pipe) */
	struct trace_lines *lines;
	const struct syscall_table *calls, *compat_calls; /* of the recording's architecture; those of 32-bit programs may be NULL */
	const struct syscall_set *chosen, *compat_chosen; /* NULL: all; borrowed */
	const struct event_list *events;  /* other events that have lines, by name; NULL: none */
	bool no_calls;
	bool user_frames;                 /* of the stacks of calls only what is the program's */
	struct resolver *resolver;        /* whose samples come, or NULL */
	const pid_t *excluded;            /* processes or threads that are left out */
	size_t excluded_nr;
};

struct trace_samples *trace_samples_create(const struct trace_samples_setup *setup);
void trace_samples_destroy(struct trace_samples *s);
struct strobe_error *trace_samples_take(struct trace_samples *s, struct record r) _must_check_;
/* A sample that a resolver has looked at: with its call graph, and where a page fault was. */
struct strobe_error *trace_samples_take_resolved(struct trace_samples *s, const struct resolved_sample *r) _must_check_;
/* Takes the records of the source, which is in order of time, up to its end or the last line. */
struct strobe_error *trace_samples_read(struct trace_samples *s, struct record_source *ordered) _must_check_;
/* What has no end yet stays so. */
void trace_samples_finish(struct trace_samples *s);

/* Registers to record with each sample of a call, so that its width is known: one, or 0 where there is only one width. */
uint64_t trace_samples_registers(void);
/* Whether there are system calls, or page faults, among the events of a recording. */
bool trace_samples_has_calls(const struct env *env);
/* Whether a resolver is wanted for its events: call graphs, page faults. */
bool trace_samples_want_symbols(const struct env *env);

/* Events that LOST records count. */
uint64_t trace_samples_lost(const struct trace_samples *s);
/* Samples that are shorter than their event says; they were left out. */
uint64_t trace_samples_damaged(const struct trace_samples *s);
