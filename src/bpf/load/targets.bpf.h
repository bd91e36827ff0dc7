/*
 * The map of tasks that programs are for, by thread ID as the kernel numbers them in the initial PID namespace. User space puts in those
 * that are named; programs add what these start, and remove what ends.
 */
#pragma once
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384); /* resized when it is loaded */
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

INLINE _Bool is_target(__u32 tid)
{
	return bpf_map_lookup_elem(&targets, &tid) != 0;
}

/* False: the map is full. */
INLINE _Bool add_target(__u32 tid)
{
	__u32 one = 1;
	return !bpf_map_update_elem(&targets, &tid, &one, BPF_ANY);
}

/* Whether it was one. Of a task that ends: another may get its ID. */
INLINE _Bool remove_target(__u32 tid)
{
	return !bpf_map_delete_elem(&targets, &tid);
}
