/*
 * The memory that the arguments of a stopped task's call point to, read by the steps of the call's plan (decode/syscall.h), as pieces.
 *
 * What bpf/trace/trace_fetch.bpf.h does in the kernel; here all that is passed to a call is read at its entry, and pages that are not in
 * memory are brought in. One thread.
 */
#pragma once
#include <sys/types.h>

#include "decode/syscall.h"

#define FETCHED_BYTES_MAX 16384

struct fetched {
	uint32_t bytes;
	uint8_t data[FETCHED_BYTES_MAX]; /* pieces: struct syscall_piece and what follows each */
};

struct fetch_from {
	pid_t tid;
	const struct arch *arch;
	uint64_t arg[SYSCALL_ARGS];
	uint32_t str_limit;
};

/* Appends a piece; false: it does not fit. */
bool fetch_put(struct fetched *f, unsigned arg, unsigned part, unsigned status, const void *data, size_t bytes);
/* Appends what the call has been passed. */
void fetch_at_entry(struct fetched *f, const struct fetch_from *from, const struct syscall_plan *plan);
/* Appends what the call has written; ret: its result. */
void fetch_at_exit(struct fetched *f, const struct fetch_from *from, const struct syscall_plan *plan, int64_t ret);
