/*
 * Sums up how long works of the kernel take, or wait: interrupts, softirqs, work of workqueues, tasks; by their number and CPU.
 *
 * All events of a key occur on one CPU: two programs write to an entry at the same time only where one interrupts the other. Maps are
 * preallocated, since these tracepoints run in interrupts.
 */
#include "bpf/count/kwork_counts_shared.h"
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct irqaction {
	const char *name;
};
struct work_struct {
	void *func;
};
#pragma clang attribute pop

const volatile struct kwork_counts_settings settings = {};
struct kwork_counts_control control = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240); /* set before loading */
	__type(key, struct kwork_counts_key);
	__type(value, struct kwork_counts_work);
} works SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kwork_counts_work);
} empty SEC(".maps");

INLINE _Bool is_chosen(__u32 kind, __u32 cpu)
{
	if (!control.enabled || !(settings.kinds >> kind & 1))
		return 0;
	return !settings.by_cpu || (cpu < KWORK_COUNTS_CPUS && settings.cpus[BELOW(KWORK_COUNTS_CPUS / 64, cpu / 64)] >> (cpu % 64) & 1);
}

/* NULL: not selected, or the map is full. */
INLINE struct kwork_counts_work *find(__u32 kind, __u64 id, _Bool *ret_new)
{
	struct kwork_counts_key key = { .id = id, .kind = kind, .cpu = bpf_get_smp_processor_id() };
	__u32 zero = 0;
	*ret_new = 0;
	if (!is_chosen(kind, key.cpu))
		return 0;
	struct kwork_counts_work *w = bpf_map_lookup_elem(&works, &key);
	if (w)
		return w;
	const struct kwork_counts_work *nothing = bpf_map_lookup_elem(&empty, &zero);
	if (nothing)
		bpf_map_update_elem(&works, &key, nothing, BPF_NOEXIST);
	w = bpf_map_lookup_elem(&works, &key);
	*ret_new = w != 0;
	if (!w)
		__sync_fetch_and_add(&control.no_room, 1);
	return w;
}

INLINE void add(struct kwork_counts_work *w, __u64 start, __u64 now)
{
	__u64 length = now > start ? now - start : 0;
	w->count++;
	w->total_ns += length;
	if (length < w->max_ns)
		return;
	w->max_ns = length;
	w->max_start_ns = start;
	w->max_end_ns = now;
}

INLINE void raise(struct kwork_counts_work *w)
{
	w->skipped += w->raised_ns != 0;
	w->raised_ns = bpf_ktime_get_ns();
}

INLINE void enter(struct kwork_counts_work *w)
{
	__u64 now = bpf_ktime_get_ns();
	if (!settings.of_delays) {
		w->skipped += w->entered_ns != 0;
		w->entered_ns = now;
		return;
	}
	if (w->raised_ns)
		add(w, w->raised_ns, now);
	w->raised_ns = 0;
}

INLINE void leave(struct kwork_counts_work *w)
{
	if (w->entered_ns)
		add(w, w->entered_ns, bpf_ktime_get_ns());
	w->entered_ns = 0;
}

INLINE __u64 number_of(__u64 number)
{
	return settings.by_task ? bpf_get_current_task_btf()->pid : number;
}

/* ---- interrupts ---- */

SEC("raw_tp/irq_handler_entry") int enter_irq(__u64 *ctx)
{
	_Bool is_new;
	const struct irqaction *action = (const struct irqaction *)ctx[1];
	struct kwork_counts_work *w = find(KWORK_COUNTS_IRQ, number_of((__u32)ctx[0]), &is_new);
	const char *name = 0;
	if (!w)
		return 0;
	if (is_new && !bpf_probe_read_kernel(&name, sizeof(name), &action->name))
		bpf_probe_read_kernel_str(w->name, sizeof(w->name), name);
	enter(w);
	return 0;
}

INLINE int leave_kind(__u32 kind, __u64 id)
{
	_Bool is_new;
	struct kwork_counts_work *w = find(kind, id, &is_new);
	if (w)
		leave(w);
	return 0;
}

SEC("raw_tp/irq_handler_exit") int leave_irq(__u64 *ctx)
{
	return leave_kind(KWORK_COUNTS_IRQ, number_of((__u32)ctx[0]));
}

SEC("raw_tp/softirq_raise") int raise_softirq(__u64 *ctx)
{
	_Bool is_new;
	struct kwork_counts_work *w = find(KWORK_COUNTS_SOFTIRQ, (__u32)ctx[0], &is_new);
	if (w)
		raise(w);
	return 0;
}

SEC("raw_tp/softirq_entry") int enter_softirq(__u64 *ctx)
{
	_Bool is_new;
	struct kwork_counts_work *w = find(KWORK_COUNTS_SOFTIRQ, number_of((__u32)ctx[0]), &is_new);
	if (w)
		enter(w);
	return 0;
}

SEC("raw_tp/softirq_exit") int leave_softirq(__u64 *ctx)
{
	return leave_kind(KWORK_COUNTS_SOFTIRQ, number_of((__u32)ctx[0]));
}

/* ---- workqueues ---- */

INLINE void keep_function(struct kwork_counts_work *w, const struct work_struct *work)
{
	bpf_probe_read_kernel(&w->function, sizeof(w->function), &work->func);
}

SEC("raw_tp/workqueue_activate_work") int raise_work(__u64 *ctx)
{
	_Bool is_new;
	struct kwork_counts_work *w = find(KWORK_COUNTS_WORKQUEUE, ctx[0], &is_new);
	if (!w)
		return 0;
	keep_function(w, (const struct work_struct *)ctx[0]);
	raise(w);
	return 0;
}

SEC("raw_tp/workqueue_execute_start") int enter_work(__u64 *ctx)
{
	_Bool is_new;
	struct kwork_counts_work *w = find(KWORK_COUNTS_WORKQUEUE, ctx[0], &is_new);
	if (!w)
		return 0;
	keep_function(w, (const struct work_struct *)ctx[0]);
	enter(w);
	return 0;
}

/* The work_struct itself may have been freed. */
SEC("raw_tp/workqueue_execute_end") int leave_work(__u64 *ctx)
{
	return leave_kind(KWORK_COUNTS_WORKQUEUE, ctx[0]);
}

/* ---- tasks ---- */

INLINE struct kwork_counts_work *find_task(const struct task_struct *task)
{
	_Bool is_new;
	__u32 tid = 0;
	bpf_probe_read_kernel(&tid, sizeof(tid), &task->pid);
	struct kwork_counts_work *w = find(KWORK_COUNTS_SCHED, tid, &is_new);
	if (w && is_new)
		bpf_probe_read_kernel_str(w->name, 16, task->comm);
	return w;
}

SEC("raw_tp/sched_switch") int switch_tasks(__u64 *ctx)
{
	struct kwork_counts_work *w = find_task((const struct task_struct *)ctx[1]);
	if (w)
		leave(w);
	w = find_task((const struct task_struct *)ctx[2]);
	if (w)
		enter(w);
	return 0;
}
