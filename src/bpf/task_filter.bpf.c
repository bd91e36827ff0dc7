/* Drops the samples of tasks that are not followed, and follows the tasks that followed ones start. */
#include "bpf/followed.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define CLONE_THREAD 0x00010000

const volatile struct followed_settings settings = {};

SEC("perf_event")
int keep_followed(void *ctx)
{
	return is_followed(bpf_get_current_task_btf(), settings.words, settings.by_thread);
}

/* Copies the bit of one ID to another; a word that would not change is not written. */
INLINE int copy_bit(__u32 to, __u32 from)
{
	__u32 to_word = to / 64, from_word = from / 64;
	__u64 *words = followed_words(), bit = 1ULL << to % 64, was;
	_Bool is_on;
	if (!words || to_word >= settings.words || from_word >= settings.words)
		return 0;
	is_on = words[FOLLOWED_BITS + from_word] >> from % 64 & 1;
	was = words[FOLLOWED_BITS + to_word] & bit;
	if (is_on && !was)
		__sync_fetch_and_or(&words[FOLLOWED_BITS + to_word], bit);
	else if (!is_on && was)
		__sync_fetch_and_and(&words[FOLLOWED_BITS + to_word], ~bit);
	return 0;
}

/*
 * (task, clone flags): the current task starts another, which is followed if its parent is. So the bit of a reused ID is right from
 * the start, and no bit needs to be cleared when a task ends.
 */
SEC("raw_tp/task_newtask")
int follow_new(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct task_struct *child = (const struct task_struct *)ctx[0];
	__u32 id;
	if (!settings.by_thread && (ctx[1] & CLONE_THREAD)) /* a thread has its process's bit */
		return 0;
	if (bpf_probe_read_kernel(&id, sizeof(id), &child->pid))
		return 0;
	return copy_bit(id, settings.by_thread ? task->pid : task->tgid);
}

/* (task, old thread ID, binary): a thread that calls exec takes the ID of its process. */
SEC("raw_tp/sched_process_exec")
int follow_exec(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	return copy_bit(task->pid, (__u32)ctx[1]);
}
