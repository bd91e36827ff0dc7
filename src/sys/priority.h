/*
 * The priority of the calling thread, for threads that read rings: at normal priority a busy CPU makes them late, and data is
 * lost. What they start is of normal priority again.
 */
#pragma once

/* SCHED_FIFO at this priority (1 to 99). 0, or what errno is: EPERM without the right, or where the cgroup has no real time. */
int sys_set_realtime(int priority);
/* The highest normal priority. 0, or what errno is. */
int sys_set_nice_highest(void);
