/*
 * The machine of task states (analysis/task_states.h) in the kernel: what each task does, and for how long, as sums.
 *
 * A task may be switched out on one CPU while another wakes it: a wake-up that comes before the task has left its CPU is remembered, as
 * there. Maps are preallocated. The sums of a task that ends are added to those of its name.
 */
#include "bpf/count/sched_counts_shared.h"
#include "bpf/load/targets.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* include/linux/sched.h */
#define STATE_UNINTERRUPTIBLE 0x0002
#define STATE_STOPPED         0x000c
#define STATE_DEAD            0x0080
#define STATE_NOLOAD          0x0400
#define STATE_RTLOCK_WAIT     0x1000

const volatile struct sched_counts_settings settings = {};
struct sched_counts_control control = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* set before loading */
	__type(key, __u32);
	__type(value, struct sched_counts_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096); /* likewise */
	__type(key, struct sched_counts_name);
	__type(value, struct sched_counts_sums);
} ended SEC(".maps");

/* All zeros: new entries are copies of it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_counts_task);
} empty SEC(".maps");

INLINE __u32 state_of(__u64 preempt, __u32 prev_state)
{
	if (preempt || !prev_state)
		return SCHED_COUNTS_RUNNABLE;
	if (prev_state & STATE_DEAD)
		return SCHED_COUNTS_DEAD;
	if (prev_state & STATE_STOPPED)
		return SCHED_COUNTS_STOPPED;
	if (prev_state & STATE_RTLOCK_WAIT || (prev_state & STATE_UNINTERRUPTIBLE && !(prev_state & STATE_NOLOAD)))
		return SCHED_COUNTS_UNINTERRUPTIBLE;
	return SCHED_COUNTS_SLEEPING;
}

INLINE _Bool is_waiting(__u32 state)
{
	return state >= SCHED_COUNTS_SLEEPING;
}

INLINE __u32 tid_of(const struct task_struct *task)
{
	__u32 tid = 0;
	bpf_probe_read_kernel(&tid, sizeof(tid), &task->pid);
	return tid;
}

INLINE _Bool is_chosen(__u32 tid)
{
	return tid && (!settings.by_target || is_target(tid));
}

/* The sums of the current period, or of the one before. */
INLINE struct sched_counts_sum *sum_of(struct sched_counts_sums *s, __u64 period)
{
	__u32 zero = 0;
	struct sched_counts_sum *sum = period & 1 ? &s->sums[1] : &s->sums[0];
	__u64 *of = period & 1 ? &s->periods[1] : &s->periods[0];
	if (*of == period)
		return sum;
	const struct sched_counts_task *nothing = bpf_map_lookup_elem(&empty, &zero);
	if (nothing)
		bpf_probe_read_kernel(sum, sizeof(*sum), &nothing->sums.sums[0]);
	*of = period;
	return sum;
}

INLINE struct sched_counts_task *find(const struct task_struct *task, __u32 tid, __u32 state, __u64 now)
{
	__u32 zero = 0;
	struct sched_counts_task *t = bpf_map_lookup_elem(&tasks, &tid);
	if (t && t->state != SCHED_COUNTS_DEAD)
		return t;
	if (t) { /* its ID is reused before user space has read the entry */
		__sync_fetch_and_add(&control.no_task, 1);
		bpf_map_delete_elem(&tasks, &tid);
	}
	const struct sched_counts_task *nothing = bpf_map_lookup_elem(&empty, &zero);
	if (nothing)
		bpf_map_update_elem(&tasks, &tid, nothing, BPF_NOEXIST);
	t = bpf_map_lookup_elem(&tasks, &tid);
	if (!t) {
		__sync_fetch_and_add(&control.no_task, 1);
		return 0;
	}
	t->since_ns = now;
	t->state = state;
	bpf_probe_read_kernel(t->comm, sizeof(t->comm), task->comm);
	return t;
}

INLINE __u64 start_of(__u64 period)
{
	return period & 1 ? control.starts_ns[1] : control.starts_ns[0];
}

/* Adds the part of a state that lies in the period, up to `end`. */
INLINE void add_state(struct sched_counts_task *t, __u64 period, __u64 end)
{
	struct sched_counts_sum *s = sum_of(&t->sums, period);
	__u64 start = start_of(period);
	if (start < t->since_ns)
		start = t->since_ns;
	if (end > start)
		s->ns[t->state & 7] += end - start;
}

INLINE void enter(struct sched_counts_task *t, __u32 state, __u64 now)
{
	__u64 period = control.period, start = start_of(period);
	if (t->since_ns < start)
		add_state(t, period - 1, start);
	add_state(t, period, now);
	t->state = state;
	t->since_ns = now;
}

/* ---- the end of a task ---- */

INLINE void join(struct sched_counts_sum *to, const struct sched_counts_sum *from)
{
	for (int i = 0; i < 8; i++)
		__sync_fetch_and_add(&to->ns[i], from->ns[i]);
	__sync_fetch_and_add(&to->count, from->count);
	__sync_fetch_and_add(&to->ended, 1);
	__sync_fetch_and_add(&to->delay_ns, from->delay_ns);
	if (from->max_ns > to->max_ns) {
		to->max_ns = from->max_ns;
		to->max_start_ns = from->max_start_ns;
		to->max_end_ns = from->max_end_ns;
	}
	for (int i = 0; i < SCHED_DELAY_BUCKETS; i++)
		if (from->delays[i])
			__sync_fetch_and_add(&to->delays[i], from->delays[i]);
}

INLINE void end_task(struct sched_counts_task *t, __u32 tid)
{
	__u32 zero = 0;
	__u64 period = control.period, before = period - 1;
	if (before && (before & 1 ? t->sums.periods[1] : t->sums.periods[0]) == before)
		return;
	struct sched_counts_name name = { .tid = settings.by_thread ? tid : 0 };
	__builtin_memcpy(name.comm, t->comm, sizeof(name.comm));
	struct sched_counts_sums *s = bpf_map_lookup_elem(&ended, &name);
	if (!s) {
		const struct sched_counts_task *nothing = bpf_map_lookup_elem(&empty, &zero);
		if (nothing)
			bpf_map_update_elem(&ended, &name, &nothing->sums, BPF_NOEXIST);
		s = bpf_map_lookup_elem(&ended, &name);
	}
	if (s) {
		struct sched_counts_sum *sum = sum_of(s, period);
		join(sum, sum_of(&t->sums, period));
		sum->last_tid = tid;
	} else {
		__sync_fetch_and_add(&control.no_sum, 1);
	}
	bpf_map_delete_elem(&tasks, &tid);
}

/* ---- events ---- */

INLINE void leave(const struct task_struct *task, __u32 state, __u64 now)
{
	__u32 tid = tid_of(task);
	if (!is_chosen(tid))
		return;
	struct sched_counts_task *t = find(task, tid, SCHED_COUNTS_RUNNING, now);
	if (!t)
		return;
	if (t->state != SCHED_COUNTS_RUNNING)
		t->state = SCHED_COUNTS_UNKNOWN;
	enter(t, state, now);
	if (state == SCHED_COUNTS_DEAD)
		end_task(t, tid);
}

INLINE void add_delay(struct sched_counts_sum *s, __u64 start, __u64 now)
{
	__u64 delay = now > start ? now - start : 0;
	__u32 bucket = sched_delay_bucket(delay);
	s->delay_ns += delay;
	if (bucket < SCHED_DELAY_BUCKETS)
		s->delays[bucket]++;
	if (delay <= s->max_ns)
		return;
	s->max_ns = delay;
	s->max_start_ns = start;
	s->max_end_ns = now;
}

INLINE void arrive(const struct task_struct *task, __u64 now)
{
	__u32 tid = tid_of(task);
	if (!is_chosen(tid))
		return;
	struct sched_counts_task *t = find(task, tid, SCHED_COUNTS_RUNNABLE, now);
	if (!t)
		return;
	if (is_waiting(t->state))
		t->state = t->early ? SCHED_COUNTS_RUNNABLE : SCHED_COUNTS_UNKNOWN;
	struct sched_counts_sum *s = sum_of(&t->sums, control.period);
	s->count++;
	if (t->state == SCHED_COUNTS_RUNNABLE)
		add_delay(s, t->since_ns, now);
	t->early = 0;
	enter(t, SCHED_COUNTS_RUNNING, now);
}

SEC("raw_tp/sched_switch") int switch_tasks(__u64 *ctx)
{
	if (!control.enabled)
		return 0;
	__u64 now = bpf_ktime_get_ns();
	leave((const struct task_struct *)ctx[1], state_of(ctx[0], (__u32)ctx[3]), now);
	arrive((const struct task_struct *)ctx[2], now);
	return 0;
}

INLINE void wake(const struct task_struct *task)
{
	__u32 tid = tid_of(task);
	if (!control.enabled || !is_chosen(tid))
		return;
	__u64 now = bpf_ktime_get_ns();
	struct sched_counts_task *t = find(task, tid, SCHED_COUNTS_RUNNABLE, now);
	if (!t)
		return;
	if (t->state == SCHED_COUNTS_RUNNING)
		t->early = 1;
	else if (t->state != SCHED_COUNTS_RUNNABLE)
		enter(t, SCHED_COUNTS_RUNNABLE, now);
}

SEC("raw_tp/sched_waking") int wake_task(__u64 *ctx)
{
	wake((const struct task_struct *)ctx[0]);
	return 0;
}

SEC("raw_tp/sched_wakeup_new") int wake_new_task(__u64 *ctx)
{
	wake((const struct task_struct *)ctx[0]);
	return 0;
}

SEC("raw_tp/task_rename") int rename_task(__u64 *ctx)
{
	__u32 tid = tid_of((const struct task_struct *)ctx[0]);
	struct sched_counts_task *t = bpf_map_lookup_elem(&tasks, &tid);
	if (t)
		bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), (const void *)ctx[1]);
	return 0;
}

SEC("raw_tp/sched_process_fork") int follow_fork(__u64 *ctx)
{
	__u32 tid = tid_of((const struct task_struct *)ctx[1]);
	if (is_target(bpf_get_current_task_btf()->pid) && !add_target(tid))
		__sync_fetch_and_add(&control.unfollowed, 1);
	return 0;
}

/* At its last switch a task that has ended can no longer be identified: it stays a target until its ID is reused. */
SEC("raw_tp/sched_process_free") int forget_task(__u64 *ctx)
{
	remove_target(tid_of((const struct task_struct *)ctx[0]));
	return 0;
}
