/*
 * What the CPUs do and how many tasks there are, for a line of a screen.
 *
 * Times are in clock ticks since boot, over all CPUs. One thread.
 * Source: proc_stat(5), proc_loadavg(5).
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "sys/sys.h"

struct sys_cpu_load {
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
	uint32_t cpus_nr;         /* online */
	char averages[48];        /* over 1, 5 and 15 minutes, as the kernel prints them */
	uint32_t running, tasks;  /* threads: runnable, and all */
};

struct strobe_error *sys_cpu_load(const struct sys *sys, struct sys_cpu_load *ret) _must_check_;
/* Appends "2 CPUs: 61.0% user, …; load 1.20 0.80 0.40; 312 tasks, 3 running", of the time between two readings. */
void sys_cpu_load_text(const struct sys_cpu_load *from, const struct sys_cpu_load *to, struct strbuf *out);
