/*
 * Control groups: where the hierarchy of version 2 is mounted, and the groups below those that counters know (perf_event, unified).
 */
#pragma once
#include "sys/sys.h"

/* The mount point that is first in /proc/self/mounts, or NULL where none is mounted; owned. */
char *sys_cgroup2_root(const struct sys *sys);
/* A directory descriptor of the group with this path below the hierarchy, or -errno of the last place that was tried. */
int sys_cgroup_open(const struct sys *sys, const char *path);
/*
 * Appends the paths of groups that an extended regular expression matches, outer groups before inner ones; at most 32 levels. False
 * where the expression is invalid.
 */
bool sys_cgroups_matching(const struct sys *sys, const char *regex, sys_names *ret);
