/* The map of followed tasks and its look-up, for programs that keep only the samples of these. */
#pragma once
#include "bpf/followed_shared.h"
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"

#include <bpf/bpf_helpers.h>

/* Its value is resized to the largest possible ID; or the map of another program is used. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[2]);
} followed SEC(".maps");

INLINE __u64 *followed_words(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&followed, &zero);
}

/*
 * Whether the current task is followed; a command is so from its exec on. A task that has been reaped has lost its ID, and its
 * events have ended before that. words_nr: of bits.
 */
/* By its ID alone: of a task that is not the current one. */
INLINE _Bool is_followed_id(__u32 id, __u32 words_nr)
{
	__u64 *words = followed_words();
	__u32 word = id / 64;
	return words && word < words_nr && words[FOLLOWED_BITS + word] >> id % 64 & 1;
}

INLINE int is_followed(struct task_struct *task, __u32 words_nr, _Bool by_thread)
{
	__u32 id = by_thread ? task->pid : task->tgid, word = id / 64;
	__u64 *words = followed_words();
	if (!words || word >= words_nr || !(words[FOLLOWED_BITS + word] >> id % 64 & 1))
		return 0;
	if (task->exit_state)
		return 0;
	if (words[FOLLOWED_COMMAND] != task->pid)
		return 1;
	if (task->flags & FOLLOWED_NO_EXEC)
		return 0;
	words[FOLLOWED_COMMAND] = 0;
	return 1;
}
