/*
 * How long works of the kernel take, or wait, aggregated in the kernel: by number and CPU.
 *
 *	TRY(kwork_counts_open(&o, &c));
 *	kwork_counts_enable(c, true);
 *	kwork_counts_read(c, fn, ctx);
 *
 * Requires Linux 5.17, permission to load BPF programs, and clang where strobe is built. One thread. Source: bpf-helpers(7),
 * include/trace/events/irq.h, workqueue.h.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bpf/count/kwork_counts_shared.h"
#include "sys/sys.h"

struct kwork_counts_options {
	const struct sys *sys;
	uint32_t kinds;   /* bits by enum kwork_counts_kind */
	bool of_delays;   /* the time from request to start; else from start to end */
	bool by_task;     /* interrupts by the task that they interrupted */
	const char *cpus; /* "0-3,7"; NULL: all */
	uint32_t entries; /* works */
};

struct kwork_counts;

struct strobe_error *kwork_counts_open(const struct kwork_counts_options *o, struct kwork_counts **ret) _must_check_;
void kwork_counts_close(struct kwork_counts *c);
void kwork_counts_enable(struct kwork_counts *c, bool on);
/* Borrowed until fn returns. */
void kwork_counts_read(struct kwork_counts *c,
		       void (*fn)(void *ctx, const struct kwork_counts_key *key, const struct kwork_counts_work *work), void *ctx);
/* Works for which there was no room, and events missed because they occurred inside BPF programs. */
uint64_t kwork_counts_lost(const struct kwork_counts *c);
