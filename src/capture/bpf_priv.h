/*
 * The kernel's loaded BPF programs, as bpf(2) reports them. Programs are in ascending order of IDs. Requires CAP_SYS_ADMIN,
 * else there are none. No state; the caller owns descriptors.
 */
#pragma once
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An upper bound for the number of functions or programs reported by the kernel. */
#define BPF_COUNT_LIMIT 4096

static inline int bpf_call(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* BPF_PROG_GET_FD_BY_ID and similar commands; -1: it no longer exists. */
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

/* Advances *id to the next program; false: none, or not permitted. */
static inline bool bpf_next_program(uint32_t *id)
{
	union bpf_attr attr = { .start_id = *id };
	if (bpf_call(BPF_PROG_GET_NEXT_ID, &attr))
		return false;
	*id = attr.next_id;
	return true;
}

/* A BTF blob by its ID, for the caller to free; NULL: none. */
uint8_t *bpf_load_btf(uint32_t id, uint32_t *ret_bytes);
