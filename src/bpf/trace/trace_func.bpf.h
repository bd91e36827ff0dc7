/*
 * Calls of functions: what a probe's program learns from the registers. For programs of probes.
 *
 * Unlike those of tracepoints they may be preempted by another task, whose programs then run on the same CPU: they have no memory
 * of the CPU, and count by atomic additions.
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

/* The task, if its calls are traced now. */
INLINE struct task_struct *func_task(_Bool in_cgroup)
{
	struct task_struct *task = bpf_get_current_task_btf();
	return followed(task) && control.enabled && counts_on_cpu() && (!in_cgroup || counts_in_cgroup()) ? task : NULL;
}

/* Where the function returns to that begins here. */
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
 * Who calls a function of a program that has not made its frame yet, where frame pointers do not say: on arm64 that is in a register.
 * 0: they do, or it is the kernel.
 */
INLINE __u64 func_hidden_caller(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_arm64)
	return regs->regs[30] >> 63 ? 0 : regs->regs[30];
#else
	return 0;
#endif
}

/* The stack pointer as it was at entry: what a call and its return have in common. At an exit it is that still. */
INLINE __u64 func_stack_at_return(struct pt_regs *regs, _Bool compat)
{
	return regs->sp - (compat ? FUNC_RETURN_ADDRESS / 2 : FUNC_RETURN_ADDRESS);
}
