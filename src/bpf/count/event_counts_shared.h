/* Shared by the BPF program that counts a tracepoint by thread and CPU (event_counts.bpf.c) and user space. */
#pragma once
#include <linux/types.h>

#define EVENT_COUNTS_SIDES 2

struct event_count_key {
	__u32 tid, pid;
	__u32 cpu, unused;
};

/* Shared memory: the section .bss. */
struct event_counts_control {
	__u32 side; /* 1 + the table that is counted into; 0: none */
	__u32 unused;
	__u64 lost; /* events for which the table had no room */
};

struct event_counts_settings {
	__u32 without_pid; /* a process that is not counted; 0: none */
	__u32 unused;
};
