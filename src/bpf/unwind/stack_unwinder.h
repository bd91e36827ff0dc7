/*
 * Complete user stacks for samples, walked by a BPF program in the kernel by call frame information: record --call-graph eh.
 *
 *	TRY(stack_unwinder_create(&options, &u));          a thread loads the program; attach returns its errors
 *	TRY(capture_open(..., &c));                        events with a user's chain that the kernel leaves out
 *	TRY(stack_unwinder_attach(u, c));
 *	chain_sink_init(&sink, u, file_sink);              bpf/unwind/chain_sink.h: what rings are drained to
 *	...
 *	stack_unwinder_destroy(u);                         before the capture is closed
 *
 * The program writes samples and their stacks into the rings of the capture as one record, in place of the kernel's sample. With
 * several events, sample fields that only their own event can provide, or a period of 2^31 or more, it writes a stack right before its
 * sample, and a chain_sink joins the two. The program finds the mappings of a process in the kernel; a thread compiles the tables of
 * files when the program requests them, once for all processes. Where the program cannot continue (tables that are not ready,
 * expressions), it sends a copy of the stack, and the walk continues in user space when rings are drained. Code without tables is
 * unwound by frame pointers.
 *
 * x86-64 and arm64, from Linux 5.17 on, with permission to load BPF programs and to look at all CPUs; rings of CPUs, not of threads.
 * Errors say what is missing. Thread safety: create, attach and destroy belong to one thread; several may drain.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "bpf/unwind/live_maps.h"
#include "capture/followed.h"
#include "capture/session.h"
#include "unwind/tables.h"

struct stack_unwinder;

/* Waits of threads, as samples of an event of the capture: WAIT_EVENT or OFFCPU_EVENT (record/wait_layout.h). Linux 5.18. */
struct stack_unwinder_waits {
	bool on;
	bool split;           /* with WAIT_EVENT: reasons and wakers; the time runnable is a wait of its own */
	bool of_locks;        /* with WAIT_EVENT: only waits for futexes, until the thread runs again; instead of split */
	uint64_t quantum_ns;  /* waiting time of a thread at one place per sample; the rest is sampled at the end */
	uint32_t frames_max;  /* 0: as many as are kept */
};

struct stack_unwinder_options {
	const struct sys *sys;
	uint32_t frames_max; /* at most UNWIND_FRAMES_MAX; 0 = as many */
	bool no_samples;     /* only waits have their stacks walked */
	struct stack_unwinder_waits waits;
	struct live_clock clock;
	const struct followed_tasks *followed; /* samples of other tasks are dropped; NULL: keep all */
	int followed_map;                      /* task_filter_map() */
	/* Returns the object of a mapped file; may be called from any thread (resolve/symbols). */
	struct unwind_objects (*objects_of)(void *ctx, const struct mapped_file *f);
	void *ctx;
	bool native; /* frames of interpreters are left out */
	/* Called with each code object of scripts as a table of its own, before samples in it; NULL: the table at the end is enough. */
	void (*take_script)(void *ctx, const void *table, size_t bytes);
	void *script_ctx;
};

struct strobe_error *stack_unwinder_create(const struct stack_unwinder_options *o, struct stack_unwinder **ret) _must_check_;
/* Attaches to the events of c that have --call-graph eh, which must not be enabled yet. */
struct strobe_error *stack_unwinder_attach(struct stack_unwinder *u, struct capture *c) _must_check_;
/* Whether the stacks of an event are walked: its own setting overrides the options. */
bool stack_unwinder_is_walked(const struct capture_event *e);
/* An error that says why stacks of these events cannot be walked by BPF, or NULL. */
struct strobe_error *stack_unwinder_check(const struct event_set *events, const struct capture_options *o) _must_check_;
/* Whether waits that begin from now on are recorded. u may be NULL or have no waits. */
void stack_unwinder_enable_waits(struct stack_unwinder *u, bool on);
/* Once waits are disabled and all rings drained: writes samples of the rest to the sink, remaining sums and waits that had not ended. */
struct strobe_error *stack_unwinder_finish_waits(struct stack_unwinder *u, struct record_sink *sink) _must_check_;
void stack_unwinder_destroy(struct stack_unwinder *u);

/* The code of scripts in chains, as a section of a recording (interp/script_table.h); false: none. */
bool stack_unwinder_scripts(struct stack_unwinder *u, struct strbuf *to);
/* Another file of the recording begins. */
void stack_unwinder_begin_file(struct stack_unwinder *u);
/* "python3.15 (pid 7)": an interpreter of an unknown version, whose frames are left out; NULL: none. Owned. */
char *stack_unwinder_unknown_interpreter(struct stack_unwinder *u);

/* Files whose code stacks led through, as far as they could be opened. */
void stack_unwinder_each_file(struct stack_unwinder *u, void (*fn)(void *ctx, const struct mapped_file *f), void *ctx);

struct stack_unwinder_totals {
	uint64_t stacks;  /* user stacks of samples */
	uint64_t cut;     /* of these: truncated */
	uint64_t deep;    /* of the truncated ones: at the maximum number of frames */
	uint64_t in_exec; /* of the whole ones: their callers' memory had been released by execve(2) */
	uint64_t copied;  /* of these: the walk was finished in user space */
	uint64_t records; /* carrying stacks, and counted as samples by the capture */
	uint64_t waits;   /* samples of waits written at the end, which the capture did not count */
};
struct stack_unwinder_totals stack_unwinder_totals(const struct stack_unwinder *u);
