/*
 * Stacks that a BPF program walks while samples are taken (bpf/unwind/stack_unwinder.h), with the files whose tables it needs.
 *
 *	TRY(walked_stacks_open(&o, &w));             whether it is possible here
 *	TRY(capture_open(…));                        with CALLGRAPH_EH and sample_identifier
 *	TRY(walked_stacks_attach(w, capture));       the capture must not count yet
 *	capture_drain(…, walked_stacks_sink(w, to), …);
 *	walked_stacks_close(w);                      before the capture is closed
 *
 * One thread, but for the unwinder, which says itself what several may do.
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
	bool no_samples;  /* only waits have their stacks walked */
	struct stack_unwinder_waits waits;
	const struct followed_tasks *followed; /* or NULL */
	int followed_map; /* task_filter_map() where tasks are followed; else -1 */
	void (*take_script)(void *ctx, const void *table, size_t bytes); /* as of stack_unwinder_options; or NULL */
	void *script_ctx;
};

/* The event whose samples waits are (record/wait_layout.h), for options.waits: WAIT_EVENT or OFFCPU_EVENT. */
void walked_stacks_add_wait_event(struct event_set *events, const char *name);
/* Whether there are such events: those that say themselves how their call chains are recorded are not. */
bool walked_stacks_is_of_any(const struct event_set *events);
struct strobe_error *walked_stacks_open(const struct walked_stacks_options *o, struct walked_stacks **ret) _must_check_;
struct strobe_error *walked_stacks_attach(struct walked_stacks *w, struct capture *c) _must_check_;
struct stack_unwinder *walked_stacks_unwinder(struct walked_stacks *w);
/* Joins stacks with their samples on the way to `to`; its own, and one at a time. */
struct record_sink *walked_stacks_sink(struct walked_stacks *w, struct record_sink *to);
/* The file of that build ID, where its code was met and it is open; else NULL. Lives until the close. w may be NULL. */
struct object *walked_stacks_object(struct walked_stacks *w, const char *hex);
/* May be NULL. */
void walked_stacks_close(struct walked_stacks *w);
