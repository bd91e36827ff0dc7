#include "sys/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#ifndef SCHED_RESET_ON_FORK
#define SCHED_RESET_ON_FORK 0x40000000 /* <linux/sched.h> */
#endif

#define NICE_HIGHEST (-20)

int sys_set_realtime(int priority)
{
	struct sched_param p = { .sched_priority = priority };
	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) ? errno : 0;
}

int sys_set_nice_highest(void)
{
	struct sched_param p = {};
	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &p) || setpriority(PRIO_PROCESS, 0, NICE_HIGHEST))
		return errno;
	return 0;
}
