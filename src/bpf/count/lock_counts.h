/*
 * Waits for the kernel's locks, aggregated in the kernel: by stack, by thread (or the owner of the lock), by lock, or by cgroup.
 *
 *	TRY(lock_counts_open(&o, &c));
 *	TRY(lock_counts_add_target(c, tid));       for each, if by_target
 *	lock_counts_enable(c, true);
 *	lock_counts_read(c, fn, ctx);
 *
 * Requires the tracepoints lock:contention_begin and _end (Linux 5.19), permission to load BPF programs, the initial PID namespace, and
 * clang where strobe is built. One thread. Source: bpf-helpers(7), include/trace/events/lock.h.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bpf/count/lock_counts_shared.h"
#include "sys/cpus.h"
#include "sys/sys.h"

struct lock_counts_options {
	const struct sys *sys;
	enum lock_counts_by by;
	bool by_owner;
	bool by_target;        /* and what the targets start */
	const char *cpus;      /* "0-3,7"; NULL: all */
	uint32_t frames, skip; /* of stacks */
	uint64_t kinds;        /* bits by flags; 0: any */
	const uint64_t *locks;
	uint32_t locks_nr;     /* at most LOCK_COUNTS_LOCKS; 0: any */
	const uint64_t *cgroups;
	uint32_t cgroups_nr;   /* at most LOCK_COUNTS_CGROUPS; 0: any */
	uint32_t entries;      /* of each map */
};

struct lock_count {
	uint64_t of; /* the thread's ID (UINT32_MAX: not known), the lock's address or the cgroup's ID */
	const struct lock_sum *sum;
	const uint64_t *stack;
	uint32_t stack_nr;
};

struct lock_counts;

struct strobe_error *lock_counts_open(const struct lock_counts_options *o, struct lock_counts **ret) _must_check_;
void lock_counts_close(struct lock_counts *c);
struct strobe_error *lock_counts_add_target(struct lock_counts *c, uint32_t tid) _must_check_;
void lock_counts_enable(struct lock_counts *c, bool on);
/* Borrowed until fn returns. */
void lock_counts_read(struct lock_counts *c, void (*fn)(void *ctx, const struct lock_count *n), void *ctx);
/* The name of a thread that has rows; false: unknown. */
bool lock_counts_comm(const struct lock_counts *c, uint32_t tid, char ret[16]);
/* Waits for which there was no room, and waits that are counted without a stack because it could not be stored. */
uint64_t lock_counts_lost(const struct lock_counts *c);
