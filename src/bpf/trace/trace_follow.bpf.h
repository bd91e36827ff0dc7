/*
 * Targets of a trace: the maps and programs common to the summary and the stream. Each of them first defines struct
 * task_state, the state of a followed task, which begins with the members in TASK_STATE_HEAD.
 *
 * A followed task has an entry in the task storage. Named tasks are in the map of targets by thread ID from the beginning;
 * a task that a followed one starts is added at its fork.
 *
 * All programs are raw tracepoints, whose arguments have no types: code that needs a typed task uses the current one. (For
 * tp_btf, which has types, the kernel searches all its types.)
 */
#pragma once
#include "bpf/load/call.bpf.h"
#include "bpf/load/targets.bpf.h"
#include "bpf/trace/trace_shared.h"

#include <bpf/bpf_core_read.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct trace_settings settings = {};
#ifdef TRACE_PLAIN
#define EXTRAS ((struct trace_extras){})
#else
#define EXTRAS settings.extras
#endif
struct trace_control control = {};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} excluded SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroup SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024); /* resized to the number of CPUs */
	__type(key, __u32);
	__type(value, __u32);
} cpus SEC(".maps");

/* Time runnable without a CPU; 0 if the kernel does not count it (CONFIG_SCHED_INFO). */
INLINE __u64 waited_ns(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay : 0;
}

/*
 * The kernel does not update the run time of a task while it runs. It is final at the last switch of a task that has ended: so it is
 * read at every switch, since a waiter may see the end before that.
 */
INLINE struct task_state *ended(struct task_struct *task)
{
	struct task_state *s = EXTRAS.sched ? bpf_task_storage_get(&tasks, task, 0, 0) : NULL;
	return s && s->gone ? s : NULL;
}

INLINE struct task_state *follow(struct task_struct *task)
{
	struct task_state *s = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!s)
		__sync_fetch_and_add(&control.unfollowed, 1);
	return s;
}

/*
 * Most tasks of a busy machine are not targets, and yet pay for each of their calls: one byte rules them out. Those that pass
 * are looked up.
 */
INLINE _Bool is_near(__u32 tid)
{
	return settings.everyone || control.near[tid % TRACE_NEAR];
}

/* A task that a followed one starts is followed. */
INLINE void follow_child(__u32 tid)
{
	control.near[tid % TRACE_NEAR] = 1;
	if (settings.inherit && !settings.everyone && !add_target(tid))
		__sync_fetch_and_add(&control.unfollowed, 1);
}

/* Whether a task is to be followed, by its IDs. */
INLINE _Bool is_meant(__u32 tid, __u32 pid)
{
	if (!settings.everyone)
		return is_target(tid);
	if (pid == settings.self)
		return 0;
	return !EXTRAS.excludes || (!bpf_map_lookup_elem(&excluded, &pid) && !bpf_map_lookup_elem(&excluded, &tid));
}

/* The state of the task if it is followed, else NULL. */
INLINE struct task_state *followed(struct task_struct *task)
{
	struct task_state *s;
	if (!is_near(task->pid))
		return NULL;
	s = bpf_task_storage_get(&tasks, task, 0, 0);
	if (s)
		return s;
	return is_meant(task->pid, task->tgid) ? follow(task) : NULL;
}

/* Likewise after an exec, when a thread has taken the ID of its process. */
INLINE struct task_state *followed_anew(struct task_struct *task)
{
	if (bpf_task_storage_get(&tasks, task, 0, 0))
		control.near[(__u32)task->pid % TRACE_NEAR] = 1;
	return followed(task);
}

INLINE _Bool counts_on_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id(), *on;
	if (!EXTRAS.by_cpu)
		return 1;
	on = bpf_map_lookup_elem(&cpus, &cpu);
	return on && *on;
}

INLINE _Bool counts_in_cgroup(void)
{
	return !EXTRAS.by_cgroup || bpf_current_task_under_cgroup(&cgroup, 0) == 1;
}

/* Conditions that may change from call to call. */
INLINE _Bool counts_here(void)
{
	return counts_on_cpu() && counts_in_cgroup();
}

/* Whether it may be a selected call. All others pay only for this look-up, without a branch. */
INLINE _Bool is_chosen(unsigned long number)
{
	return settings.select_all || control.chosen[number % TRACE_NUMBERS];
}

INLINE __u32 call_of(struct task_struct *task, long number)
{
	__u32 call = (unsigned long)number < TRACE_NUMBERS ? number : TRACE_NUMBERS - 1;
	call += is_compat(task) ? TRACE_NUMBERS : 0;
	return BELOW(TRACE_CALLS, call);
}

INLINE __u8 kind_of(__u32 call)
{
	return control.kind[BELOW(TRACE_CALLS, call)];
}

/*
 * Whether a call that ends is the one that began as `began`, though its number differs: a return from a signal handler has the
 * registers of the interrupted code; after an exec of a program of the other width, the number of exec is that of the new
 * width; and on x86 every exec ends with the number of execve.
 */
INLINE _Bool is_renumbered(long number, __u32 call, __u32 began)
{
	return number == -1 || ((call ^ began) & TRACE_NUMBERS) ||
	       (kind_of(call) == TRACE_CALL_EXECUTES && kind_of(began) == TRACE_CALL_EXECUTES_AT);
}
