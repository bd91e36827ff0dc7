/*
 * Shared by the BPF programs that count system calls (syscall_counts.bpf.c) and user space. Private to them.
 *
 * Counts are in an array map of one row of SYSCALL_NUMBERS for each CPU, so that no two CPUs write to the same cache line. A
 * program is not preempted: no atomic operation is needed.
 */
#pragma once
#include <linux/types.h>

#define SYSCALL_NUMBERS       512 /* a power of two above all numbers in use */
#define SYSCALL_NUMBERS_SHIFT 9
/* The index for calls of 32-bit and x32 programs, whose numbers mean other calls, and for invalid numbers. */
#define SYSCALL_OTHERS	      (SYSCALL_NUMBERS - 1)
#define FOLLOWED_TASKS_MAX    16384 /* at a time, besides the named ones */

/* Shared memory: the section .bss. */
struct syscall_state {
	__u32 enabled;
	__u32 dropped; /* tasks not followed because the map was full */
	__u32 leader;  /* the command's process; 0: none yet */
};

struct syscall_settings {
	__u8 everyone;
	__u8 has_leader;        /* the leader is a target, besides those in the map */
	__u8 threads_of_leader; /* all its threads, not just the first (inherit) */
	__u8 enabled_by_exec;   /* counting begins with the leader's exec */
};
