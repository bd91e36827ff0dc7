/*
 * A seccomp filter that stops a traced task at chosen system calls only: the others cost it nothing but the filter.
 *
 * The task installs it (workload.h); without a tracer the chosen calls then fail with ENOSYS. Source: seccomp(2),
 * SECCOMP_RET_TRACE.
 */
#pragma once
#include <linux/filter.h>

#include "base/vector.h"
#include "decode/syscall.h"

struct call_filter {
	VEC(struct sock_filter) code;
};

/* compat may be NULL. False: it would be longer than the kernel allows. */
bool call_filter_make(struct call_filter *f, const struct arch *native, const struct syscall_set *chosen, const struct arch *compat,
		      const struct syscall_set *compat_chosen);
void call_filter_deinit(struct call_filter *f);
