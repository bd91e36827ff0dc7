/*
 * Descriptors whose last closing takes long: the kernel waits some 40 ms (an RCU grace period) for each tracepoint that it
 * lets go, 14 s for those of all system calls, and so does whoever closes them. At the end of a program a child that holds
 * them too, and nothing else of ours, ends after us and waits instead.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/*
 * Sorts fds. To be called shortly before the program ends: a descriptor stays open until then, by which the child knows.
 * Its pid; 0 where there is nothing to leave or no child was to be had, and closing takes as long as it takes. linger_ms:
 * how long it keeps them open after us.
 */
pid_t sys_leave_behind(int *fds, size_t nr, unsigned linger_ms);
