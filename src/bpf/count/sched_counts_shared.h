/*
 * Shared by the programs that sum up the states of tasks (sched_counts.bpf.c), user space and
 * analysis/sched/sched_delays.h.
 *
 * Sums belong to a period. User space begins a period by setting its number, and reads the sums of the one before. The time of a task's
 * current state up to the beginning of the new period is added by whichever comes first: the program, when the state changes, or user
 * space, when it reads.
 */
#pragma once
#include <linux/types.h>

/* Four buckets for each power of two, up to 2^41 ns; the last has all above, too. */
#define SCHED_DELAY_BUCKETS 160

static inline __attribute__((always_inline)) __u32 sched_delay_bucket(__u64 ns)
{
	__u32 log = 2;
	if (ns < 4)
		return (__u32)ns;
	if (ns >> 41)
		return SCHED_DELAY_BUCKETS - 1;
	for (__u32 step = 32; step; step >>= 1)
		if (ns >> (log + step))
			log += step;
	return (log - 1) * 4 + ((__u32)(ns >> (log - 2)) & 3);
}

/* The states of analysis/task_states.h, with the same numbers. */
enum sched_counts_state {
	SCHED_COUNTS_UNKNOWN,
	SCHED_COUNTS_RUNNING,
	SCHED_COUNTS_RUNNABLE,
	SCHED_COUNTS_SLEEPING,
	SCHED_COUNTS_UNINTERRUPTIBLE,
	SCHED_COUNTS_STOPPED,
	SCHED_COUNTS_DEAD,
};

struct sched_counts_settings {
	__u8 by_target; /* tasks among the targets alone */
	__u8 by_thread; /* sums of threads that have ended stay separate */
};

struct sched_counts_control {
	__u64 enabled;
	__u64 period;       /* from 1 on */
	__u64 starts_ns[2]; /* of the last even and the last odd period: CLOCK_MONOTONIC */
	__u64 no_task, no_sum, unfollowed; /* events and tasks for which there was no room */
};

struct sched_counts_sum {
	__u64 ns[8];           /* by state */
	__u64 count;           /* times that it got a CPU */
	__u64 delay_ns, max_ns, max_start_ns, max_end_ns;
	__u32 ended, last_tid; /* the number of tasks that have ended, and the ID of the last one */
	__u32 delays[SCHED_DELAY_BUCKETS];
};

/* Of an even and an odd period. */
struct sched_counts_sums {
	__u64 periods[2]; /* their numbers; 0: none */
	struct sched_counts_sum sums[2];
};

/* A running task, by its ID, or one that has ended and has sums of two periods: user space removes it after reading both. */
struct sched_counts_task {
	struct sched_counts_sums sums;
	__u64 since_ns; /* the state's beginning */
	__u32 state;
	__u32 early;    /* a wake-up came while it ran */
	char comm[16];
};

/* Tasks that have ended. */
struct sched_counts_name {
	char comm[16];
	__u32 tid; /* 0: all of the name */
	__u32 unused;
};
