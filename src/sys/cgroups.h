/*
 * Control groups: mount points of hierarchies, and the groups of the hierarchy that perf_event_open(2) uses. Only mounted hierarchies
 * count, whatever directories exist below /sys/fs/cgroup. Sources: cgroups(7), proc_pid_mounts(5).
 */
#pragma once
#include "sys/sys.h"

/* The first mount point of version 2 in /proc/self/mounts, or NULL if there is none; owned. */
char *sys_cgroup2_root(const struct sys *sys);
/*
 * The path of a version 2 group below its mount point, by the ID that BPF programs use, the inode of its directory: "/" for the
 * outermost. "cgroup ID" if it is gone, or more than 16 levels deep. Owned.
 */
char *sys_cgroup2_path(const struct sys *sys, uint64_t id);
/* The ID of a path; the error names the group and the mount point. */
struct strobe_error *sys_cgroup2_id(const struct sys *sys, const char *path, uint64_t *ret) _must_check_;
/*
 * The mount point of the hierarchy whose groups perf_event_open(2) accepts, or NULL if none is mounted; owned. It is that of the
 * controller perf_event (version 1) if mounted, else the first of version 2.
 */
char *sys_cgroup_perf_root(const struct sys *sys, unsigned *ret_version);
/* A directory descriptor of the group with this path in that hierarchy; the error names both. */
struct strobe_error *sys_cgroup_open(const struct sys *sys, const char *path, int *ret_fd) _must_check_;
/*
 * Appends the paths of groups of that hierarchy that match an extended regular expression, outer groups before inner ones; at most
 * 32 levels. False if the expression is invalid.
 */
bool sys_cgroups_matching(const struct sys *sys, const char *regex, sys_names *ret);
