/*
 * Kinds of the kernel's locks, by the flags of lock:contention_begin, with perf's names.
 *
 * Source: include/trace/events/lock.h (LCB_F_*). Any number of threads.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"

enum lock_flags {
	LOCK_SPIN = 1 << 0,
	LOCK_READ = 1 << 1,
	LOCK_WRITE = 1 << 2,
	LOCK_RT = 1 << 3,
	LOCK_PERCPU = 1 << 4,
	LOCK_MUTEX = 1 << 5,
	LOCK_TYPE_MASK = 0x7f, /* bits above it are not the tracepoint's */
};

typedef VEC(uint32_t) lock_flag_list;

/* With the way in which it is taken, "rwsem:R"; "unknown" for other flags. */
const char *lock_kind_access(uint32_t flags);
/* Without it: "rwsem". */
const char *lock_kind_name(uint32_t flags);
/* "rwsem:R,mutex": one name may stand for several flags, which are added. ERROR_USAGE names the unknown one. */
struct strobe_error *lock_kinds_parse(const char *names, lock_flag_list *ret) _must_check_;
bool lock_kinds_have(const lock_flag_list *list, uint32_t flags);
