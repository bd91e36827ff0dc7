/*
 * Streams system calls: one event for each, as it ends, with what its arguments point at. A call that goes to sleep, or
 * never returns, has another before.
 *
 * What a call only reads is fetched at its end too, when the pages that it lies on have been touched by the kernel itself
 * (nothing here may fault a page in); but for calls behind which it may be gone or overwritten. What is fetched follows the
 * plans of decode/syscall.h.
 */
#include "bpf/trace_shared.h"

struct task_state {
	__u64 start_ns;
	__u32 call; /* of start_ns */
	__u8 told;  /* its ENTERED is out */
	__u8 blob;  /* what was fetched at entry waits in blobs */
	__u8 point; /* its POINT is to be sent when what it points at can be read */
	__u8 path;  /* what was fetched at entry has the path that is asked for */
};

#include "bpf/trace_follow.bpf.h"

#define SIGINFO_BYTES 48 /* of kernel_siginfo: what siginfo_t begins with */

/* How much of struct pt_regs is laid out as ptrace(2) has it. */
#if defined(__TARGET_ARCH_x86)
#define USER_REGS_BYTES (21 * 8)
#elif defined(__TARGET_ARCH_arm64)
#define USER_REGS_BYTES (34 * 8)
#endif

#define PIECE_MAX 4096
#define BLOB_MAX  4096
#define STRINGS_MAX 32
#define POINTERS_MAX 128
#define IOVECS_MAX 8

enum { FETCH_NONE, FETCH_STRING, FETCH_BYTES, FETCH_STRINGS, FETCH_COUNT, FETCH_IOVEC, FETCH_MSGHDR, FETCH_MMSGHDR };
enum { LEN_FIXED, LEN_ARG, LEN_RET, LEN_DEREF, LEN_IOCTL, LEN_BITS };
enum { AT_ENTRY = 1, AT_EXIT = 2, ON_ERROR = 4 };
enum { PART_WHOLE, PART_EXIT, PART_NAME, PART_CONTROL, PART_IOV, PART_DATA = 16 };
enum { STATUS_OK, STATUS_TRUNCATED, STATUS_FAULT };

struct piece {
	__u8 arg, part, status, unused;
	__u32 bytes;
};

/* An event in the making. Offsets stay in memory, where the verifier does not follow them. */
struct scratch {
	__u32 at;
	__u32 compat, faults;
	__u32 has_path; /* what was fetched has the path that is asked for */
	__s64 ret;
	__u64 arg[6];
	__u8 buf[TRACE_EVENT_MAX + PIECE_MAX + 64];
};

struct blob {
	__u32 bytes, unused;
	__u64 arg[6]; /* an exec leaves nothing of them in the registers */
	__u8 data[BLOB_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 3); /* at entry, at exit, when it sleeps */
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct blob);
} blobs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TRACE_CALLS);
	__type(key, __u32);
	__type(value, struct trace_plan);
} plans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} ring SEC(".maps");

/* The verifier looks at each of these once, and not again for every caller. */
#define GLOBAL __attribute__((noinline))

#define CLASS_DESC 2 /* SYSCALL_DESC: the first argument is a descriptor */

/* Process and descriptor, of what was opened by the path that is asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u32);
} path_fds SEC(".maps");

GLOBAL int is_path(struct scratch *s, __u32 at, __u32 n)
{
	if (!s || n < settings.path_bytes || (!settings.path_prefix && n != settings.path_bytes))
		return 0;
	for (__u32 i = 0; i < TRACE_PATH_MAX; i++) {
		if (i >= settings.path_bytes)
			break;
		if (s->buf[(at + i) & 0x3fff] != (__u8)settings.path[i])
			return 0;
	}
	return 1;
}

/* One piece: bytes at ptr (AS_STRING: to the NUL), at most max of them. */
#define AS_STRING (~0ULL)
GLOBAL int put(struct scratch *s, __u32 arg_part, __u64 ptr, __u64 bytes, __u32 max)
{
	struct piece *p;
	__u32 at, n = 0;
	long r;
	if (!s || s->at > TRACE_EVENT_MAX - PIECE_MAX / 4)
		return 0;
	at = s->at & 0x3ff8;
	p = (struct piece *)(s->buf + at);
	p->arg = arg_part & 0xff;
	p->part = arg_part >> 8;
	p->status = STATUS_OK;
	p->unused = 0;
	if (max > PIECE_MAX - 8)
		max = PIECE_MAX - 8;
	if (bytes == AS_STRING) {
		r = bpf_probe_read_user_str(s->buf + at + 8, max + 2, (void *)ptr);
		if (r < 0) {
			p->status = STATUS_FAULT;
			s->faults++;
		} else {
			n = r > 0 ? r - 1 : 0;
			if (n > max) {
				p->status = STATUS_TRUNCATED;
				n = max;
			}
			if (settings.path_bytes && !(arg_part >> 8) && is_path(s, at + 8, n))
				s->has_path = 1;
		}
	} else {
		n = max;
		if (bytes <= max)
			n = bytes;
		else
			p->status = STATUS_TRUNCATED;
		n &= 0xfff;
		if (n && bpf_probe_read_user(s->buf + at + 8, n, (void *)ptr)) {
			p->status = STATUS_FAULT;
			s->faults++;
			n = 0;
		}
	}
	p->bytes = n;
	s->at = at + 8 + ((n + 7) & ~7U);
	return n;
}

/* A piece that is a number. */
INLINE void put_number(struct scratch *s, __u32 arg, __u32 value)
{
	__u32 at = s->at & 0x3ff8;
	struct piece *p = (struct piece *)(s->buf + at);
	if (s->at > TRACE_EVENT_MAX - PIECE_MAX / 4)
		return;
	*p = (struct piece){ .arg = arg, .part = PART_WHOLE, .bytes = 4 };
	*(__u32 *)(s->buf + at + 8) = value;
	s->at = at + 16;
}

GLOBAL int put_strings(struct scratch *s, __u32 arg, __u64 ptr, __u32 max)
{
	__u32 size, n = 0;
	if (!s)
		return 0;
	size = s->compat ? 4 : 8;
	/* Two loops: in one, the verifier would go through every pair of both limits. */
	for (__u32 i = 0; i < STRINGS_MAX; i++) {
		__u64 string = 0;
		if (i >= max || bpf_probe_read_user(&string, size, (void *)(ptr + i * size)) || !string)
			break;
		put(s, arg | (PART_DATA + i) << 8, string, AS_STRING, settings.str_limit);
	}
	for (; n < POINTERS_MAX; n++) {
		__u64 string = 0;
		if (bpf_probe_read_user(&string, size, (void *)(ptr + n * size))) {
			/* Not even the first: nothing is known. */
			if (!n) {
				s->faults++;
				return 0;
			}
			break;
		}
		if (!string)
			break;
	}
	put_number(s, arg, n);
	return 0;
}

GLOBAL int put_iovec(struct scratch *s, __u32 arg, __u64 ptr, __u64 count, __u64 limit)
{
	__u32 size;
	if (!s)
		return 0;
	size = s->compat ? 4 : 8;
	for (__u32 i = 0; i < IOVECS_MAX; i++) {
		__u64 base = 0, bytes = 0;
		if (i >= count || !limit)
			break;
		if (bpf_probe_read_user(&base, size, (void *)(ptr + 2 * i * size)) ||
		    bpf_probe_read_user(&bytes, size, (void *)(ptr + (2 * i + 1) * size)))
			break;
		if (bytes > limit)
			bytes = limit;
		put(s, arg | (PART_DATA + i) << 8, base, bytes, settings.str_limit);
		limit -= bytes;
	}
	return 0;
}

/* What a msghdr points at; of 64-bit programs alone. */
GLOBAL int put_message(struct scratch *s, __u32 arg, __u64 ptr, __u64 limit)
{
	__u64 m[7];
	if (!s || s->compat || bpf_probe_read_user(m, sizeof(m), (void *)ptr))
		return 0;
	if (m[0])
		put(s, arg | PART_NAME << 8, m[0], (__u32)m[1], 128);
	if (m[4] && m[5])
		put(s, arg | PART_CONTROL << 8, m[4], m[5], 256);
	if (m[2] && m[3]) {
		put(s, arg | PART_IOV << 8, m[2], m[3] * 16, IOVECS_MAX * 16);
		put_iovec(s, arg, m[2], m[3], limit);
	}
	return 0;
}

GLOBAL int fetch_step(struct scratch *s, const struct trace_step *f, __u32 at_exit)
{
	__u32 arg, from, unit, max, short_count = 0;
	__u64 ptr, count = 1, limit = ~0ULL;
	if (!s || !f)
		return 0;
	arg = f->arg & 7;
	from = f->len_arg & 7;
	unit = f->unit;
	max = f->max;
	if (arg >= 6 || from >= 6)
		return 0;
	ptr = s->arg[arg];
	if (ptr < 4096)
		return 0;
	if (f->len == LEN_ARG)
		count = s->arg[from];
	else if (f->len == LEN_RET)
		count = s->ret;
	else if (f->len == LEN_BITS)
		count = (s->arg[from] + 63) / 64;
	else if (f->len == LEN_DEREF)
		count = bpf_probe_read_user(&short_count, 4, (void *)s->arg[from]) ? 0 : short_count;
	else if (f->len == LEN_IOCTL)
		count = (s->arg[1] >> 16 & 0x3fff) ? (s->arg[1] >> 16 & 0x3fff) : 64;
	if (f->len != LEN_FIXED && (__s64)count < 0)
		count = (__u32)count;
	if (f->what == FETCH_STRING)
		return put(s, arg, ptr, AS_STRING, max ? max : PIECE_MAX - 8);
	if (f->what == FETCH_STRINGS || f->what == FETCH_COUNT)
		return put_strings(s, arg, ptr, f->what == FETCH_STRINGS ? max : 0);
	if (!max)
		max = settings.str_limit;
	if (at_exit && !f->deferred)
		arg |= PART_EXIT << 8;
	if (at_exit && f->what != FETCH_BYTES)
		limit = s->ret < 0 ? (f->deferred ? ~0ULL : 0) : f->deferred ? ~0ULL : s->ret;
	/* The result counts messages; msg_len of the first says how long it is. */
	if (at_exit && f->what == FETCH_MMSGHDR && !f->deferred && s->ret > 0 && unit == 64)
		limit = bpf_probe_read_user(&short_count, 4, (void *)(ptr + 56)) ? 0 : short_count;
	if (f->what == FETCH_MSGHDR || f->what == FETCH_MMSGHDR || f->what == FETCH_IOVEC)
		arg &= 7;
	put(s, arg, ptr, unit * count, max);
	arg &= 7;
	if (f->what == FETCH_IOVEC)
		put_iovec(s, arg, ptr, count, limit);
	else if (f->what == FETCH_MSGHDR || f->what == FETCH_MMSGHDR)
		put_message(s, arg, ptr, limit);
	return 0;
}

INLINE void fetch_at_exit(struct scratch *s, struct trace_plan *plan, _Bool failed, _Bool asleep)
{
	for (__u32 i = 0; i < TRACE_STEPS; i++) {
		struct trace_step *f = &plan->step[i];
		if (i >= plan->steps_nr)
			break;
		if (!f->deferred && (asleep || !(f->at & AT_EXIT) || (failed && !(f->at & ON_ERROR))))
			continue;
		fetch_step(s, f, 1);
	}
}

INLINE void take_args(struct scratch *s, struct pt_regs *regs, _Bool compat)
{
	s->compat = compat;
#if defined(__TARGET_ARCH_x86)
	if (compat) {
		s->arg[0] = (__u32)regs->bx;
		s->arg[1] = (__u32)regs->cx;
		s->arg[2] = (__u32)regs->dx;
		s->arg[3] = (__u32)regs->si;
		s->arg[4] = (__u32)regs->di;
		s->arg[5] = (__u32)regs->bp;
		return;
	}
	s->arg[0] = regs->di;
	s->arg[1] = regs->si;
	s->arg[2] = regs->dx;
	s->arg[3] = regs->r10;
	s->arg[4] = regs->r8;
	s->arg[5] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	s->arg[0] = regs->orig_x0;
	s->arg[1] = regs->regs[1];
	s->arg[2] = regs->regs[2];
	s->arg[3] = regs->regs[3];
	s->arg[4] = regs->regs[4];
	s->arg[5] = regs->regs[5];
#endif
}

INLINE void begin(struct scratch *s, struct task_struct *task, __u8 type, __u64 now)
{
	struct trace_event *ev = (struct trace_event *)s->buf;
	ev->time_ns = now;
	ev->start_ns = 0;
	ev->tid = task->pid;
	ev->pid = task->tgid;
	ev->number = 0;
	ev->type = type;
	ev->flags = 0;
	ev->args_nr = 0;
	ev->unused = 0;
	ev->ret = 0;
	ev->cpu = bpf_get_smp_processor_id();
	ev->unused_too = 0;
	s->has_path = 0;
	s->at = sizeof(*ev);
}

/* Of a call that nobody knows, all. */
INLINE __u32 args_of(const struct trace_plan *plan)
{
	return plan->known && plan->args_nr < 6 ? plan->args_nr : 6;
}

INLINE void begin_call(struct scratch *s, struct task_struct *task, struct task_state *t, __u8 type, __u64 now, __u32 number,
		       __u32 args_nr)
{
	struct trace_event *ev = (struct trace_event *)s->buf;
	begin(s, task, type, now);
	ev->start_ns = t->start_ns;
	ev->number = number;
	ev->flags = (s->compat ? TRACE_FLAG_COMPAT : 0) | (t->start_ns ? TRACE_FLAG_STARTED : 0) |
		    (t->told ? TRACE_FLAG_RESUMED : 0);
	ev->ret = s->ret;
	/* All of them are written, and what is fetched goes over those that the call does not have. */
	ev->args_nr = args_nr;
	for (int i = 0; i < 6; i++)
		((__u64 *)(s->buf + sizeof(*ev)))[i] = s->arg[i];
	s->at = sizeof(*ev) + args_nr * 8;
}

INLINE void send(struct scratch *s)
{
	__u64 bytes = s->at, flags = BPF_RB_NO_WAKEUP;
	if (bytes > TRACE_EVENT_MAX + PIECE_MAX)
		return;
	if (bpf_ringbuf_output(&ring, s->buf, bytes, flags))
		__sync_fetch_and_add(&control.lost, 1);
}

/* What only tells of a task. */
INLINE void send_aside(struct scratch *s)
{
	__u64 bytes = s->at;
	if (bytes <= TRACE_EVENT_MAX && bpf_ringbuf_output(&ring, s->buf, bytes, BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&control.lost_others, 1);
}

/* --- stacks --- */

#define PAGE 4096

struct stack_scratch {
	struct trace_event ev;
	struct trace_stack head;
	__u8 data[TRACE_STACK_FRAMES * 8 + 8 + TRACE_STACK_BYTES + 2 * PAGE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_scratch);
} stacks SEC(".maps");

/* The stack from its top on, page by page: what is not in memory ends it. */
GLOBAL int dump_stack(struct stack_scratch *k, __u64 sp, __u32 bytes)
{
	__u32 at, n;
	if (!k || !sp)
		return 0;
	for (__u32 i = 0; i < TRACE_STACK_BYTES / PAGE + 1; i++) {
		at = k->head.user_bytes;
		if (at >= bytes || at > TRACE_STACK_BYTES)
			break;
		n = PAGE - ((sp + at) & (PAGE - 1));
		if (n > bytes - at)
			n = bytes - at;
		if (n > PAGE)
			break;
		if (bpf_probe_read_user(k->data + (k->head.kernel_bytes & 0x3ff) + (at & 0xffff), n, (void *)(sp + at)))
			break;
		k->head.user_bytes = at + n;
	}
	return 0;
}

INLINE void send_stack(void *ctx, struct task_struct *task, __u64 now)
{
	struct stack_scratch *k;
	__u32 zero = 0;
	__u64 bytes;
	long n;
	if (!settings.stacks && !settings.kernel_stacks)
		return;
	k = bpf_map_lookup_elem(&stacks, &zero);
	if (!k)
		return;
	k->ev = (struct trace_event){ .time_ns = now, .tid = task->pid, .pid = task->tgid, .type = TRACE_EVENT_STACK };
	k->head.kernel_bytes = 0;
	k->head.user_bytes = 0;
	if (settings.kernel_stacks) {
		n = bpf_get_stack(ctx, k->data, TRACE_STACK_FRAMES * 8, 0);
		k->head.kernel_bytes = n > 0 ? n & 0x3ff : 0;
	}
	if (settings.stacks == TRACE_STACKS_FP) {
		n = bpf_get_stack(ctx, k->data + (k->head.kernel_bytes & 0x3ff), TRACE_STACK_FRAMES * 8, BPF_F_USER_STACK);
		k->head.user_bytes = n > 0 ? n & 0x3ff : 0;
	} else if (settings.stacks == TRACE_STACKS_DUMP) {
		struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
		bpf_probe_read_kernel(k->head.regs, USER_REGS_BYTES, regs);
		dump_stack(k, regs->sp, settings.stack_bytes);
	}
	bytes = sizeof(k->ev) + sizeof(k->head) + k->head.kernel_bytes + k->head.user_bytes;
	if (bytes <= sizeof(*k) && bpf_ringbuf_output(&ring, k, bytes, BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&control.lost_others, 1);
}

INLINE struct scratch *scratch_of(__u32 i)
{
	return bpf_map_lookup_elem(&scratches, &i);
}

INLINE void take_blob(struct scratch *s, struct task_struct *task)
{
	struct blob *b = bpf_task_storage_get(&blobs, task, 0, 0);
	__u32 at = s->at & 0x3ff8, n;
	if (!b)
		return;
	for (int i = 0; i < 6; i++)
		((__u64 *)(s->buf + sizeof(struct trace_event)))[i] = b->arg[i];
	n = b->bytes;
	if (n && n <= BLOB_MAX) {
		bpf_probe_read_kernel(s->buf + at, n, b->data);
		s->at = at + n;
	}
}

/* Whether what is fetched has the path that is asked for, or the descriptor is one of what was opened by it. */
INLINE _Bool is_on_path(struct scratch *s, struct task_struct *task, struct task_state *t, struct trace_plan *plan, _Bool ended)
{
	__u64 key = (__u64)task->tgid << 32 | (__u32)s->arg[0];
	__u32 one = 1;
	_Bool hit;
	if (!settings.path_bytes)
		return 1;
	hit = s->has_path || t->path || ((plan->classes & CLASS_DESC) && bpf_map_lookup_elem(&path_fds, &key));
	if (!hit || !ended)
		return hit;
	if (plan->closes)
		bpf_map_delete_elem(&path_fds, &key);
	if (plan->gives_fd && s->ret >= 0) {
		key = (__u64)task->tgid << 32 | (__u32)s->ret;
		bpf_map_update_elem(&path_fds, &key, &one, BPF_ANY);
	}
	return 1;
}

/* The entry of a call as a tracepoint, with what it points at. */
INLINE void send_point(void *ctx, struct scratch *s, struct task_struct *task, struct task_state *t, struct trace_plan *plan,
		       __u32 number, _Bool last_chance)
{
	__u64 now = bpf_ktime_get_ns();
	begin_call(s, task, t, TRACE_EVENT_POINT, now, number, args_of(plan));
	s->faults = 0;
	for (__u32 i = 0; i < TRACE_STEPS; i++) {
		if (i >= plan->steps_nr)
			break;
		if (plan->step[i].at & AT_ENTRY)
			fetch_step(s, &plan->step[i], 0);
	}
	/* A page that nobody has touched yet: the call itself will. */
	t->point = s->faults && !last_chance;
	if (t->point || !is_on_path(s, task, t, plan, 0))
		return;
	send_stack(ctx, task, now);
	send(s);
}

INLINE _Bool is_point(__u32 call)
{
	return settings.points && call < TRACE_CALLS && (selected[call] & TRACE_SELECTED_POINT);
}

INLINE _Bool is_call(__u32 call)
{
	return settings.select_all || (call < TRACE_CALLS && (selected[call] & TRACE_SELECTED_CALL));
}

SEC("tp_btf/sys_enter")
int stream_enter(__u64 *ctx)
{
	long number = ctx[1];
	__u32 low = (unsigned long)number < TRACE_NUMBERS ? number : TRACE_NUMBERS - 1, call;
	struct task_struct *task;
	struct task_state *t;
	struct trace_plan *plan;
	struct scratch *s;
	struct blob *b;
	if (!settings.select_all && !(selected[low] | selected[low + TRACE_NUMBERS]))
		return 0;
	task = bpf_get_current_task_btf();
	t = followed(task);
	if (!t)
		return 0;
	call = call_of(task, number);
	t->call = call;
	t->told = 0;
	t->blob = 0;
	t->point = 0;
	t->path = 0;
	t->start_ns = bpf_ktime_get_ns();
	plan = bpf_map_lookup_elem(&plans, &call);
	if (is_point(call) && plan && control.enabled && counts_here()) {
		s = scratch_of(0);
		if (!s)
			return 0;
		take_args(s, (struct pt_regs *)ctx[0], call >= TRACE_NUMBERS);
		s->ret = 0;
		send_point(ctx, s, task, t, plan, number, plan->no_return);
		if (!is_call(call))
			return 0;
	}
	if (!plan || !(plan->at_entry | plan->no_return))
		return 0;
	s = scratch_of(0);
	if (!s)
		return 0;
	take_args(s, (struct pt_regs *)ctx[0], call >= TRACE_NUMBERS);
	s->ret = 0;
	if (plan->no_return) {
		if (!control.enabled || !counts_here() || settings.failures_only || settings.longer_than_ns || settings.path_bytes ||
		    !is_call(call))
			return 0;
		begin_call(s, task, t, TRACE_EVENT_ENTERED, t->start_ns, number, args_of(plan));
		t->told = 1;
		send_stack(ctx, task, t->start_ns);
		send(s);
		return 0;
	}
	s->at = 0;
	s->has_path = 0;
	for (__u32 i = 0; i < TRACE_STEPS; i++) {
		if (i >= plan->steps_nr)
			break;
		if ((plan->step[i].at & AT_ENTRY) && !plan->step[i].deferred)
			fetch_step(s, &plan->step[i], 0);
	}
	t->path = s->has_path;
	b = bpf_task_storage_get(&blobs, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!b)
		return 0;
	b->bytes = s->at;
	if (b->bytes > BLOB_MAX)
		b->bytes = BLOB_MAX;
	for (int i = 0; i < 6; i++)
		b->arg[i] = s->arg[i];
	bpf_probe_read_kernel(b->data, BLOB_MAX, s->buf);
	t->blob = 1;
	return 0;
}

SEC("tp_btf/sys_exit")
int stream_exit(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	long number = number_of(regs);
	__s64 ret = ctx[1];
	__u32 low = (unsigned long)number < TRACE_NUMBERS ? number : TRACE_NUMBERS - 1, call;
	_Bool failed = ret < 0 && ret >= -4095;
	struct task_state *t;
	struct trace_plan *plan;
	struct scratch *s;
	__u64 now;
	if (!settings.select_all && !(selected[low] | selected[low + TRACE_NUMBERS]))
		return 0;
	t = followed(task);
	if (!t || !control.enabled || !counts_here())
		goto out;
	call = call_of(task, number);
	if (t->start_ns && is_renumbered(number, call, t->call)) {
		call = t->call;
		number = call % TRACE_NUMBERS;
	}
	if (t->point) {
		s = scratch_of(1);
		plan = bpf_map_lookup_elem(&plans, &call);
		if (!s || !plan)
			goto out;
		take_args(s, regs, call >= TRACE_NUMBERS);
		s->ret = 0;
		send_point(ctx, s, task, t, plan, number, 1);
	}
	if (!is_call(call))
		goto out;
	if (settings.failures_only && !failed)
		goto out;
	now = bpf_ktime_get_ns();
	if (t->call != call)
		t->start_ns = 0;
	if (settings.longer_than_ns && (!t->start_ns || now - t->start_ns <= settings.longer_than_ns))
		goto out;
	s = scratch_of(1);
	plan = bpf_map_lookup_elem(&plans, &call);
	if (!s || !plan)
		goto out;
	take_args(s, regs, call >= TRACE_NUMBERS);
	s->ret = ret;
	begin_call(s, task, t, TRACE_EVENT_CALL, now, number, args_of(plan));
	if (t->blob)
		take_blob(s, task);
	fetch_at_exit(s, plan, failed, 0);
	if (!is_on_path(s, task, t, plan, 1))
		goto out;
	send_stack(ctx, task, now);
	send(s);
out:
	if (t)
		t->start_ns = 0;
	return 0;
}

/* A call that sleeps is told of, so that the user sees what is waited for. */
SEC("tp_btf/sched_switch")
int stream_switch(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[1];
	struct task_state *t;
	struct trace_plan *plan;
	struct scratch *s;
	__u32 call;
	if (!(__u32)ctx[3]) /* it could run on */
		return 0;
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!t || !t->start_ns || t->told || !control.enabled || !counts_here())
		return 0;
	call = t->call;
	s = scratch_of(2);
	plan = bpf_map_lookup_elem(&plans, &call);
	if (!s || !plan)
		return 0;
	if (t->point) {
		take_args(s, (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()), call >= TRACE_NUMBERS);
		s->ret = 0;
		send_point(ctx, s, task, t, plan, call % TRACE_NUMBERS, 1);
	}
	if (!is_call(call))
		return 0;
	if (settings.failures_only || settings.longer_than_ns)
		return 0;
	take_args(s, (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()), call >= TRACE_NUMBERS);
	s->ret = 0;
	begin_call(s, task, t, TRACE_EVENT_ENTERED, bpf_ktime_get_ns(), call % TRACE_NUMBERS, args_of(plan));
	if (t->blob)
		take_blob(s, task);
	fetch_at_exit(s, plan, 0, 1);
	if (!is_on_path(s, task, t, plan, 0))
		return 0;
	t->told = 1;
	send(s);
	return 0;
}

INLINE void send_name(struct scratch *s, const char *comm)
{
	__u32 at = s->at & 0x3ff8;
	bpf_probe_read_kernel(s->buf + at, 16, comm);
	s->at = at + 16;
	send_aside(s);
}

SEC("tp_btf/sched_process_fork")
int stream_fork(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf(), *child = (struct task_struct *)ctx[1];
	struct scratch *s;
	struct trace_event *ev;
	if (!followed(task))
		return 0;
	if (settings.inherit && !settings.everyone)
		follow(child);
	s = scratch_of(2);
	if (!s)
		return 0;
	begin(s, task, TRACE_EVENT_FORK, bpf_ktime_get_ns());
	ev = (struct trace_event *)s->buf;
	ev->args_nr = 2;
	((__u64 *)(s->buf + sizeof(*ev)))[0] = child->pid;
	((__u64 *)(s->buf + sizeof(*ev)))[1] = child->tgid;
	s->at += 16;
	send_name(s, child->comm);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int stream_exec(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *s;
	if (!followed(task))
		return 0;
	if (settings.has_leader && task->tgid == control.leader)
		control.enabled = 1;
	s = scratch_of(2);
	if (!s)
		return 0;
	begin(s, task, TRACE_EVENT_EXEC, bpf_ktime_get_ns());
	send_name(s, task->comm);
	return 0;
}

SEC("tp_btf/task_rename")
int stream_rename(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct scratch *s;
	if (!bpf_task_storage_get(&tasks, task, 0, 0))
		return 0;
	s = scratch_of(2);
	if (!s)
		return 0;
	begin(s, task, TRACE_EVENT_RENAME, bpf_ktime_get_ns());
	send_name(s, (const char *)ctx[1]);
	return 0;
}

SEC("tp_btf/signal_deliver")
int stream_signal(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *s;
	struct trace_event *ev;
	__u32 at;
	if (!followed(task) || !control.enabled || !counts_here())
		return 0;
	s = scratch_of(2);
	if (!s)
		return 0;
	begin(s, task, TRACE_EVENT_SIGNAL, bpf_ktime_get_ns());
	ev = (struct trace_event *)s->buf;
	ev->args_nr = 1;
	((__u64 *)(s->buf + sizeof(*ev)))[0] = (__u32)ctx[0];
	s->at += 8;
	at = s->at & 0x3ff8;
	if (bpf_probe_read_kernel(s->buf + at, SIGINFO_BYTES, (void *)ctx[1]))
		return 0;
	s->at = at + SIGINFO_BYTES;
	send(s);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int stream_gone(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 id = task->pid;
	struct scratch *s;
	struct trace_event *ev;
	__u64 *args;
	if (!bpf_task_storage_get(&tasks, task, 0, 0))
		return 0;
	if (!settings.everyone)
		bpf_map_delete_elem(&targets, &id);
	s = scratch_of(2);
	if (!s)
		return 0;
	begin(s, task, TRACE_EVENT_EXIT, bpf_ktime_get_ns());
	ev = (struct trace_event *)s->buf;
	args = (__u64 *)(s->buf + sizeof(*ev));
	ev->ret = task->exit_code;
	ev->args_nr = 3;
	args[0] = task->se.sum_exec_runtime;
	args[1] = waited_ns(task);
	args[2] = task->signal->live.counter == 0;
	s->at += 24;
	send_aside(s);
	return 0;
}
