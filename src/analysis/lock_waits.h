/*
 * Waits for locks, from the start and end events of the kernel, summed up by keys of the caller: a stack, a lock, a thread.
 *
 *	size_t at = lock_waits_stat(&w, key, &is_new);    is_new: the caller names it
 *	lock_waits_begin(&w, at, tid, address, time);
 *	lock_waits_end(&w, tid, address, time);           counts for the stat passed at the start
 *
 * A wait belongs to a thread and a lock. A second beginning before the end is the same wait (a mutex is spun on, then slept for). An
 * end without a begin belongs to a wait from before the recording. Waits left open by lost records or the end of a thread have no
 * known length: they are counted separately, without a time. Kernels with lockdep report acquire, contended, acquired and release
 * instead; an impossible sequence is broken: its row is marked, as in perf.
 *
 * Times in nanoseconds. A zeroed struct is empty and valid. One thread. Source: include/trace/events/lock.h.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idset.h"
#include "base/u64map.h"
#include "base/vector.h"

struct user_lock;

struct lock_stat {
	uint64_t key;
	uint64_t address;    /* of the first lock */
	const char *name;    /* the caller's; NULL: none yet */
	uint32_t flags;      /* enum lock_flags, likewise */
	const uint64_t *stack; /* the caller's, or NULL */
	uint32_t stack_nr;
	uint64_t acquired, contended, released;
	uint64_t total_ns, max_ns;
	uint64_t min_ns;     /* UINT64_MAX: no wait has ended */
	uint64_t average_ns; /* whole ones */
	bool is_broken;
	const struct user_lock *user; /* cells for a program's lock; NULL: a kernel lock */
};

/* The event that broke a sequence. */
enum lock_break { LOCK_BREAK_ACQUIRE, LOCK_BREAK_ACQUIRED, LOCK_BREAK_CONTENDED, LOCK_BREAK_RELEASE, LOCK_BREAKS };

enum lock_acquire_flags { LOCK_ACQUIRE_TRY = 1, LOCK_ACQUIRE_READ = 2 };

struct lock_sequence {
	uint64_t address, since_ns;
	uint32_t tid, life; /* of the thread, since IDs are reused */
	uint32_t stat;      /* stat of the start */
	uint32_t reads;
	uint8_t state;
};

struct lock_waits {
	VEC(struct lock_stat) stats;
	struct u64map by_key;
	VEC(struct lock_sequence) sequences;
	struct idset by_thread_and_lock;
	struct u64map lives;      /* number of ended threads by tid */
	uint64_t open;            /* waits */
	uint64_t unknown;         /* waits with an unknown end */
	uint64_t broken[LOCK_BREAKS];
};

void lock_waits_deinit(struct lock_waits *w);
size_t lock_waits_stat(struct lock_waits *w, uint64_t key, bool *ret_new);
void lock_waits_begin(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns);
void lock_waits_end(struct lock_waits *w, uint32_t tid, uint64_t address, uint64_t time_ns);
/* flags: enum lock_acquire_flags. */
void lock_waits_acquire(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns, uint32_t flags);
void lock_waits_contended(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns);
void lock_waits_acquired(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address, uint64_t time_ns);
void lock_waits_release(struct lock_waits *w, size_t stat, uint32_t tid, uint64_t address);
/* The thread has ended: its ID may be reused. */
void lock_waits_thread_ended(struct lock_waits *w, uint32_t tid);
/* Records were lost: open waits become unknown. */
void lock_waits_gap(struct lock_waits *w);
/* The end of events: open waits are counted as unknown. */
void lock_waits_finish(struct lock_waits *w);
