/* Kernel statistics of one task. Source: Documentation/scheduler/sched-stats.rst, /proc/PID/schedstat; proc(5). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "sys/sys.h"

/* The mappings of a process as text: /proc/PID/maps. */
struct strobe_error *sys_read_maps(const struct sys *sys, pid_t pid, struct strbuf *ret) _must_check_;
/* Nanoseconds on CPUs, and runnable without one. False if the task is gone or the kernel does not count (both are then unchanged). */
bool sys_task_times(const struct sys *sys, pid_t tid, uint64_t *ret_ran_ns, uint64_t *ret_waited_ns);
