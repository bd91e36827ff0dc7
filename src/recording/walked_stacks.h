/*
 * Stacks walked by a BPF program while samples are taken (bpf/unwind/stack_unwinder.h), and the files with its tables.
 *
 *	TRY(walked_stacks_open(&o, &w));             whether it is possible here
 *	TRY(capture_open(…));                        with CALLGRAPH_EH and sample_identifier
 *	TRY(walked_stacks_attach(w, capture));       the capture must not count yet
 *	capture_drain(…, walked_stacks_sink(w, to), …);
 *	walked_stacks_close(w);                      before the capture is closed
 *
 * One thread, except for functions of the unwinder, whose header says which may be called by several.
 */
#pragma once
#include "base/error.h"
#include "bpf/unwind/stack_unwinder.h"
#include "capture/session.h"
#include "record/source.h"

struct walked_stacks;

struct walked_stacks_options {
	const struct sys *sys;
	const struct event_set *events;
	const struct capture_options *capture;
	bool no_samples;  /* walk only the stacks of waits */
	struct stack_unwinder_waits waits;
	const struct followed_tasks *followed; /* or NULL */
	int followed_map; /* task_filter_map() if tasks are followed; else -1 */
	void (*take_script)(void *ctx, const void *table, size_t bytes); /* as in stack_unwinder_options; or NULL */
	void *script_ctx;
};

/* Adds the event of samples of waits (record/wait_layout.h), for options.waits: WAIT_EVENT or OFFCPU_EVENT. */
void walked_stacks_add_wait_event(struct event_set *events, const char *name);
/* Whether any event has its stacks walked: events with their own mode of call chains have not. */
bool walked_stacks_is_of_any(const struct event_set *events);
struct strobe_error *walked_stacks_open(const struct walked_stacks_options *o, struct walked_stacks **ret) _must_check_;
struct strobe_error *walked_stacks_attach(struct walked_stacks *w, struct capture *c) _must_check_;
struct stack_unwinder *walked_stacks_unwinder(struct walked_stacks *w);
/* A sink that joins stacks with their samples on the way to `to`. Owned by w; one at a time. */
struct record_sink *walked_stacks_sink(struct walked_stacks *w, struct record_sink *to);
/* Gives what the sink holds until tables are made (bpf/unwind/chain_sink.h); waits: all of it. false: some is still held. w may be NULL. */
struct strobe_error *walked_stacks_settle(struct walked_stacks *w, bool waits, bool *ret_all) _must_check_;
/* The file with that build ID, if it has code in stacks and is open; else NULL. Valid until the close. w may be NULL. */
struct object *walked_stacks_object(struct walked_stacks *w, const char *hex);
/* May be NULL. */
void walked_stacks_close(struct walked_stacks *w);
