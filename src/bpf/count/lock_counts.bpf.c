/*
 * Sums up waits for the kernel's locks where they end. A wait is identified by its lock and thread, so that nested waits are separate; a
 * second begin event belongs to the first, as when a thread first spins on a mutex and then sleeps.
 *
 * Maps are preallocated: these tracepoints may be inside the kernel's allocator. Two CPUs may end waits of one sum at the same
 * time: counts are atomic, and of two greatest or least waits at the same moment one may be missed.
 */
#include "bpf/count/lock_counts_shared.h"
#include "bpf/load/targets.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* include/trace/events/lock.h */
#define FLAG_READ  2
#define FLAG_WRITE 4
#define FLAG_MUTEX 32
/* The bits of the owner fields of struct mutex and struct rw_semaphore that are not part of the task's address. */
#define OWNER_BITS 7UL
/* include/linux/rwsem.h: held by readers; the owner is only a hint. */
#define OWNER_READS 1UL

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
typedef struct {
	__s64 counter;
} atomic64_t;
struct mutex {
	atomic64_t owner;
};
struct rw_semaphore {
	atomic64_t owner;
};
#pragma clang attribute pop

const volatile struct lock_counts_settings settings = {};
struct lock_counts_control control = {};

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384); /* both are set before loading */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct lock_wait_key);
	__type(value, struct lock_wait);
} waits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct lock_sum_key);
	__type(value, struct lock_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct lock_thread);
} threads SEC(".maps");

INLINE _Bool is_chosen_lock(__u64 lock)
{
	for (__u32 i = 0; i < LOCK_COUNTS_LOCKS && i < settings.locks_nr; i++)
		if (settings.locks[i] == lock)
			return 1;
	return !settings.locks_nr;
}

INLINE _Bool is_chosen_cgroup(void)
{
	__u64 id = settings.cgroups_nr ? bpf_get_current_cgroup_id() : 0;
	for (__u32 i = 0; i < LOCK_COUNTS_CGROUPS && i < settings.cgroups_nr; i++)
		if (settings.cgroups[i] == id)
			return 1;
	return !settings.cgroups_nr;
}

INLINE _Bool is_chosen(struct task_struct *task, __u64 lock, __u32 flags)
{
	__u32 cpu = bpf_get_smp_processor_id();
	if (settings.by_target && !is_target(task->pid))
		return 0;
	if (settings.by_cpu && (cpu >= LOCK_COUNTS_CPUS || !(settings.cpus[BELOW(LOCK_COUNTS_CPUS / 64, cpu / 64)] >> (cpu % 64) & 1)))
		return 0;
	if (settings.kinds && !(settings.kinds >> (flags & 63) & 1))
		return 0;
	return is_chosen_lock(lock) && is_chosen_cgroup();
}

INLINE struct lock_wait_key key_of(struct task_struct *task, __u64 lock)
{
	__u32 tid = task->pid;
	return (struct lock_wait_key){ .lock = lock, .thread = tid ? tid : (__u64)(bpf_get_smp_processor_id() + 1) << 32 };
}

/* The owner task in a lock; 0: unknown, or readers. */
INLINE __u64 owner_of(__u64 lock, __u32 flags)
{
	__u64 owner = 0;
	if (flags & FLAG_MUTEX)
		bpf_probe_read_kernel(&owner, sizeof(owner), __builtin_preserve_access_index(&((struct mutex *)lock)->owner));
	else if (flags == FLAG_READ || flags == FLAG_WRITE)
		bpf_probe_read_kernel(&owner, sizeof(owner), __builtin_preserve_access_index(&((struct rw_semaphore *)lock)->owner));
	if (!(flags & FLAG_MUTEX) && owner & OWNER_READS)
		return 0;
	return owner & ~OWNER_BITS;
}

/* As the thread is called now: a command's first waits may come before it is executed, when it has the name of who started it. */
INLINE void keep_name(__u32 tid, const struct task_struct *task)
{
	struct lock_thread t = {}, *known = bpf_map_lookup_elem(&threads, &tid);
	if (known)
		bpf_probe_read_kernel(known->comm, sizeof(known->comm), task->comm);
	else if (!bpf_probe_read_kernel(t.comm, sizeof(t.comm), task->comm))
		bpf_map_update_elem(&threads, &tid, &t, BPF_NOEXIST);
}

/* The ID of the waiting thread, or of the owner; ~0: unknown owner. */
INLINE __u32 thread_of(struct task_struct *task, __u64 lock, __u32 flags)
{
	__u32 tid = task->pid;
	if (settings.by_owner) {
		const struct task_struct *owner = (const struct task_struct *)owner_of(lock, flags);
		if (!owner || bpf_probe_read_kernel(&tid, sizeof(tid), &owner->pid))
			return ~0U;
		keep_name(tid, owner);
	} else if (settings.by == LOCK_COUNTS_BY_THREAD) {
		keep_name(tid, task);
	}
	return tid;
}

SEC("raw_tp/contention_begin") int begin_wait(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 lock = ctx[0];
	__u32 flags = ctx[1];
	if (!control.enabled || !is_chosen(task, lock, flags))
		return 0;
	struct lock_wait_key key = key_of(task, lock);
	if (bpf_map_lookup_elem(&waits, &key))
		return 0;
	struct lock_wait w = { .flags = flags, .stack = -1, .tid = thread_of(task, lock, flags) };
	if (settings.with_stacks)
		w.stack = bpf_get_stackid(ctx, &stacks, BPF_F_FAST_STACK_CMP | (settings.skip & BPF_F_SKIP_FIELD_MASK));
	if (settings.with_stacks && w.stack < 0) {
		__sync_fetch_and_add(&control.no_stack, 1);
		w.stack = -1;
	}
	w.since_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&waits, &key, &w, BPF_NOEXIST))
		__sync_fetch_and_add(&control.no_wait, 1);
	return 0;
}

INLINE void add(struct lock_sum *s, __u64 length)
{
	__sync_fetch_and_add(&s->count, 1);
	__sync_fetch_and_add(&s->total_ns, length);
	if (length > s->max_ns)
		s->max_ns = length;
	if (length < s->min_ns)
		s->min_ns = length;
}

INLINE void add_first(const struct lock_sum_key *key, const struct lock_wait *w, __u64 lock, __u64 length)
{
	struct lock_sum first = { .count = 1, .total_ns = length, .max_ns = length, .min_ns = length, .lock = lock, .flags = w->flags };
	if (!bpf_map_update_elem(&sums, key, &first, BPF_NOEXIST))
		return;
	struct lock_sum *s = bpf_map_lookup_elem(&sums, key); /* another CPU was first */
	if (s)
		add(s, length);
	else
		__sync_fetch_and_add(&control.no_sum, 1);
}

SEC("raw_tp/contention_end") int end_wait(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock_wait_key key = key_of(task, ctx[0]);
	struct lock_wait *w = bpf_map_lookup_elem(&waits, &key);
	if (!w)
		return 0;
	__u64 length = bpf_ktime_get_ns() - w->since_ns;
	struct lock_sum_key sum = { .stack = w->stack };
	if (settings.by == LOCK_COUNTS_BY_THREAD)
		sum.of = w->tid;
	else if (settings.by == LOCK_COUNTS_BY_LOCK)
		sum.of = ctx[0];
	else if (settings.by == LOCK_COUNTS_BY_CGROUP)
		sum.of = bpf_get_current_cgroup_id();
	if (settings.by != LOCK_COUNTS_BY_STACK)
		sum.stack = -1;
	struct lock_sum *s = bpf_map_lookup_elem(&sums, &sum);
	if (s)
		add(s, length);
	else
		add_first(&sum, w, ctx[0], length);
	bpf_map_delete_elem(&waits, &key);
	return 0;
}

SEC("raw_tp/sched_process_fork") int follow_fork(__u64 *ctx)
{
	const struct task_struct *child = (const struct task_struct *)ctx[1];
	__u32 tid;
	if (!is_target(bpf_get_current_task_btf()->pid) || bpf_probe_read_kernel(&tid, sizeof(tid), &child->pid))
		return 0;
	if (!add_target(tid))
		__sync_fetch_and_add(&control.unfollowed, 1);
	return 0;
}

SEC("raw_tp/sched_process_exit") int forget_task(__u64 *ctx)
{
	remove_target(bpf_get_current_task_btf()->pid);
	return 0;
}
