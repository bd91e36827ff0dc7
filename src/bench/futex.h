/*
 * futex(2) for the benchmarks of futexes. Private to this room.
 *
 * Source: futex(2), and for the private hash table PR_FUTEX_HASH of include/uapi/linux/prctl.h (Linux 6.16).
 */
#pragma once
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>

#include "bench/priv.h"

typedef _Atomic uint32_t futex;

/* futex(2), private unless the settings say shared; -1 with errno. */
long futex_call(futex *f, int op, const struct bench_settings *s, uint32_t value, uintptr_t timeout, futex *other, uint32_t value3);
/* "private" or "shared". */
const char *futex_sharing(const struct bench_settings *s);
/* Common preparation: number of threads, locked memory, size of the hash table. */
struct strobe_error *futex_prepare(const struct bench_settings *s, struct bench_report *r, uint64_t *ret_tasks) _must_check_;
/* Prints the line about the hash table: since Linux 6.16 a process has its own. */
void futex_put_buckets(const struct bench_settings *s, struct bench_report *r);
