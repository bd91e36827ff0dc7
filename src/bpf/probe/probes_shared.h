/*
 * Shared by inline_probes.c and probes.bpf.c. Counts are by CPU and event: a row of `stride` counts per CPU.
 */
#pragma once
#include <linux/types.h>

#include "probe/fetch_plan.h"

/* Probed addresses. A place in the kernel has no file; its address is written into the sample as its plan says. */
struct probes_place {
	__u64 address; /* of the kernel; 0: of a program */
	struct fetch_plan plan;
};

struct probes_event {
	__u32 period; /* hits per sample; 0: count only */
	__u32 unused;
	struct fetch_plan_filter filter;
};

struct probes_settings {
	__u32 self;     /* our own process, left out */
	__u32 words;    /* of the map of followed tasks; 0: all tasks */
	__u32 stride;   /* events of a row of counts */
	__u32 cpus;     /* possible CPUs */
	__u8 by_thread;
	__u8 has_entry; /* bpf_get_func_ip() knows the entry of a function of a program that returns: Linux 6.6 */
	/* Features that some plan needs: code of the others is dropped. */
	__u8 has_filters, has_reads, has_strings;
	__u8 unused[3];
};

/* Memory shared by programs and reader: the section .bss. */
struct probes_control {
	__u64 missed; /* samples for which there was no slot, or that occurred inside another program */
	__u64 faults; /* values that could not be read */
	__u32 enabled, unused;
};

#define PROBES_SLOTS_CPU 8 /* samples that may be in the making on a CPU: tasks that are preempted meanwhile */
