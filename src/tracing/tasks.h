/*
 * Tasks and their descriptors, from traced events and the running system.
 *
 * Owns its strings. `sys` NULL: a recording, nothing is looked up. One thread.
 */
#pragma once
#include "base/u64map.h"
#include "base/vector.h"
#include "tracing/open_files.h"
#include "sys/sys.h"

struct trace_task {
	uint32_t tid, pid;
	char comm[17];
	uint32_t stats; /* index + 1 in the statistics; 0: none yet */
	uint32_t pending; /* key + 1 of the call that was shown without a result; 0: none */
	/* With `sched`: nanoseconds on a CPU and waiting for one, before it was first seen, and at its end. */
	uint64_t ran_before_ns, waited_before_ns, ran_ns, waited_ns;
	bool gone;
};

struct trace_tasks {
	const struct sys *sys;
	VEC(struct trace_task) all;
	struct u64map by_tid; /* tid → index */
	size_t last;          /* index of the last one used */
	struct open_files files;
	bool sched;           /* read run and wait times from before the trace */
	uint64_t name_lookups; /* in /proc */
};

void trace_tasks_init(struct trace_tasks *t, const struct sys *sys, enum open_files_by files);
void trace_tasks_deinit(struct trace_tasks *t);
/* The task, which is added, and its name looked up, if new. Valid until the next call. */
struct trace_task *trace_task(struct trace_tasks *t, uint32_t tid, uint32_t pid);
/* Likewise, but its name is not read: it is reported next. */
struct trace_task *trace_task_unnamed(struct trace_tasks *t, uint32_t tid, uint32_t pid);
/* A task that starts: its ID may be a reused one. */
struct trace_task *trace_task_new(struct trace_tasks *t, uint32_t tid, uint32_t pid);
/* Reads the kernel's run and wait times; false: it has ended, or the kernel does not count them. */
bool trace_task_read_sched(const struct trace_tasks *t, uint32_t tid, uint64_t *ret_ran_ns, uint64_t *ret_waited_ns);
void trace_task_name(struct trace_task *task, const char *comm, size_t room);
/* For struct syscall_style; ctx is the struct trace_tasks. */
const char *trace_tasks_fd_text(void *ctx, uint32_t pid, int fd);
int trace_tasks_fd_netlink(void *ctx, uint32_t pid, int fd);
const char *trace_tasks_pid_text(void *ctx, int pid);
