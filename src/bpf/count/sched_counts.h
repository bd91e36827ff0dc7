/*
 * What tasks do, and for how long, aggregated in the kernel: by task, or by name for those that have ended.
 *
 *	TRY(sched_counts_open(&o, &c));
 *	TRY(sched_counts_add_target(c, tid));      for each, if by_target
 *	sched_counts_begin(c);
 *	sched_counts_read(c, fn, ctx);             the sums since then; begins the next period
 *
 * Requires Linux 5.18, permission to load BPF programs, the initial PID namespace, and clang where strobe is built. One thread.
 * Source: bpf-helpers(7), include/trace/events/sched.h.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bpf/count/sched_counts_shared.h"
#include "sys/sys.h"

struct sched_counts_options {
	const struct sys *sys;
	bool by_target;   /* and what the targets start */
	bool by_thread;   /* threads that have ended stay separate, too */
	uint32_t entries; /* of each map */
};

struct sched_count {
	uint32_t tid;                       /* of several that have ended, the last one */
	uint32_t tasks;
	const char *comm;
	const struct sched_counts_sum *sum;
};

struct sched_counts;

struct strobe_error *sched_counts_open(const struct sched_counts_options *o, struct sched_counts **ret) _must_check_;
void sched_counts_close(struct sched_counts *c);
struct strobe_error *sched_counts_add_target(struct sched_counts *c, uint32_t tid) _must_check_;
void sched_counts_begin(struct sched_counts *c);
/* Borrowed until fn returns. */
void sched_counts_read(struct sched_counts *c, void (*fn)(void *ctx, const struct sched_count *n), void *ctx);
/* Events and tasks for which there was no room. */
uint64_t sched_counts_lost(const struct sched_counts *c);
