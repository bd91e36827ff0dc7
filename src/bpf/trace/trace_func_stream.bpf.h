/*
 * Calls of functions as events of the stream: one when a function is called, with the memory that its arguments point to, and one
 * when it returns. The reader finds caller and callee by the stack pointers.
 */
#pragma once
#include "bpf/trace/trace_func.bpf.h"
#include "bpf/trace/trace_stack.bpf.h"

struct func_slot {
	__u32 busy, unused;
	struct scratch scratch;
	struct stack_scratch stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized: CPUs, TRACE_FUNC_SLOTS_CPU each, where anything is fetched */
	__type(key, __u32);
	__type(value, struct func_slot);
} func_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* resized */
	__type(key, __u32);
	__type(value, struct trace_func);
} funcs SEC(".maps");

struct func_event {
	struct trace_event ev;
	__u64 arg[TRACE_FUNC_ARGS];
};

INLINE struct func_slot *take_slot(void)
{
	for (__u32 i = 0; i < TRACE_FUNC_SLOTS_CPU; i++) {
		__u32 at = bpf_get_smp_processor_id() * TRACE_FUNC_SLOTS_CPU + i;
		struct func_slot *slot = bpf_map_lookup_elem(&func_slots, &at);
		if (slot && !__sync_val_compare_and_swap(&slot->busy, 0, 1))
			return slot;
	}
	return NULL;
}

INLINE void give_slot_back(struct func_slot *slot)
{
	*(volatile __u32 *)&slot->busy = 0;
}

INLINE void read_args(struct func_event *e, struct pt_regs *regs, __u8 compat)
{
	__u32 words[TRACE_FUNC_ARGS] = {};
#if defined(__TARGET_ARCH_x86)
	if (compat) {
		bpf_probe_read_user(words, sizeof(words), (void *)(regs->sp + 4));
		for (int i = 0; i < TRACE_FUNC_ARGS; i++)
			e->arg[i] = words[i];
		if (compat == TRACE_FUNC_REGISTERS_TOO) {
			e->arg[TRACE_FUNC_I386_AX] = (__u32)regs->ax;
			e->arg[TRACE_FUNC_I386_DX] = (__u32)regs->dx;
			e->arg[TRACE_FUNC_I386_CX] = (__u32)regs->cx;
		}
		return;
	}
#endif
	e->arg[0] = FUNC_ARG(regs, 0);
	e->arg[1] = FUNC_ARG(regs, 1);
	e->arg[2] = FUNC_ARG(regs, 2);
	e->arg[3] = FUNC_ARG(regs, 3);
	e->arg[4] = FUNC_ARG(regs, 4);
	e->arg[5] = FUNC_ARG(regs, 5);
}

INLINE void begin_func(struct func_event *e, struct task_struct *task, __u8 type, __u32 func)
{
	e->ev = (struct trace_event){
		.time_ns = bpf_ktime_get_ns(),
		.tid = task->pid,
		.pid = task->tgid,
		.number = func,
		.type = type,
		.cpu = bpf_get_smp_processor_id(),
	};
}

INLINE void fetch_func(struct scratch *s, __u8 what, __u32 part, __u64 ptr, __u64 bytes, __u32 max)
{
	__u64 string = 0;
	if (what == TRACE_FUNC_STRING_INDIRECT) {
		if (settings.func_touches)
			bpf_copy_from_user(&string, pointer_bytes(s), (void *)ptr);
		else
			bpf_probe_read_user(&string, pointer_bytes(s), (void *)ptr);
		ptr = string;
	}
	put(s, part, ptr, bytes, max);
}

/* Whether the piece at `from` is cut because memory could not be read. */
INLINE _Bool is_incomplete(const struct scratch *s, __u32 from)
{
	const struct piece *p = (const struct piece *)(s->buf + (from & 0x3ff8));
	return p->status == STATUS_FAULT || p->status == STATUS_PARTIAL;
}

/* Pages that were never touched are not in memory, such as those of string constants that no call has read yet. */
INLINE void touch(__u64 ptr)
{
	__u8 byte;
	bpf_copy_from_user(&byte, 1, (void *)ptr);
}

/* One step of a plan, by bpf_loop(): the memory that its register points to becomes a piece. */
struct func_turn {
	struct scratch *s;
	const struct trace_func *f;
	__u64 stack;
	__u32 first;
};

static long func_turn(__u32 i, struct func_turn *t)
{
	__u32 at = t->first + i, arg, part;
	struct trace_func_step step;
	__u64 ptr, bytes;
	__u32 from;
	if (at >= TRACE_FUNC_STEPS)
		return 1;
	step = t->f->step[at];
	part = (TRACE_FUNC_PART + at) << 8;
	arg = step.arg & 7;
	ptr = arg < TRACE_FUNC_ARGS ? t->s->arg[arg] : arg == TRACE_FUNC_STACK ? t->stack : (__u64)t->s->ret;
	if (ptr < USER_PAGE)
		return 0;
	ptr += step.offset;
	bytes = step.max;
	if (step.what == TRACE_FUNC_SPAN) {
		bytes = arg < TRACE_FUNC_ARGS - 1 ? t->s->arg[arg + 1] : t->s->arg[0];
	} else if (step.what != TRACE_FUNC_BYTES) {
		bytes = AS_STRING;
	}
	from = t->s->at;
	fetch_func(t->s, step.what, part, ptr, bytes, step.max);
	if (settings.func_touches && is_incomplete(t->s, from)) {
		touch(ptr);
		touch((ptr | (USER_PAGE - 1)) + 1);
		t->s->at = from;
		fetch_func(t->s, step.what, part, ptr, bytes, step.max);
	}
	return 0;
}

/* The event in a slot, with pieces. */
APART int send_fetched(struct func_slot *slot, const struct func_event *e, const struct trace_func *f, __u32 first, __u32 nr)
{
	struct func_turn turn = { &slot->scratch, f, e->ev.start_ns, first };
	struct scratch *s = &slot->scratch;
	*(struct func_event *)s->buf = *e;
	for (int i = 0; i < TRACE_FUNC_ARGS; i++)
		s->arg[i] = e->arg[i];
	s->ret = e->ev.type == TRACE_EVENT_FUNC_RETURN ? e->ev.ret : 0;
	s->compat = f->compat != TRACE_FUNC_NATIVE;
	s->at = sizeof(*e);
	bpf_loop(nr, func_turn, &turn, 0);
	send(s, 1);
	return 0;
}

/* Before its call. */
APART int send_func_stacks(struct func_slot *slot, void *ctx, struct task_struct *task, __u64 now, __u64 caller)
{
	put_stacks(&slot->stack, ctx, task, now, 1, caller);
	return 0;
}

INLINE void send_func(const struct func_event *e)
{
	if (!send_bytes(e, sizeof(*e), 1))
		__sync_fetch_and_add(&control.lost, 1);
}

INLINE int enter_func(struct pt_regs *regs, _Bool in_cgroup)
{
	struct task_struct *task = func_task(in_cgroup);
	__u32 number = bpf_get_attach_cookie(regs);
	struct trace_func *f = bpf_map_lookup_elem(&funcs, &number);
	struct func_event e;
	struct func_slot *slot = NULL;
	if (!task || !f)
		return 0;
	begin_func(&e, task, TRACE_EVENT_FUNC, number);
	e.ev.start_ns = regs->sp;
	e.ev.ret = func_return_address(regs, f->compat);
	e.ev.args_nr = TRACE_FUNC_ARGS;
	read_args(&e, regs, f->compat);
	if (f->steps_nr || EXTRAS.stacks) {
		slot = take_slot();
		if (!slot) {
			__sync_fetch_and_add(&control.lost_others, 1);
		} else {
			if (EXTRAS.stacks)
				send_func_stacks(slot, regs, task, e.ev.time_ns, func_hidden_caller(regs));
			if (f->steps_nr)
				send_fetched(slot, &e, f, 0, f->steps_nr);
			give_slot_back(slot);
		}
	}
	if (!slot || !f->steps_nr)
		send_func(&e);
	return 0;
}

/* at_exit: called at the instruction that leaves the function, before it runs. */
INLINE int leave_func(struct pt_regs *regs, _Bool at_exit, _Bool in_cgroup)
{
	struct task_struct *task = func_task(in_cgroup);
	__u32 cookie = bpf_get_attach_cookie(regs), number = cookie & ~TRACE_FUNC_LEFT_BY_JUMP;
	struct trace_func *f = bpf_map_lookup_elem(&funcs, &number);
	struct func_event e = {};
	struct func_slot *slot;
	if (!task || !f)
		return 0;
	begin_func(&e, task, TRACE_EVENT_FUNC_RETURN, number);
	e.ev.start_ns = at_exit ? regs->sp : func_stack_at_return(regs, f->compat) - f->popped;
	e.ev.flags = cookie & TRACE_FUNC_LEFT_BY_JUMP ? TRACE_FLAG_NO_RESULT : 0;
	e.ev.args_nr = TRACE_FUNC_ARGS;
	e.ev.ret = FUNC_RESULT(regs);
	e.arg[0] = FUNC_RESULT_SECOND(regs);
	slot = f->steps_result ? take_slot() : NULL;
	if (slot) {
		send_fetched(slot, &e, f, f->steps_nr, f->steps_result);
		give_slot_back(slot);
	} else {
		send_func(&e);
	}
	return 0;
}
