/*
 * The kind of object that contains a futex, found by the function of the C library, libstdc++ or Rust's standard library that waits for
 * it, and the start address of that object.
 *
 * Source: nptl/ and sysdeps/nptl/ of glibc (struct __pthread_mutex_s, __pthread_cond_s, __pthread_rwlock_arch_t: the same offsets on
 * all 64-bit architectures since 2.25); library/std/src/sys/sync/ of Rust. Any number of threads.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum futex_kind {
	FUTEX_OTHER,
	FUTEX_MUTEX,
	FUTEX_COND,
	FUTEX_RWLOCK,
	FUTEX_SEM,
	FUTEX_JOIN,
	FUTEX_BARRIER,
	FUTEX_ONCE,
	FUTEX_FUTURE, /* std::future, std::atomic::wait() */
	FUTEX_LIBC,   /* of the C library itself: of malloc(), of a stream */
	FUTEX_KINDS,
};

struct futex_use {
	enum futex_kind kind;
	bool is_glibc;    /* with glibc's layout: a mutex has its owner */
	uint32_t caller;  /* the first frame outside of the library */
};

/* names: of the frames, innermost first; NULL for one without a name. */
struct futex_use futex_use_of(const char *const *names, size_t nr);
/* The start of the object, from the address of the futex. */
uint64_t futex_object(const struct futex_use *use, uint64_t address);
/* "mutex", "cond" …; "futex" of others. */
const char *futex_kind_name(enum futex_kind kind);
/* "mutex,cond": a bit for each. ERROR_USAGE names the unknown one. */
struct strobe_error *futex_kinds_parse(const char *names, unsigned *ret) _must_check_;
