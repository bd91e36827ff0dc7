/*
 * Sums up system calls by thread and call: how many, how many failed, how long. One row for each pair, which only its
 * thread writes to; rows are allocated on first use.
 */
#include "bpf/trace/trace_shared.h"

struct task_state {
	__u64 start_ns;
	__u64 cgroup;
	__u32 call; /* of start_ns; TRACE_CALLS: none */
	__u32 thread; /* + 1; 0: none yet */
	__u32 gone;
	__u32 row_of[TRACE_CALLS]; /* + 1; 0: none yet */
};

#include "bpf/trace/trace_func_count.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TRACE_ROWS);
	__type(key, __u32);
	__type(value, struct trace_row);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TRACE_THREADS);
	__type(key, __u32);
	__type(value, struct trace_thread);
} threads SEC(".maps");

/* Rows of calls that are not counted by thread, one set per CPU. */
struct common {
	__u32 row_of[TRACE_CALLS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct common);
} common SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* resized if used */
	__type(key, struct trace_errno_key);
	__type(value, __u64);
} errnos SEC(".maps");

/* The index + 1 of the thread's entry; 0 where the map is full. */
static __attribute__((noinline)) __u32 new_thread(struct task_state *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 i;
	if (!s || control.threads >= TRACE_THREADS)
		return 0;
	i = __sync_fetch_and_add(&control.threads, 1);
	struct trace_thread *t = bpf_map_lookup_elem(&threads, &i);
	if (!t)
		return 0;
	t->tid = task->pid;
	t->pid = task->tgid;
	t->cgroup = s->cgroup;
	bpf_get_current_comm(t->comm, sizeof(t->comm));
	if (task->start_time < settings.began_ns) {
		t->ran_before_ns = task->se.sum_exec_runtime;
		t->waited_before_ns = waited_ns(task);
	}
	s->thread = i + 1;
	return i + 1;
}

static __attribute__((noinline)) __u32 new_row(__u32 call, __u32 thread)
{
	struct trace_row *r;
	__u32 i;
	if (thread != TRACE_THREAD_NONE) {
		if (control.rows >= TRACE_ROW_OTHERS)
			return 0;
		i = __sync_fetch_and_add(&control.rows, 1);
		if (i >= TRACE_ROW_OTHERS)
			return 0;
	} else {
		if (control.rows_others >= TRACE_ROWS_OTHERS)
			return 0;
		i = TRACE_ROW_OTHERS + __sync_fetch_and_add(&control.rows_others, 1);
	}
	r = bpf_map_lookup_elem(&rows, &i);
	if (!r)
		return 0;
	r->thread = thread;
	r->call = call;
	return i + 1;
}

static __attribute__((noinline)) __u32 common_row(__u32 call)
{
	__u32 zero = 0;
	struct common *c = bpf_map_lookup_elem(&common, &zero);
	if (!c || call >= TRACE_CALLS)
		return 0;
	if (!c->row_of[call])
		c->row_of[call] = new_row(call, TRACE_THREAD_NONE);
	return c->row_of[call];
}

static __attribute__((noinline)) int forget_rows(struct task_state *s)
{
	if (!s)
		return 0;
	/* volatile keeps the compiler from calling memset, which does not exist here. */
	for (__u32 i = 0; i < TRACE_CALLS; i++)
		*(volatile __u32 *)&s->row_of[i] = 0;
	return 0;
}

/* The row + 1 of a call of the current task. */
INLINE __u32 row_of(struct task_state *s, __u32 call)
{
	__u32 row;
	if (settings.by == TRACE_BY_ALL)
		return common_row(call);
	if (call >= TRACE_CALLS)
		return 0;
	row = s->row_of[call];
	if (row)
		return row;
	if (s->thread || new_thread(s))
		row = s->row_of[call] = new_row(call, s->thread - 1);
	return row ? row : common_row(call);
}

INLINE __u32 slot_of(__u64 ns)
{
	__u32 v = ns >> 32 ? 0xffffffffU : (__u32)ns, slot = 0;
	if (v >= 1U << 16) { v >>= 16; slot = 16; }
	if (v >= 1U << 8) { v >>= 8; slot += 8; }
	if (v >= 1U << 4) { v >>= 4; slot += 4; }
	if (v >= 1U << 2) { v >>= 2; slot += 2; }
	return slot + (v >> 1);
}

INLINE void add_square(struct trace_row *r, __u64 ns)
{
	__u64 low = ns & 0xffffffffU, high = ns >> 32, add = low * low, carry = 0;
	if (high) {
		__u64 middle = 2 * low * high;
		carry = high * high + (middle >> 32) + (low * high >> 63);
		middle <<= 32;
		add += middle;
		carry += add < middle;
	}
	r->squares[0] += add;
	r->squares[1] += carry + (r->squares[0] < add);
}

INLINE void count_error(__u32 row, __s64 ret)
{
	struct trace_errno_key key = { .row = row, .errnum = -ret };
	__u64 *n = bpf_map_lookup_elem(&errnos, &key), one = 1;
	if (n)
		__sync_fetch_and_add(n, 1);
	else if (bpf_map_update_elem(&errnos, &key, &one, BPF_ANY))
		__sync_fetch_and_add(&control.lost_others, 1);
}

SEC("raw_tp/sys_enter")
int trace_enter(__u64 *ctx)
{
	long number = ctx[1];
	struct task_struct *task;
	struct task_state *s;
	if (!is_chosen(number))
		return 0;
	task = bpf_get_current_task_btf();
	s = followed(task);
	if (!s)
		return 0;
	s->call = call_of(task, number);
	s->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* The thread of the task, created on first use; NULL if statistics are not by thread, or the map is full. */
INLINE struct trace_thread *own_thread(struct task_state *s)
{
	__u32 i;
	if (settings.by == TRACE_BY_ALL || (!s->thread && !new_thread(s)))
		return NULL;
	i = s->thread - 1;
	return bpf_map_lookup_elem(&threads, &i);
}

/* Counts half a call: an event without a row. */
APART int count_half(struct task_state *s)
{
	struct trace_thread *t = s ? own_thread(s) : NULL;
	if (t)
		t->halves++;
	return 0;
}

/* Rows are by cgroup as well: a task that has moved needs new ones. */
INLINE void move_to_cgroup(struct task_state *s)
{
	__u64 now = bpf_get_current_cgroup_id();
	if (s->cgroup == now)
		return;
	s->cgroup = now;
	s->thread = 0;
	forget_rows(s);
}

INLINE void count(struct task_state *s, __u32 call, __u64 ns, __s64 ret)
{
	struct trace_row *r;
	__u32 row;
	if (settings.by == TRACE_BY_CGROUP)
		move_to_cgroup(s);
	row = row_of(s, call);
	if (!row--) {
		__sync_fetch_and_add(&control.dropped, 1);
		return;
	}
	r = bpf_map_lookup_elem(&rows, &row);
	if (!r)
		return;
	if (!r->calls || ns < r->min_ns)
		r->min_ns = ns;
	if (ns > r->max_ns)
		r->max_ns = ns;
	r->calls++;
	r->total_ns += ns;
	add_square(r, ns);
	r->slot[slot_of(ns) & (TRACE_SLOTS - 1)]++;
	if (ret < 0 && ret >= -4095) {
		r->errors++;
		if (settings.errnos)
			count_error(row, ret);
	}
}

INLINE _Bool is_selected(__u32 call)
{
	return settings.select_all || control.selected[BELOW(TRACE_CALLS, call)];
}

/* Counts exit and exit_group, at the end of the task, since they do not return. The reader makes rows of them. */
APART int count_last(struct task_state *s)
{
	struct trace_thread *t;
	__u32 call;
	if (!s || !control.enabled || !is_selected(s->call) || !counts_here())
		return 0;
	if (settings.by == TRACE_BY_CGROUP && s->cgroup != bpf_get_current_cgroup_id()) {
		s->cgroup = bpf_get_current_cgroup_id();
		s->thread = 0;
	}
	call = BELOW(TRACE_CALLS, s->call);
	t = own_thread(s);
	if (kind_of(call) != TRACE_CALL_ENDS) {
		if (t)
			t->halves++;
	} else if (t) {
		t->last_call = call + 1;
	} else {
		__sync_fetch_and_add(&control.ended[BELOW(TRACE_CALLS, call)], 1);
	}
	return 0;
}

SEC("raw_tp/sys_exit")
int trace_exit(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	long number = number_of((struct pt_regs *)bpf_task_pt_regs(task));
	__s64 ret = ctx[1];
	__u32 call;
	struct task_state *s;
	__u64 ns = 0;
	if (!is_chosen(number))
		return 0;
	s = followed(task);
	if (!s || !control.enabled || !counts_here())
		return 0;
	call = call_of(task, number);
	if (s->start_ns && is_renumbered(number, call, s->call))
		call = s->call;
	if (!is_selected(call))
		return 0;
	/* The child returns from a call that its parent made. */
	if (!s->start_ns && !ret && kind_of(call) == TRACE_CALL_STARTS)
		return count_half(s);
	if (s->start_ns && s->call == call)
		ns = bpf_ktime_get_ns() - s->start_ns;
	s->start_ns = 0;
	count(s, call, ns, ret);
	return 0;
}

/* A followed task starts another. */
SEC("raw_tp/sched_process_fork")
int trace_fork(__u64 *ctx)
{
	const struct task_struct *child = (const struct task_struct *)ctx[1];
	__u32 tid;
	if (!bpf_probe_read_kernel(&tid, sizeof(tid), &child->pid) && followed(bpf_get_current_task_btf()))
		follow_child(tid);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int trace_exec(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *s = followed_anew(task);
	if (!s)
		return 0;
	if (settings.has_leader && task->tgid == control.leader)
		control.enabled = 1;
	/* The thread is known by its last name. */
	__u32 i = s->thread - 1;
	struct trace_thread *t = s->thread ? bpf_map_lookup_elem(&threads, &i) : NULL;
	if (t)
		bpf_get_current_comm(t->comm, sizeof(t->comm));
	return 0;
}

SEC("raw_tp/sched_process_exit")
int trace_gone(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 i;
	struct task_state *s = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!s)
		return 0;
	if (!settings.everyone)
		remove_target(task->pid);
	if (s->start_ns)
		count_last(s);
	s->gone = 1;
	i = s->thread - 1;
	struct trace_thread *t = s->thread ? bpf_map_lookup_elem(&threads, &i) : NULL;
	if (!t)
		return 0;
	t->ran_ns = task->se.sum_exec_runtime;
	t->waited_ns = waited_ns(task);
	t->gone = 1;
	bpf_get_current_comm(t->comm, sizeof(t->comm));
	return 0;
}

/* With EXTRAS.sched alone. */
SEC("raw_tp/sched_switch")
int trace_switch(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf(); /* the previous task (ctx[1]) is still current */
	struct task_state *s = ended(task);
	struct trace_thread *t;
	__u32 i;
	if (!s || !s->thread)
		return 0;
	i = s->thread - 1;
	t = bpf_map_lookup_elem(&threads, &i);
	if (!t)
		return 0;
	t->ran_ns = task->se.sum_exec_runtime;
	t->waited_ns = waited_ns(task);
	return 0;
}

SEC("uprobe")
int count_func_enter(struct pt_regs *regs)
{
	return count_enter(regs);
}

SEC("uprobe")
int count_func_return(struct pt_regs *regs)
{
	return count_return(regs, func_stack_at_return(regs, 0), func_stack_at_return(regs, 1));
}

SEC("uprobe")
int count_func_exit(struct pt_regs *regs)
{
	return count_return(regs, regs->sp, regs->sp);
}

SEC("kprobe/kernel")
int count_kernel_enter(struct pt_regs *regs)
{
	return count_enter(regs);
}

SEC("kprobe/kernel")
int count_kernel_return(struct pt_regs *regs)
{
	return count_return(regs, func_stack_at_return(regs, 0), func_stack_at_return(regs, 1));
}
