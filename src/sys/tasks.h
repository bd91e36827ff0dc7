/*
 * What the kernel counts of one task. Source: Documentation/scheduler/sched-stats.rst, /proc/PID/schedstat.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/sys.h"

/* Nanoseconds on CPUs, and ready without one. False where it has gone or the kernel does not count (both stay as they are). */
bool sys_task_times(const struct sys *sys, pid_t tid, uint64_t *ret_ran_ns, uint64_t *ret_waited_ns);
