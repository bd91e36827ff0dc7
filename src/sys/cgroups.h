/*
 * Control groups: where hierarchies are mounted, and the groups below the one that counters know. Where nothing is mounted there
 * is none, whatever directories a system has below /sys/fs/cgroup. Sources: cgroups(7), proc_pid_mounts(5).
 */
#pragma once
#include "sys/sys.h"

/* The mount point that is first in /proc/self/mounts, or NULL where none is mounted; owned. */
char *sys_cgroup2_root(const struct sys *sys);
/*
 * The path of a group of version 2 below its mount point, by the ID that BPF programs see, which is the inode of its directory: "/" for
 * the outermost. "cgroup ID" where it is gone, or more than 16 levels deep. Owned.
 */
char *sys_cgroup2_path(const struct sys *sys, uint64_t id);
/* The same the other way round; the error names the group and the mount point. */
struct strobe_error *sys_cgroup2_id(const struct sys *sys, const char *path, uint64_t *ret) _must_check_;
/*
 * The mount point of the hierarchy whose groups perf_event_open(2) takes, or NULL where none is mounted; owned. It is that of the
 * controller perf_event (version 1) where there is one, else the first of version 2.
 */
char *sys_cgroup_perf_root(const struct sys *sys, unsigned *ret_version);
/* A directory descriptor of the group with this path below that hierarchy; the error names both. */
struct strobe_error *sys_cgroup_open(const struct sys *sys, const char *path, int *ret_fd) _must_check_;
/*
 * Appends the paths of groups of that hierarchy that an extended regular expression matches, outer groups before inner ones; at
 * most 32 levels. False where the expression is invalid.
 */
bool sys_cgroups_matching(const struct sys *sys, const char *regex, sys_names *ret);
