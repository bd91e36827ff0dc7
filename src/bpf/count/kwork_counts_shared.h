/* Shared by the programs that sum up the kernel's own work (kwork_counts.bpf.c) and user space. Private to them. */
#pragma once
#include <linux/types.h>

#define KWORK_COUNTS_CPUS 4096

/* The kinds of analysis/kwork/kwork_works.h, with the same numbers. */
enum kwork_counts_kind { KWORK_COUNTS_IRQ, KWORK_COUNTS_SOFTIRQ, KWORK_COUNTS_WORKQUEUE, KWORK_COUNTS_SCHED };

struct kwork_counts_settings {
	__u32 kinds;      /* a bit for each */
	__u8 of_delays;   /* the time from request to start; else from start to end */
	__u8 by_task;     /* interrupts by the task that they interrupted */
	__u8 by_cpu;
	__u64 cpus[KWORK_COUNTS_CPUS / 64];
};

struct kwork_counts_control {
	__u64 enabled;
	__u64 no_room; /* works */
};

struct kwork_counts_key {
	__u64 id;
	__u32 kind, cpu;
};

struct kwork_counts_work {
	__u64 raised_ns, entered_ns; /* of one that has not ended; 0: none */
	__u64 count, total_ns, max_ns, max_start_ns, max_end_ns;
	__u64 skipped;               /* starts, or requests, followed by another one before their end */
	__u64 function;              /* of a workqueue's work */
	char name[32];               /* of an interrupt, of a task */
};
