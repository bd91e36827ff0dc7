/*
 * Counts samples in the kernel, by thread, address and stack, in a table per CPU, which `top` reads at each refresh.
 *
 * Programs of events and of tracepoints do not interrupt each other on a CPU (the kernel's bpf_prog_active): a table has one
 * writer at a time and needs no atomic operations. A stack is first written after the stacks of the table, and stays there
 * if it is new. Two stacks with the same 64-bit hash are taken for the same.
 */
#include "bpf/count/sample_counts_shared.h"
#include "bpf/load/targets.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* enum perf_callchain_context */
#define CONTEXT_KERNEL ((__u64)-128)
#define CONTEXT_USER   ((__u64)-512)

/* struct bpf_perf_event_data: the registers, as far as their layout is the same for programs and in the kernel. */
struct sample_context {
#if defined(__TARGET_ARCH_x86)
	__u64 to_ax[16], ip, cs, flags, sp, ss;
#elif defined(__TARGET_ARCH_arm64)
	__u64 x[31], sp, ip, pstate;
#else
#error "no layout of registers for this architecture"
#endif
	__u64 sample_period, addr;
};

#if defined(__TARGET_ARCH_x86)
#define IS_USER(c)  (((c)->cs & 3) == 3)
#define IS_EXACT(c) ((c)->flags >> 3 & 1) /* PERF_EFLAGS_EXACT */
#else
#define IS_USER(c)  (!((c)->pstate & 0xf)) /* the exception level */
#define IS_EXACT(c) 0
#endif

const volatile struct count_settings settings = {};
struct count_control control = {};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* both are set before it is loaded */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} tables SEC(".maps");

/* The key of a sample, without its stack. */
struct sample_key {
	__u64 ip, period;
	_Bool is_user, is_exact;
};

INLINE __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* Samples of a thread before and after a change of its name or program are counted separately: addresses are resolved as of the first
 * sample. */
INLINE __u64 hash_task(struct task_struct *task)
{
	const __u64 *name = (const __u64 *)task->comm;
	return mix(mix(mix(task->start_time ^ (__u64)task->pid << 40, task->self_exec_id), name[0]), name[1]);
}

INLINE char *table_here(void)
{
	__u32 side = control.side;
	__u32 cpu = bpf_get_smp_processor_id();
	if (!side || cpu >= COUNT_CPUS || !settings.cpu_at[cpu])
		return NULL;
	__u32 number = settings.cpu_at[cpu] - 1 + side - 1;
	return bpf_map_lookup_elem(&tables, &number);
}

INLINE __u64 *word(char *table, __u32 at)
{
	return (__u64 *)(table + settings.words_at + at * sizeof(__u64));
}

/* Writes the kernel's (0) or the user's (BPF_F_USER_STACK) part of the stack at `at`; returns its number of words. */
INLINE __u32 take_part(void *ctx, char *table, __u32 at, __u64 flags, _Bool has_mark)
{
	if (has_mark) { /* the event's own chain, which begins with a context mark */
		long bytes = bpf_get_stack(ctx, word(table, at), COUNT_PART_WORDS * sizeof(__u64), flags);
		return bytes > 0 ? (__u32)bytes / sizeof(__u64) : 0;
	}
	long bytes = bpf_get_stack(ctx, word(table, at + 1), (COUNT_PART_WORDS - 1) * sizeof(__u64), flags);
	if (bytes <= 0)
		return 0;
	*word(table, at) = flags & BPF_F_USER_STACK ? CONTEXT_USER : CONTEXT_KERNEL;
	return (__u32)bytes / sizeof(__u64) + 1;
}

INLINE __u32 take_stack(void *ctx, char *table, __u32 at, _Bool has_mark)
{
	__u32 n = take_part(ctx, table, at, 0, has_mark);
	if (n > COUNT_PART_WORDS)
		n = COUNT_PART_WORDS;
	__u32 user = take_part(ctx, table, at + n, BPF_F_USER_STACK, has_mark);
	if (user > COUNT_PART_WORDS)
		user = COUNT_PART_WORDS;
	return n + user;
}

INLINE __u64 hash_words(char *table, __u32 at, __u32 n, __u64 hash)
{
	for (__u32 i = 0; i < COUNT_STACK_WORDS && i < n; i++)
		hash = mix(hash, *word(table, at + i));
	return hash;
}

/* The slot of a hash, or an empty one; NULL: no free one was found. */
INLINE struct count_slot *find_slot(char *table, __u64 hash)
{
	__u32 step = hash >> 32 | 1; /* linear probing would cluster long before the table is full */
	for (__u32 i = 0; i < COUNT_PROBES; i++) {
		__u32 at = ((__u32)hash + i * step) & (settings.slots - 1);
		struct count_slot *slot = (struct count_slot *)(table + sizeof(struct count_head) + at * sizeof(*slot));
		if (!slot->count || slot->hash == hash)
			return slot;
	}
	return NULL;
}

/* False: the table is full. */
INLINE _Bool add(void *ctx, char *table, struct task_struct *task, const struct sample_key *m, _Bool has_mark)
{
	struct count_head *head = (struct count_head *)table;
	__u32 at = head->words, n = 0;
	if (at >= settings.words)
		return 0;
	at = BELOW(settings.words, at);
	if (settings.has_chains)
		n = take_stack(ctx, table, at, has_mark);
	__u64 hash = mix(hash_task(task), m->ip ^ (__u64)m->is_user << 63);
	hash = hash_words(table, at, n, hash);
	struct count_slot *slot = find_slot(table, hash);
	if (!slot)
		return 0;
	slot->period += m->period;
	if (slot->count++)
		return 1;
	slot->hash = hash;
	slot->period = m->period;
	slot->first_ns = bpf_ktime_get_ns();
	slot->ip = m->ip;
	slot->pid = task->tgid;
	slot->tid = task->pid;
	slot->at = at;
	slot->nr = n;
	slot->is_user = m->is_user;
	slot->is_exact = m->is_exact;
	head->words = at + n;
	head->slots++;
	return 1;
}

/* Returns 0 to keep the sample out of the ring. */
SEC("perf_event") int count_sample(struct sample_context *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (settings.without_pid && (__u32)task->tgid == settings.without_pid)
		return 0;
	char *table = table_here();
	struct sample_key m = { .ip = ctx->ip, .period = ctx->sample_period, .is_user = IS_USER(ctx), .is_exact = IS_EXACT(ctx) };
	return !table || !add(ctx, table, task, &m, 1);
}

INLINE _Bool is_counted(struct task_struct *task)
{
	return !settings.by_target || is_target(task->pid);
}

/* The data of a tracepoint begin with the kernel's pointer to the registers, which programs cannot get in another way. */
INLINE __u64 tracepoint_ip(void *ctx)
{
	struct sample_context *at;
	__u64 ip;
	if (bpf_probe_read_kernel(&at, sizeof(at), ctx) || bpf_probe_read_kernel(&ip, sizeof(ip), &at->ip))
		return 0;
	return ip;
}

/* Returns 1: events that others opened on this tracepoint take their samples. */
SEC("tracepoint") int count_tracepoint(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if ((settings.without_pid && (__u32)task->tgid == settings.without_pid) || !is_counted(task))
		return 1;
	char *table = table_here();
	if (!table)
		return 1;
	struct sample_key m = { .ip = tracepoint_ip(ctx), .period = 1 };
	if (!add(ctx, table, task, &m, 0))
		__sync_fetch_and_add(&control.lost, 1);
	return 1;
}

SEC("raw_tp/sched_process_fork") int follow_fork(__u64 *ctx)
{
	const struct task_struct *child = (const struct task_struct *)ctx[1];
	__u32 tid;
	if (!settings.inherit || !is_counted(bpf_get_current_task_btf()) || bpf_probe_read_kernel(&tid, sizeof(tid), &child->pid))
		return 0;
	if (!add_target(tid))
		__sync_fetch_and_add(&control.unfollowed, 1);
	return 0;
}

SEC("raw_tp/sched_process_exit") int forget_task(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	remove_target(task->pid);
	return 0;
}

/* (task, old thread ID, binary): a thread that calls exec takes the ID of its process, whose leader has ended. */
SEC("raw_tp/sched_process_exec") int follow_exec(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid = ctx[1];
	if (tid != (__u32)task->pid && remove_target(tid) && !add_target(task->pid))
		__sync_fetch_and_add(&control.unfollowed, 1);
	return 0;
}
