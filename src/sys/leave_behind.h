/*
 * Closes descriptors whose last close takes long: the kernel waits some 40 ms (an RCU grace period) for each tracepoint that it
 * releases, 14 s for those of all system calls, and the closing process with it. At the end of a program a child that holds only these
 * descriptors ends after us and waits instead.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/*
 * Sorts fds. Call this shortly before the program ends: one descriptor stays open until then, by which the child notices the end.
 * Returns the child's pid; 0 if there is nothing to leave or no child could be created; closing then takes its full time. linger_ms: how
 * long the child keeps the descriptors open after us.
 */
pid_t sys_leave_behind(int *fds, size_t nr, unsigned linger_ms);
