/*
 * Whole user stacks with each sample, walked by a BPF program in the kernel along call frame information: the inside of
 * record --call-graph eh.
 *
 *	TRY(stack_unwinder_create(&options, &u));          a thread loads the program, and attach says whether it could
 *	TRY(capture_open(..., &c));                        events with a user's chain that the kernel leaves out
 *	TRY(stack_unwinder_attach(u, c));
 *	chain_sink_init(&sink, u, file_sink);              bpf/unwind/chain_sink.h: what rings are drained to
 *	...
 *	stack_unwinder_destroy(u);                         before the capture is closed
 *
 * The program writes samples and their stacks into the rings of the capture as one record, in place of the kernel's sample. Where
 * there is more than one event, or samples have what only their own event knows, it writes a stack right before its sample, and a
 * chain_sink joins the two. What a process has mapped where, the program finds in the kernel; a thread compiles the tables of files as
 * the program requests them, each once, whoever maps it. Where the program knows no way on (tables that are not ready, expressions),
 * it sends a copy of the stack, and the walk goes on in user space when rings are drained. Code without tables is passed by frame
 * pointers.
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
	bool split;           /* with WAIT_EVENT: what they are for, wakers; being ready to run is a wait of its own */
	bool of_locks;        /* with WAIT_EVENT: for futexes alone, up to where the thread runs again; instead of split */
	uint64_t quantum_ns;  /* of waiting of a thread at one place makes a sample; what remains, makes one at the end */
	uint32_t frames_max;  /* 0: as many as are kept */
};

struct stack_unwinder_options {
	const struct sys *sys;
	uint32_t frames_max; /* at most UNWIND_FRAMES_MAX; 0 = as many */
	bool no_samples;     /* only waits have their stacks walked */
	struct stack_unwinder_waits waits;
	struct live_clock clock;
	const struct followed_tasks *followed; /* samples of others are dropped; NULL: none are */
	int followed_map;                      /* task_filter_map() */
	/* The object of a mapped file, from any thread (the symbol room has them). */
	struct unwind_objects (*objects_of)(void *ctx, const struct mapped_file *f);
	void *ctx;
	bool native; /* frames of interpreters are left out */
	/* Takes each code object of scripts as a table of its own, before samples that have it; NULL: the table of the end is enough. */
	void (*take_script)(void *ctx, const void *table, size_t bytes);
	void *script_ctx;
};

struct strobe_error *stack_unwinder_create(const struct stack_unwinder_options *o, struct stack_unwinder **ret) _must_check_;
/* To the events of c that have --call-graph eh, which must not count yet. */
struct strobe_error *stack_unwinder_attach(struct stack_unwinder *u, struct capture *c) _must_check_;
/* Whether an event has its stacks walked: what it says itself wins over the options. */
bool stack_unwinder_is_walked(const struct capture_event *e);
/* Why events cannot have their stacks walked so, or NULL. */
struct strobe_error *stack_unwinder_check(const struct event_set *events, const struct capture_options *o) _must_check_;
/* Waits that begin from now on are recorded, or none. u may be NULL, or be without waits. */
void stack_unwinder_enable_waits(struct stack_unwinder *u, bool on);
/* No more of them; what is not in samples yet goes to the sink: the rests of sums, and waits that go on. All rings have been drained. */
struct strobe_error *stack_unwinder_finish_waits(struct stack_unwinder *u, struct record_sink *sink) _must_check_;
void stack_unwinder_destroy(struct stack_unwinder *u);

/* The code of scripts that chains lead through, as a section of a recording (interp/script_table.h); false where there is none. */
bool stack_unwinder_scripts(struct stack_unwinder *u, struct strbuf *to);
/* Another file of the recording begins. */
void stack_unwinder_begin_file(struct stack_unwinder *u);
/* "python3.15 (pid 7)": an interpreter of an unknown version, whose frames are left out; NULL: none. Owned. */
char *stack_unwinder_unknown_interpreter(struct stack_unwinder *u);

struct stack_unwinder_totals {
	uint64_t stacks;  /* of users, that samples have */
	uint64_t cut;     /* of them: not whole */
	uint64_t deep;    /* of those that are cut: with as many frames as are walked */
	uint64_t copied;  /* of them: walked to the end in user space */
	uint64_t records; /* that carried stacks, and were counted as samples by the capture */
	uint64_t waits;   /* samples of waits that the capture did not count: of the end */
};
struct stack_unwinder_totals stack_unwinder_totals(const struct stack_unwinder *u);
