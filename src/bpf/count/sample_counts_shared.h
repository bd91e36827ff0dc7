/*
 * Shared by the programs that count samples (sample_counts.bpf.c) and user space: the tables of counts. Private to them.
 *
 * A table is a struct count_head, then `slots` of struct count_slot (a hash table), then `words` of
 * stacks, and room for one more stack. Each CPU has COUNT_SIDES tables: its programs fill one while user space
 * reads and empties the other.
 */
#pragma once
#include <linux/types.h>

#define COUNT_SIDES 2
#define COUNT_CPUS  4096
/* A mark and the 127 addresses that the kernel takes by default; what is for user and kernel together there. */
#define COUNT_PART_WORDS  128
#define COUNT_STACK_WORDS (2 * COUNT_PART_WORDS)
/* How many slots are tried. */
#define COUNT_PROBES 24

struct count_settings {
	__u32 without_pid; /* a process that is not counted; 0: none */
	__u32 slots;       /* a power of two */
	__u32 words;       /* likewise */
	__u32 words_at; /* offset of the words in a table, in bytes */
	__u8 has_chains;
	__u8 by_target; /* count targets only: for tracepoints, which every task hits */
	__u8 inherit;   /* and the tasks that they start */
	__u8 unused[5];
	__u16 cpu_at[COUNT_CPUS]; /* by CPU: the number of its first table, + 1; 0: it has none */
};

struct count_control {
	__u32 side; /* the side that is counted into, + 1; 0: none */
	__u32 unused;
	__u64 lost;       /* of tracepoints, for lack of room; other samples go into their ring then */
	__u64 unfollowed; /* tasks for which the map of targets had no room */
};

struct count_head {
	__u32 slots, words; /* in use */
};

struct count_slot {
	__u64 hash, count; /* count 0: empty */
	__u64 period;      /* the sum */
	__u64 first_ns;    /* CLOCK_MONOTONIC: of the first of them */
	__u64 ip;
	__u32 pid, tid;
	__u32 at; /* of the stack's words */
	__u16 nr; /* of words */
	__u8 is_user, is_exact;
};
