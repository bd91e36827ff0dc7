/*
 * Shared by probes.c and its BPF programs. Counts are by CPU and event: a row of `stride` for each CPU.
 */
#pragma once
#include <linux/types.h>

#include "probe/fetch_plan.h"

/* Places of the kernel have no file: where one is, is in the plan's own record. */
struct probes_place {
	__u64 address; /* of the kernel; 0: of a program */
	struct fetch_plan plan;
};

struct probes_event {
	__u32 period; /* hits for a sample; 0: they are only counted */
	__u32 unused;
	struct fetch_plan_filter filter;
};

struct probes_settings {
	__u32 self;     /* our own process, left out */
	__u32 words;    /* of the map of tasks that are followed; 0: everyone */
	__u32 stride;   /* events of a row of counts */
	__u32 cpus;     /* there may be */
	__u8 by_thread;
	__u8 has_entry; /* bpf_get_func_ip() knows the entry of a function of a program that returns: Linux 6.6 */
	/* What any of the plans needs: the rest of the program is left out. */
	__u8 has_filters, has_reads, has_strings;
	__u8 unused[3];
};

/* Memory that programs and reader share: the section .bss. */
struct probes_control {
	__u64 missed; /* samples that there was no memory for, or that were within another program's */
	__u64 faults; /* values that could not be read */
	__u32 enabled, unused;
};

#define PROBES_SLOTS_CPU 8 /* samples that may be in the making on a CPU: tasks that are preempted meanwhile */
