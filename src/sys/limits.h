/*
 * What this system permits: perf sysctls, capabilities, lockdown, and the names of restrictions.
 *
 * Source: Documentation/admin-guide/sysctl/kernel.rst, perf-security.rst, capabilities(7), kernel_lockdown(7).
 * Nothing is cached: each call reads its file.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "sys/sys.h"

enum sys_lockdown { SYS_LOCKDOWN_NONE, SYS_LOCKDOWN_INTEGRITY, SYS_LOCKDOWN_CONFIDENTIALITY };

/* -1 … 4; 2 if the file is missing although the kernel has perf. */
int sys_perf_event_paranoid(const struct sys *sys);
uint64_t sys_perf_event_mlock_kb(const struct sys *sys);
uint64_t sys_perf_event_max_sample_rate(const struct sys *sys);
unsigned sys_perf_event_max_stack(const struct sys *sys);

/* Whether the effective set has the capability (a CAP_* number of linux/capability.h). */
bool sys_has_cap(const struct sys *sys, unsigned cap);
/* CAP_PERFMON or CAP_SYS_ADMIN: perf_event_paranoid does not apply. */
bool sys_is_perfmon(const struct sys *sys);
/* True if a seccomp filter applies to this process (containers): perf_event_open may fail regardless of other permissions. */
bool sys_has_seccomp(const struct sys *sys);
enum sys_lockdown sys_lockdown(const struct sys *sys);

/* Bytes that this process may lock (RLIMIT_MEMLOCK); UINT64_MAX = no limit. */
uint64_t sys_memlock_bytes(void);
/* Raises RLIMIT_NOFILE to its hard limit, and beyond if `needed` requires and permissions allow it. Returns the new limit. */
uint64_t sys_raise_nofile(uint64_t needed);
