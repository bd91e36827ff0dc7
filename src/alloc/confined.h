/*
 * What the program has given up for good: from then on the library makes no system call that its allocator does not make, and reads no
 * time stamp counter that would end the process.
 *
 * prctl() and syscall() are interposed to see it: PR_SET_SECCOMP, seccomp(2), PR_SET_TSC. A filter that is there before the program
 * starts is not seen. Thread-safe. Sources: seccomp(2), prctl(2), kernel/seccomp.c.
 */
#pragma once
#include <sched.h>
#include <stdbool.h>

struct confined {
	bool calls; /* a filter decides about system calls */
	bool ticks; /* reading the counter is a SIGSEGV; also in seccomp's strict mode, of x86 */
};
extern struct confined confined;

/* Between two attempts to get a lock. */
static inline void confined_yield(void)
{
	if (!confined.calls)
		sched_yield();
}
