/* Shared by the programs that sum up waits for locks (lock_counts.bpf.c) and user space. Private to them. */
#pragma once
#include <linux/types.h>

#define LOCK_COUNTS_LOCKS 32  /* that can be chosen */
#define LOCK_COUNTS_CGROUPS 32
#define LOCK_COUNTS_CPUS  4096

enum lock_counts_by { LOCK_COUNTS_BY_STACK, LOCK_COUNTS_BY_THREAD, LOCK_COUNTS_BY_LOCK, LOCK_COUNTS_BY_CGROUP };

struct lock_counts_settings {
	__u32 by;          /* enum lock_counts_by */
	__u32 skip;        /* innermost frames to leave out */
	__u8 with_stacks;
	__u8 by_target;    /* tasks among the targets alone */
	__u8 by_owner;     /* LOCK_COUNTS_BY_THREAD: the thread that holds the lock when the wait begins */
	__u8 by_cpu;       /* waits that begin on these CPUs */
	__u32 locks_nr, cgroups_nr; /* 0: any */
	__u32 unused;
	__u64 kinds;       /* a bit for each value of flags; 0: any */
	__u64 locks[LOCK_COUNTS_LOCKS];
	__u64 cgroups[LOCK_COUNTS_CGROUPS]; /* of version 2; what is within them is another group */
	__u64 cpus[LOCK_COUNTS_CPUS / 64];
};

struct lock_counts_control {
	__u64 enabled;
	__u64 no_wait, no_stack, no_sum; /* events for which there was no room */
	__u64 unfollowed;                /* tasks likewise */
};

struct lock_wait_key {
	__u64 lock;
	__u64 thread; /* its ID; for idle tasks, which share ID 0, a number made from the CPU */
};

struct lock_wait {
	__u64 since_ns;
	__s32 stack;
	__u32 flags, tid, unused;
};

struct lock_sum_key {
	__u64 of;    /* a thread's or a cgroup's ID, or a lock's address, by lock_counts_by */
	__s32 stack; /* -1: none */
	__u32 unused;
};

struct lock_sum {
	__u64 count, total_ns, max_ns, min_ns;
	__u64 lock;   /* of the first wait, with its flags */
	__u32 flags, unused;
};

struct lock_thread {
	char comm[16];
};
