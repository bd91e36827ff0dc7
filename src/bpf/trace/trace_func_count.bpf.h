/*
 * Calls of functions, summed up: number and durations. For the summary only.
 *
 * The open calls of a task are kept on a stack, with their stack pointers: entries below the stack pointer of a new call, or of a return,
 * were left by longjmp() or an exception. A call is counted at entry, so that those that never return are, too.
 */
#pragma once
#include "bpf/trace/trace_func.bpf.h"

/* The kernel itself tracks at most 64 pending returns per task (MAX_URETPROBE_DEPTH). */
#define FUNC_DEPTH 128

struct func_frame {
	__u64 stack, start_ns;
	__u32 func, unused;
};

struct func_stack {
	__u64 exec_id; /* of the program to which they belong */
	__u32 depth, unused;
	struct func_frame frame[FUNC_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct func_stack);
} func_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* resized */
	__type(key, __u32);
	__type(value, struct trace_func_row);
} func_rows SEC(".maps");

INLINE struct trace_func_row *func_row(__u32 func)
{
	__u32 at = func * (settings.func_spread + 1) + (bpf_get_smp_processor_id() & settings.func_spread);
	return bpf_map_lookup_elem(&func_rows, &at);
}

INLINE __u32 func_slot_of(__u64 ns)
{
	__u64 v = ns;
	__u32 power = 0;
	if (ns < 4)
		return ns;
	if (v >> 32) { v >>= 32; power = 32; }
	if (v >> 16) { v >>= 16; power += 16; }
	if (v >> 8) { v >>= 8; power += 8; }
	if (v >> 4) { v >>= 4; power += 4; }
	if (v >> 2) { v >>= 2; power += 2; }
	power += v >> 1;
	v = 4 * (power - 1) + (ns >> (power - 2) & 3);
	return v < TRACE_FUNC_SLOTS ? v : TRACE_FUNC_SLOTS - 1;
}

/* Frames that were left without a return. */
INLINE void drop_dead_frames(struct func_stack *k, struct pt_regs *regs, __u64 stack)
{
	for (__u32 i = 0; i < FUNC_DEPTH; i++) {
		__u32 depth = k->depth;
		if (!depth || depth > FUNC_DEPTH)
			break;
		__u64 its = k->frame[(depth - 1) & (FUNC_DEPTH - 1)].stack;
		if (its > stack || (its == stack && TRACE_FUNC_IS_JUMP(func_return_address(regs, 0))))
			break;
		k->depth = depth - 1;
	}
}

INLINE int push_frame(struct func_stack *k, struct pt_regs *regs, __u64 stack, __u32 func, __u64 exec_id)
{
	__u32 depth;
	if (k->exec_id != exec_id) {
		k->exec_id = exec_id;
		k->depth = 0;
	}
	drop_dead_frames(k, regs, stack);
	depth = k->depth;
	if (depth >= FUNC_DEPTH)
		return 0;
	k->frame[depth].stack = stack;
	k->frame[depth].func = func;
	k->depth = depth + 1;
	k->frame[depth].start_ns = bpf_ktime_get_ns();
	return 0;
}

INLINE int count_enter(struct pt_regs *regs)
{
	struct task_struct *task = func_task(1);
	__u32 func = bpf_get_attach_cookie(regs);
	struct trace_func_row *row;
	struct func_stack *k;
	if (!task)
		return 0;
	row = func_row(func);
	if (!row)
		return 0;
	__sync_fetch_and_add(&row->calls, 1);
	k = bpf_task_storage_get(&func_stacks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (k)
		push_frame(k, regs, regs->sp, func, task->self_exec_id);
	else
		__sync_fetch_and_add(&control.unfollowed, 1);
	return 0;
}

/* When the call that returns now began; 0: unknown. wide, narrow: its stack pointer in 64-bit and 32-bit programs. */
APART __u64 pop_frame(struct func_stack *k, __u64 wide, __u64 narrow, __u32 func)
{
	for (__u32 i = 0; i < FUNC_DEPTH; i++) {
		__u32 depth = k->depth;
		if (!depth || depth > FUNC_DEPTH)
			break;
		struct func_frame *f = &k->frame[(depth - 1) & (FUNC_DEPTH - 1)];
		if (f->stack > wide && f->stack != narrow)
			break;
		k->depth = depth - 1;
		if ((f->stack == wide || f->stack == narrow) && f->func == func)
			return f->start_ns;
	}
	return 0;
}

INLINE int count_return(struct pt_regs *regs, __u64 wide, __u64 narrow)
{
	__u64 now = bpf_ktime_get_ns(), start_ns, ns, most;
	struct task_struct *task = func_task(1);
	__u32 func = bpf_get_attach_cookie(regs) & ~TRACE_FUNC_LEFT_BY_JUMP;
	struct func_stack *k = task ? bpf_task_storage_get(&func_stacks, task, 0, 0) : NULL;
	struct trace_func_row *row = func_row(func);
	if (!k || !row)
		return 0;
	start_ns = pop_frame(k, wide, narrow, func);
	if (!start_ns)
		return 0;
	ns = now - start_ns;
	__sync_fetch_and_add(&row->returns, 1);
	__sync_fetch_and_add(&row->total_ns, ns);
	__sync_fetch_and_add(&row->slot[func_slot_of(ns)], 1);
	most = row->max_ns;
	for (int i = 0; i < 4 && ns > most; i++)
		most = __sync_val_compare_and_swap(&row->max_ns, most, ns);
	return 0;
}
