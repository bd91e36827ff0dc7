/*
 * Counts system calls by number, for a tree of tasks or for all. The first task is identified by its ID; those that it starts become
 * targets.
 */
#include "bpf/count/syscall_counts_shared.h"
#include "bpf/load/call.bpf.h"
#include "bpf/load/targets.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct syscall_settings settings = {};
struct syscall_state state = {};

struct table {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* resized to a row for each CPU */
	__type(key, __u32);
	__type(value, __u64[SYSCALL_NUMBERS]);
} entries SEC(".maps"), exits SEC(".maps");

INLINE _Bool is_followed(struct task_struct *task)
{
	if (settings.has_leader && (settings.threads_of_leader ? task->tgid : task->pid) == state.leader)
		return 1;
	return is_target(task->pid);
}

INLINE int count(void *table, __u64 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 *row;
	__u32 cpu;
	if (number >= SYSCALL_OTHERS || is_compat(task))
		number = SYSCALL_OTHERS;
	if (!settings.everyone && !is_followed(task))
		return 0;
	cpu = bpf_get_smp_processor_id();
	row = bpf_map_lookup_elem(table, &cpu);
	if (row)
		row[BELOW(SYSCALL_NUMBERS, number)]++;
	return 0;
}

/* (registers, number) */
SEC("raw_tp/sys_enter")
int count_entry(__u64 *ctx)
{
	return state.enabled ? count(&entries, ctx[1]) : 0;
}

/* (registers, result) */
SEC("raw_tp/sys_exit")
int count_exit(__u64 *ctx)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return state.enabled ? count(&exits, number_of(regs)) : 0;
}

INLINE void follow(__u32 tid)
{
	/* No room: user space warns that the counts are incomplete. */
	if (!add_target(tid))
		state.dropped++;
}

/* (parent, child): the parent is the current task. */
SEC("raw_tp/sched_process_fork")
int follow_fork(__u64 *ctx)
{
	const struct task_struct *child = (const struct task_struct *)ctx[1];
	__u32 tid;
	if (is_followed(bpf_get_current_task_btf()) && !bpf_probe_read_kernel(&tid, sizeof(tid), &child->pid))
		follow(tid);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int forget_task(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	remove_target(task->pid);
	return 0;
}

/* (task, old thread ID, binary): counting begins with the leader's exec; a thread that execs takes the ID of its process. */
SEC("raw_tp/sched_process_exec")
int follow_exec(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid = ctx[1];
	if (settings.enabled_by_exec && task->tgid == state.leader) {
		state.enabled = 1;
		return 0;
	}
	if (tid != task->pid && remove_target(tid))
		follow(task->pid);
	return 0;
}
