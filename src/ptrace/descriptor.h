/*
 * The open files of a stopped task's descriptors, as pieces of a call (SYSCALL_PART_FILE, struct trace_file).
 *
 * Read from the links in /proc/PID/fd (proc(5)). One thread.
 */
#pragma once
#include "ptrace/fetch.h"
#include "sys/sys.h"

/* fd: TRACE_DIRECTORY: the working directory. Nothing if it is not open. */
void descriptor_put(struct fetched *f, const struct sys *sys, pid_t pid, unsigned arg, int32_t fd);
/* Of each argument that is a descriptor. */
void descriptor_put_arguments(struct fetched *f, const struct sys *sys, pid_t pid, const struct syscall_desc *desc,
			      const uint64_t arg[SYSCALL_ARGS]);
