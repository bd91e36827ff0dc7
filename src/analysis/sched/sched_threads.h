/*
 * Threads of a recording by ID, and their names, by the rules of perf: a fork record assigns an ID to a new thread; the name is that of
 * the last comm record or, without one, ":TID".
 *
 * Threads have indexes, which stay valid for the session. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "record/record.h"

#define SCHED_PID_UNKNOWN UINT32_MAX

struct sched_thread {
	uint32_t tid, pid, ppid; /* pid, ppid: SCHED_PID_UNKNOWN if no record has it */
	const char *comm;        /* as read from the file */
	bool has_comm;           /* a record says it */
	bool has_exited;
};

#define SCHED_THREADS_RECENT 512

struct sched_threads {
	VEC(struct sched_thread) threads;
	struct u64map by_tid;   /* index */
	struct {
		uint32_t tid, after; /* index + 1; 0: none */
	} recent[SCHED_THREADS_RECENT]; /* a cache by the last bits of IDs, since most switches are between few threads */
	struct strtab names;
	bool forgets_exited;    /* an exit record ends a thread, too */
};

void sched_threads_init(struct sched_threads *t, bool forgets_exited);
void sched_threads_deinit(struct sched_threads *t);
uint32_t sched_threads_find_any(struct sched_threads *t, uint32_t pid, uint32_t tid);
/* The current thread with the ID, which is added if new. pid: its process or SCHED_PID_UNKNOWN. */
static inline uint32_t sched_threads_find(struct sched_threads *t, uint32_t pid, uint32_t tid)
{
	uint32_t slot = tid % SCHED_THREADS_RECENT, after = t->recent[slot].after;
	if (after && t->recent[slot].tid == tid && (pid == SCHED_PID_UNKNOWN || t->threads.data[after - 1].pid != SCHED_PID_UNKNOWN))
		return after - 1;
	return sched_threads_find_any(t, pid, tid);
}
/* COMM, FORK and EXIT; others are ignored. Returns the thread that a COMM named, else UINT32_MAX. */
uint32_t sched_threads_record(struct sched_threads *t, struct record r);
/* Sets the name of an event, at most n bytes. */
void sched_threads_name(struct sched_threads *t, uint32_t thread, const char *comm, size_t n);
