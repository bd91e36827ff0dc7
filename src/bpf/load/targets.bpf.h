/*
 * The map of target tasks, by thread ID in the initial PID namespace. User space adds the named ones; programs add the tasks that these
 * start, and remove tasks that end.
 */
#pragma once
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384); /* set before loading */
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

/* Called when a task ends, since its ID may be reused. Returns whether it was a target. */
INLINE _Bool remove_target(__u32 tid)
{
	return !bpf_map_delete_elem(&targets, &tid);
}
