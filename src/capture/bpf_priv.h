/*
 * The kernel's loaded BPF programs, as bpf(2) reports them. Programs come with their id in rising order. CAP_SYS_ADMIN
 * is needed, else there are none. No state; a descriptor is the caller's.
 */
#pragma once
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More functions or programs than any system has: a bound on what the kernel is believed. */
#define BPF_COUNT_LIMIT 4096

static inline int bpf_call(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* BPF_PROG_GET_FD_BY_ID and its like; -1 where it is gone. */
static inline int bpf_open_id(int cmd, uint32_t id)
{
	union bpf_attr attr = { .prog_id = id };
	return bpf_call(cmd, &attr);
}

static inline bool bpf_object_info(int fd, void *info, uint32_t bytes)
{
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)fd, .info_len = bytes, .info = (uintptr_t)info } };
	return !bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* The next program after *id, which becomes its; false where there is none, or none for us to see. */
static inline bool bpf_next_program(uint32_t *id)
{
	union bpf_attr attr = { .start_id = *id };
	if (bpf_call(BPF_PROG_GET_NEXT_ID, &attr))
		return false;
	*id = attr.next_id;
	return true;
}

/* A BTF blob by its id; NULL where there is none. The caller frees it. */
uint8_t *bpf_load_btf(uint32_t id, uint32_t *ret_bytes);
