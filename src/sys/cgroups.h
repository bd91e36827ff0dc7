/* Where the hierarchy of cgroups of version 2 is mounted. */
#pragma once
#include "sys/sys.h"

/* The mount point that is first in /proc/self/mounts, or NULL where none is mounted; owned. */
char *sys_cgroup2_root(const struct sys *sys);
