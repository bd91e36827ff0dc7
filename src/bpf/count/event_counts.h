/*
 * Counts of a tracepoint in the kernel, by thread and CPU: for `top` of events that come too fast for rings.
 *
 *	TRY(event_counts_open(&o, &c));
 *	event_counts_enable(c, true);
 *	each time: event_counts_turn(c); bpf_wait_for_programs(); event_counts_read(c, fn, ctx);
 *
 * A raw tracepoint program counts into one of two tables. event_counts_turn() switches programs to the other table; once none still uses
 * the first (bpf_wait_for_programs()), it is read and emptied. So nothing is counted twice or missed, and the cost of a reading depends
 * on the number of threads and CPUs and not on the number of events. Only tracepoints that have a raw form (not syscalls:sys_enter_read,
 * which are made of raw_syscalls:sys_enter), with permission to load BPF programs, in the initial PID namespace. Belongs to one thread.
 * Places and stacks: bpf/count/sample_counts.h, whose programs cost more. Source: bpf(2), Documentation/bpf/map_hash.rst.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sys/sys.h"

struct event_counts_options {
	const struct sys *sys;
	const char *tracepoint; /* its name, without the system */
	uint32_t without_pid;   /* a process that is not counted; 0: none */
};

struct event_count {
	uint32_t pid, tid, cpu;
	uint64_t count;
};

struct event_counts;

/* Nothing is counted before event_counts_enable(). */
struct strobe_error *event_counts_open(const struct event_counts_options *o, struct event_counts **ret) _must_check_;
void event_counts_close(struct event_counts *c);
void event_counts_enable(struct event_counts *c, bool on);
/*
 * Programs count into the other table from now on. Read the first one after bpf_wait_for_programs(), and after the records of
 * that time (new tasks).
 */
void event_counts_turn(struct event_counts *c);
/* The counts between the last two turns, each once. */
void event_counts_read(struct event_counts *c, void (*fn)(void *ctx, const struct event_count *e), void *ctx);
/* Events lost so far because a table was full. */
uint64_t event_counts_lost(const struct event_counts *c);
