/* Properties of a system call, read from its task and registers by programs at its entry or end. */
#pragma once
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"

/* Whether the current call of a task was made through the 32-bit entry. */
INLINE _Bool is_compat(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return (task->thread_info.status & 2) != 0; /* TS_COMPAT */
#elif defined(__TARGET_ARCH_arm64)
	return (task->thread_info.flags & 1UL << 22) != 0; /* TIF_32BIT */
#endif
}

INLINE long number_of(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	return regs->syscallno;
#endif
}

/* Of a call that has ended. */
INLINE __s64 result_of(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ax;
#elif defined(__TARGET_ARCH_arm64)
	return regs->regs[0];
#endif
}
