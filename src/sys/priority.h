/*
 * The priority of the calling thread, for threads that read rings: at normal priority a busy CPU makes them late, and data is
 * lost. Their children have normal priority.
 */
#pragma once

/* SCHED_FIFO at this priority (1 to 99). Returns 0 or an errno: EPERM if not permitted, or if the cgroup has no real-time share. */
int sys_set_realtime(int priority);
/* Sets the highest normal priority. Returns 0 or an errno. */
int sys_set_nice_highest(void);
