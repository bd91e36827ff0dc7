/*
 * Calls of functions: what programs of probes read from the registers.
 *
 * Unlike programs of tracepoints they may be preempted by another task, whose programs then run on the same CPU: they use no per-CPU
 * memory, and count by atomic additions.
 */
#pragma once
#include "bpf/trace/trace_follow.bpf.h"

#if defined(__TARGET_ARCH_x86)
#define FUNC_ARG(regs, i) ((i) == 0 ? (regs)->di : (i) == 1 ? (regs)->si : (i) == 2 ? (regs)->dx : (i) == 3 ? (regs)->cx : \
			   (i) == 4 ? (regs)->r8 : (regs)->r9)
#define FUNC_RESULT(regs)        ((regs)->ax)
#define FUNC_RESULT_SECOND(regs) ((regs)->dx)
#define FUNC_RETURN_ADDRESS      8 /* bytes that a return takes from the stack */
#elif defined(__TARGET_ARCH_arm64)
#define FUNC_ARG(r, i)           ((r)->regs[i])
#define FUNC_RESULT(r)           ((r)->regs[0])
#define FUNC_RESULT_SECOND(r)    ((r)->regs[1])
#define FUNC_RETURN_ADDRESS      0
#endif

/* The current task if its calls are traced now, else NULL. */
INLINE struct task_struct *func_task(_Bool in_cgroup)
{
	struct task_struct *task = bpf_get_current_task_btf();
	return followed(task) && control.enabled && counts_on_cpu() && (!in_cgroup || counts_in_cgroup()) ? task : NULL;
}

/* The return address, at the entry of a function. */
INLINE __u64 func_return_address(struct pt_regs *regs, _Bool compat)
{
#if defined(__TARGET_ARCH_x86)
	__u64 address = 0;
	bpf_probe_read_user(&address, compat ? 4 : 8, (void *)regs->sp);
	return address;
#elif defined(__TARGET_ARCH_arm64)
	return regs->regs[30];
#endif
}

/*
 * The caller of a user function that has not set up its frame yet, if it is not on the frame pointer chain: on arm64 it is in a register.
 * 0: it is on the chain, or kernel code.
 */
INLINE __u64 func_hidden_caller(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_arm64)
	return regs->regs[30] >> 63 ? 0 : regs->regs[30];
#else
	return 0;
#endif
}

/* The stack pointer at entry: it identifies a call and its return. At a probe on an exit it still has this value. */
INLINE __u64 func_stack_at_return(struct pt_regs *regs, _Bool compat)
{
	return regs->sp - (compat ? FUNC_RETURN_ADDRESS / 2 : FUNC_RETURN_ADDRESS);
}
