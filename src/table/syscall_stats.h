/*
 * Statistics of system calls: number of calls, errors and durations, by thread (or by cgroup, or for all). Filled by bpf/ from counts
 * of BPF programs, or call by call from a stream or a recording; read by the views.
 *
 * A call is identified by a number of the caller's choice; its name is borrowed and must outlive the statistics. Times are nanoseconds.
 * One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vector.h"

#define SYSCALL_STATS_SLOTS 40

enum syscall_stats_by { SYSCALL_STATS_BY_THREAD, SYSCALL_STATS_BY_NOTHING, SYSCALL_STATS_BY_CGROUP };

struct syscall_errno_count {
	uint32_t errnum;
	uint64_t calls;
};

/* Calls of one kind with the same call chain: functions, innermost first. */
struct syscall_stack {
	const char *const *functions; /* in the statistics' arena */
	uint32_t nr;
	uint64_t calls, errors, total_ns;
};

struct syscall_stat {
	uint32_t call;
	const char *name;
	bool never_returns;                 /* one event each, not two */
	uint64_t calls, errors;
	uint64_t total_ns, min_ns, max_ns;
	long double squares;                /* sum of the squares of the durations, in ns² */
	uint64_t slot[SYSCALL_STATS_SLOTS]; /* slot i: 2^i ns up to, but not including, 2^(i+1); slot 0 includes less than 1 ns */
	VEC(struct syscall_errno_count) errnos;
	VEC(struct syscall_stack) stacks;   /* only those added by syscall_stat_add_stack() */
	struct u64map stack_index;          /* key → stack */
};

struct syscall_thread {
	uint32_t tid, pid;
	const char *comm;
	const char *cgroup;  /* SYSCALL_STATS_BY_CGROUP: its path */
	bool is_others;      /* all threads beyond the limit */
	uint64_t events;     /* entries and exits of calls */
	bool has_sched;      /* the next two are valid */
	uint64_t ran_ns, waited_ns; /* on a CPU, and runnable without one */
	struct u64map index; /* call → row */
	VEC(struct syscall_stat) rows;
};

struct syscall_stats {
	enum syscall_stats_by by;
	struct arena arena;
	VEC(struct syscall_thread) threads;
	uint64_t events;
};

void syscall_stats_deinit(struct syscall_stats *s);
/* Adds a thread and returns its index; names are copied (cgroup may be NULL). */
uint32_t syscall_stats_thread(struct syscall_stats *s, uint32_t tid, uint32_t pid, const char *comm, const char *cgroup);
void syscall_stats_rename(struct syscall_stats *s, uint32_t thread, const char *comm);
/* The row of a call, created if necessary; invalid once others are created. */
struct syscall_stat *syscall_stats_row(struct syscall_stats *s, uint32_t thread, uint32_t call, const char *name);
/* Adds a call that has ended. errnum: 0 on success. */
void syscall_stat_add(struct syscall_stat *row, uint64_t ns, uint32_t errnum);
/* Adds a call that has ended to its stack. *ret_new: the caller sets the functions of this key. */
struct syscall_stack *syscall_stat_add_stack(struct syscall_stat *row, uint64_t key, uint64_t ns, bool is_error, bool *ret_new);
void syscall_stat_merge(struct syscall_stat *into, const struct syscall_stat *from);
void syscall_stat_add_errno(struct syscall_stat *row, uint32_t errnum, uint64_t calls);
/* Counts events, and sorts: threads by number of events, ascending, calls and stacks by total time, descending. */
void syscall_stats_finish(struct syscall_stats *s);
double syscall_stat_mean_ns(const struct syscall_stat *row);
/* The standard error of the mean, in percent of it. */
double syscall_stat_error_percent(const struct syscall_stat *row);
