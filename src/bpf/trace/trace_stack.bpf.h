/* Stacks, which precede their call or point in the ring. For the stream only. */
#pragma once
#include "bpf/trace/trace_ring.bpf.h"

/* The part of struct pt_regs with the layout of ptrace(2). */
#if defined(__TARGET_ARCH_x86)
#define USER_REGS_BYTES (21 * 8)
#elif defined(__TARGET_ARCH_arm64)
#define USER_REGS_BYTES (34 * 8)
#endif

#define PAGE 4096

struct stack_scratch {
	struct trace_event ev;
	struct trace_stack head;
	__u8 data[TRACE_STACK_FRAMES * 8 + 8 + TRACE_STACK_BYTES + 2 * PAGE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_scratch);
} stacks SEC(".maps");

/* Copies the stack from its top on, page by page, up to the first page that is not in memory. */
GLOBAL int dump_stack(struct stack_scratch *k, __u64 sp, __u32 bytes)
{
	__u32 at, n;
	if (!k || !sp)
		return 0;
	for (__u32 i = 0; i < TRACE_STACK_BYTES / PAGE + 1; i++) {
		at = k->head.user_bytes;
		if (at >= bytes || at > TRACE_STACK_BYTES)
			break;
		n = PAGE - ((sp + at) & (PAGE - 1));
		if (n > bytes - at)
			n = bytes - at;
		FORGET(n);
		if (n > PAGE)
			break;
		if (bpf_probe_read_user(k->data + (k->head.kernel_bytes & 0x3ff) + (at & 0xffff), n, (void *)(sp + at)))
			break;
		k->head.user_bytes = at + n;
	}
	return 0;
}

/*
 * The user's stack along its frame pointers, after that of the kernel. caller: an address that is not on the frame pointer chain, and is
 * put second; 0: none.
 */
INLINE void put_frames(struct stack_scratch *k, void *ctx, __u64 caller)
{
	__u8 *data = k->data + (k->head.kernel_bytes & 0x3ff);
	__u32 more = caller ? sizeof(caller) : 0;
	long n = bpf_get_stack(ctx, data + more, TRACE_STACK_FRAMES * 8 - more, BPF_F_USER_STACK);
	k->head.user_bytes = n > 0 ? (n & 0x3ff) + more : 0;
	if (n <= 0 || !caller)
		return;
	__builtin_memcpy(data, data + sizeof(caller), sizeof(caller));
	__builtin_memcpy(data + sizeof(caller), &caller, sizeof(caller));
}

/* Uses k as memory. caller: see put_frames(). */
INLINE void put_stacks(struct stack_scratch *k, void *ctx, struct task_struct *task, __u64 now, _Bool can_wait, __u64 caller)
{
	__u64 bytes;
	long n;
	k->ev = (struct trace_event){ .time_ns = now, .tid = task->pid, .pid = task->tgid, .type = TRACE_EVENT_STACK };
	k->head.kernel_bytes = 0;
	k->head.user_bytes = 0;
	if (EXTRAS.kernel_stacks) {
		n = bpf_get_stack(ctx, k->data, TRACE_STACK_FRAMES * 8, 0);
		k->head.kernel_bytes = n > 0 ? n & 0x3ff : 0;
	}
	if (EXTRAS.stacks == TRACE_STACKS_FP) {
		put_frames(k, ctx, caller);
	} else if (EXTRAS.stacks == TRACE_STACKS_DUMP) {
		struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
		bpf_probe_read_kernel(k->head.regs, USER_REGS_BYTES, regs);
		dump_stack(k, regs->sp, settings.stack_bytes);
	}
	bytes = sizeof(k->ev) + sizeof(k->head) + k->head.kernel_bytes + k->head.user_bytes;
	if (bytes > sizeof(*k) || !send_bytes(k, bytes, can_wait))
		__sync_fetch_and_add(&control.lost_others, 1);
}

APART int send_stacks(void *ctx, struct task_struct *task, __u64 now, _Bool can_wait)
{
	__u32 zero = 0;
	struct stack_scratch *k = bpf_map_lookup_elem(&stacks, &zero);
	if (k)
		put_stacks(k, ctx, task, now, can_wait, 0);
	return 0;
}

INLINE void send_stack(void *ctx, struct task_struct *task, __u64 now, _Bool can_wait)
{
	if (EXTRAS.stacks || EXTRAS.kernel_stacks)
		send_stacks(ctx, task, now, can_wait);
}
