/*
 * Shared by the programs that sum up the states of tasks (sched_counts.bpf.c) and user space. For these, and for
 * analysis/sched/sched_delays.h.
 *
 * Sums are of a period: user space begins one by its number, and reads the sums of the one before. Only what a task did until the new
 * one began is added to them still, by whoever comes first: the program, as the task's state changes, or user space, as it reads.
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

/* Those of analysis/task_states.h, by the same numbers. */
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
	__u8 by_thread; /* sums of threads that have ended stay apart */
};

struct sched_counts_control {
	__u64 enabled;
	__u64 period;       /* from 1 on */
	__u64 starts_ns[2]; /* of a period that is even, and of one that is odd: CLOCK_MONOTONIC */
	__u64 no_task, no_sum, unfollowed; /* events and tasks that there was no room for */
};

struct sched_counts_sum {
	__u64 ns[8];           /* by state */
	__u64 count;           /* times that it was given a CPU */
	__u64 delay_ns, max_ns, max_start_ns, max_end_ns;
	__u32 ended, last_tid; /* of tasks that have ended: how many, and the last one's ID */
	__u32 delays[SCHED_DELAY_BUCKETS];
};

/* Of a period that is odd, and of one that is even. */
struct sched_counts_sums {
	__u64 periods[2]; /* whose they are; 0: none */
	struct sched_counts_sum sums[2];
};

/* A living task, by its ID; or one that has ended, and has sums of two periods: user space removes it when it has read both. */
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
