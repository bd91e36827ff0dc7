/*
 * Waits of threads, with their user stacks: duration, reason and waker.
 *
 * The stack of a thread is walked when it leaves its CPU, by the code and tables of unwind.bpf.c, which this program contains. The
 * state of the wait is in the map of threads until the thread runs again. Waits at one place (stack, state, reason) are summed up
 * there until they reach a quantum: this limits the number of messages at any rate of switches, and times are exact.
 *
 * These tracepoints run with interrupts off, one at a time on a CPU; and a thread has one wait at a time, so that no two CPUs change its
 * state at once. A wakeup may come while a thread is about to leave its CPU: the thread then does not wait, and no waker is recorded.
 */
#include "bpf/unwind/unwind.bpf.c"

#include <bpf/bpf_core_read.h>

#include "bpf/load/call.bpf.h"
#include "bpf/load/descriptor.bpf.h"

/* Of task_struct.__state and of what sched_switch says. */
#define STATE_BLOCKED 0x2	 /* TASK_UNINTERRUPTIBLE */
#define STATE_STOPPED (0x4 | 0x8) /* __TASK_STOPPED, __TASK_TRACED */
#define STATE_DEAD    (0x10 | 0x20 | 0x80) /* EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD */
/* include/uapi/linux/futex.h; numbers of calls are the same on all architectures */
#define FUTEX_CMD_MASK	 0x7f
#define FUTEX_TID_MASK	 0x3fffffff
#define FUTEX_LOCK_PI	 6
#define FUTEX_LOCK_PI2	 13
#define CALL_FUTEX_WAITV 449
#define CALL_FUTEX_WAIT	 455
/* include/uapi/linux/stat.h */
#define MODE_KIND   0170000
#define MODE_SOCKET 0140000
#define MODE_DEVICE 0020000
#define MODE_PIPE   0010000
#define MODE_OF_KIND_NONE 0 /* eventfd and others without a file type */

struct wait_control control = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WAIT_THREADS);
	__type(key, __u32);
	__type(value, struct wait_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAIT_SUMS);
	__type(key, struct wait_place);
	__type(value, struct wait_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WAIT_STACKS);
	__type(key, __u64);
	__type(value, struct wait_stack);
} stacks SEC(".maps");

/* Where a task entered the kernel, and with which call. */
struct user_place {
	__u64 pc, sp, fp, lr, argument[2];
	__u64 mappings;
};

/* Values too large for the stack of a program. */
struct wait_scratch {
	struct user_place place;
	struct wait_thread none; /* zeros */
	struct wait_stack stack;
	struct wait_sum sum;
	__u64 window_ns;
	__u32 copies;
	__u64 span[WAIT_SPAN]; /* the link register, and the words of a user's stack from sp on */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_scratch);
} scratches SEC(".maps");

INLINE struct wait_scratch *this_scratch(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&scratches, &zero);
}

/* ---- why ---- */

INLINE _Bool is_throttled(struct task_struct *task)
{
	struct cfs_rq *rq = 0;
	int count = 0;
	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count))
		return 0;
	READ(rq, task->se.cfs_rq);
	if (rq)
		READ(count, rq->throttle_count);
	return count > 0;
}

INLINE __u8 reason_of_file(const struct file *file, struct wait_thread *t)
{
	struct inode *inode = 0;
	struct dentry *dentry = 0;
	const unsigned char *name = 0;
	unsigned short mode = 0;
	unsigned long ino = 0;
	READ(inode, file->f_inode);
	if (!inode)
		return WAIT_FOR_CALL;
	READ(mode, inode->i_mode);
	READ(ino, inode->i_ino);
	switch (mode & MODE_KIND) {
	case MODE_PIPE:
		return WAIT_FOR_PIPE;
	case MODE_SOCKET:
		return WAIT_FOR_SOCKET;
	}
	t->place.object = ino;
	READ(dentry, file->f_path.dentry);
	READ(name, dentry->d_name.name);
	bpf_probe_read_kernel_str(t->out.raw.name, sizeof(t->out.raw.name), name);
	return (mode & MODE_KIND) == MODE_DEVICE	 ? WAIT_FOR_DEVICE
	       : (mode & MODE_KIND) == MODE_OF_KIND_NONE ? WAIT_FOR_OTHER_FILE
							 : WAIT_FOR_FILE;
}

INLINE __u8 reason_of_call(struct task_struct *task, struct wait_thread *t, __u64 argument, __u32 call)
{
	struct file *file;
	switch (settings.wait_calls[BELOW(WAIT_CALLS, call)]) {
	case WAIT_CALL_FUTEX:
		t->place.object = argument;
		return WAIT_FOR_FUTEX;
	case WAIT_CALL_EPOLL:
		return WAIT_FOR_EPOLL;
	case WAIT_CALL_POLL:
		return WAIT_FOR_POLL;
	case WAIT_CALL_TIME:
		return WAIT_FOR_TIME;
	case WAIT_CALL_CHILD:
		return WAIT_FOR_CHILD;
	case WAIT_CALL_SIGNAL:
		return WAIT_FOR_SIGNAL;
	case WAIT_CALL_FD:
		file = file_of(task, argument);
		return file ? reason_of_file(file, t) : WAIT_FOR_CALL;
	default:
		return t->out.flags & WAIT_IO ? WAIT_FOR_DISK : WAIT_FOR_CALL;
	}
}

/* A runnable or stopped thread does not wait because of a call. */
GLOBAL int explain(struct wait_thread *t, __u32 state, __u32 is_preempted)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wait_scratch *scratch = this_scratch();
	__s32 call;
	if (!t || !scratch)
		return 0;
	call = number_of((struct pt_regs *)bpf_task_pt_regs(task));
	t->place.call = call >= 0 && call < WAIT_CALLS && !is_compat(task) ? call : WAIT_NO_CALL;
	t->place.object = 0;
	__builtin_memset(t->out.raw.name, 0, sizeof(t->out.raw.name));
	if (is_preempted || !state) {
		t->place.state = WAIT_RUNNABLE;
		t->place.reason = is_throttled(task) ? WAIT_THROTTLED : WAIT_PREEMPTED;
		return 0;
	}
	if (BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait))
		t->out.flags |= WAIT_IO;
	t->place.state = state & STATE_STOPPED ? WAIT_STOPPED : state & STATE_BLOCKED ? WAIT_BLOCKED : WAIT_SLEEPING;
	if (state & STATE_STOPPED)
		t->place.reason = WAIT_FOR_SIGNAL;
	else if (t->place.call == WAIT_NO_CALL)
		t->place.reason = call < 0 ? WAIT_FOR_PAGE : WAIT_FOR_CALL;
	else
		t->place.reason = reason_of_call(task, t, scratch->place.argument[0], t->place.call);
	return 0;
}

/* ---- locks ---- */

INLINE _Bool is_futex_call(struct task_struct *task)
{
	__s32 call = number_of((struct pt_regs *)bpf_task_pt_regs(task));
	return call >= 0 && call < WAIT_CALLS && !is_compat(task) &&
	       settings.wait_calls[BELOW(WAIT_CALLS, (__u32)call)] == WAIT_CALL_FUTEX;
}

/* The owner according to the futex, if it is a thread of the same process that has been on a CPU. */
INLINE struct wait_thread *owner_of(const struct wait_thread *t, struct wait_lock *l, _Bool is_pi)
{
	__u32 owner = is_pi ? l->value & FUTEX_TID_MASK : l->word;
	struct wait_thread *o = owner && owner != t->place.tid ? bpf_map_lookup_elem(&threads, &owner) : 0;
	if (!o || o->out.pid != t->out.pid)
		return 0;
	l->owner = owner;
	return o;
}

/* Addresses of the owner's stack come after those of t itself. */
INLINE void put_owner(struct wait_thread *t, const __u64 *ips, __u32 nr, __u64 hash)
{
	__u32 at = t->out.nr;
	t->owner_stack = hash;
	if (nr > WAIT_OWNER_MAX)
		nr = WAIT_OWNER_MAX;
	FORGET(nr);
	FORGET(at);
	if (at > WAIT_FRAMES_MAX || nr > WAIT_OWNER_MAX)
		return;
	bpf_probe_read_kernel(t->ips + at, nr * sizeof(*t->ips), ips);
	t->out.lock.owner_nr = nr;
}

/* Stores the stack of an owner that was walked for this, if the owner still waits there. */
GLOBAL int keep_owner(struct wait_thread *t)
{
	struct walk *w = this_walk(WALK_SWITCH);
	struct wait_thread *o;
	__u32 owner;
	if (!t || !w)
		return 0;
	owner = t->place.owner;
	o = bpf_map_lookup_elem(&threads, &owner);
	if (o && o->since_ns == t->owner_since_ns)
		put_owner(t, w->out.frames, w->out.stack.nr, w->hash);
	else
		t->out.lock.owner_state = WAIT_OWNER_RUNS;
	return 0;
}

/* Notes the kind of a futex wait, by the second argument of the call. */
GLOBAL int note_lock(struct wait_thread *t, __u64 argument)
{
	struct wait_thread *o;
	struct wait_lock *l;
	__u32 op, words[3] = {};
	if (!t)
		return 0;
	l = &t->out.lock;
	__builtin_memset(l, 0, sizeof(*l));
	t->place.owner = 0;
	t->owner_regs = 0;
	if (t->place.reason != WAIT_FOR_FUTEX)
		return 0;
	if (t->place.call == CALL_FUTEX_WAITV) /* struct futex_waitv: of several, the first */
		read_user(t->place.object + 8, &t->place.object);
	else if (t->place.call != CALL_FUTEX_WAIT)
		l->op = argument;
	op = l->op & FUTEX_CMD_MASK;
	bpf_probe_read_user(words, sizeof(words), (void *)t->place.object);
	l->value = words[0];
	l->word = words[2];
	o = owner_of(t, l, op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2);
	if (!o)
		return 0;
	t->place.owner = l->owner;
	l->owner_state = o->since_ns ? WAIT_OWNER_WAITS : WAIT_OWNER_RUNS;
	if (!o->since_ns || !t->is_detailed)
		return 0;
	t->owner_since_ns = o->since_ns;
	if (o->is_left_out)
		t->owner_regs = o->regs;
	else
		put_owner(t, o->ips, o->out.nr, o->place.stack);
	return 0;
}

/* ---- threads and their stacks ---- */

INLINE struct wait_thread *thread_of(__u32 tid)
{
	struct wait_thread *t = bpf_map_lookup_elem(&threads, &tid);
	struct wait_scratch *scratch = this_scratch();
	if (t || !scratch)
		return t;
	if (bpf_map_update_elem(&threads, &tid, &scratch->none, BPF_NOEXIST))
		__sync_fetch_and_add(&control.threads_lost, 1);
	return bpf_map_lookup_elem(&threads, &tid);
}

INLINE void take_place(struct user_place *p, struct task_struct *task)
{
	const struct pt_regs *r = (struct pt_regs *)bpf_task_pt_regs(task);
	struct mm_struct *mm = mm_of(task);
#if defined(__TARGET_ARCH_x86)
	*p = (struct user_place){ r->ip, r->sp, r->bp, 0, { r->di, r->si }, 0 };
#else
	*p = (struct user_place){ r->pc, r->sp, r->regs[FP], r->regs[LR], { r->orig_x0, r->regs[1] }, 0 };
#endif
	if (mm)
		p->mappings = mappings_tag(task, mm);
}

INLINE _Bool may_copy(__u64 now)
{
	struct wait_scratch *scratch = this_scratch();
	if (!scratch)
		return 0;
	if (now - scratch->window_ns > WAIT_COPIES_WINDOW_NS) {
		scratch->window_ns = now;
		scratch->copies = 0;
	}
	return scratch->copies++ < WAIT_COPIES;
}

INLINE void keep_stack(void *ctx, struct walk *w, struct wait_thread *t, __u64 now)
{
	__u32 nr = w->out.stack.nr, end = w->out.stack.end;
	t->out.flags = end == UNWIND_WALK_WHOLE || end == UNWIND_WALK_EXEC || settings.wait_frames_max == 1 ? 0 : WAIT_CUT;
	t->place.stack = w->hash;
	if (end == UNWIND_WALK_COPY && settings.wait_frames_max > 1 && may_copy(now)) {
		t->out.flags = WAIT_COPIED;
		t->place.stack = t->out.number = (now ^ (__u64)t->place.tid << 40) | 1;
		give_copy(ctx, w, WALK_SWITCH, t->out.number);
		nr = 0;
	}
	t->out.nr = nr;
	if (nr <= WAIT_FRAMES_MAX)
		bpf_probe_read_kernel(t->ips, nr * sizeof(*t->ips), w->out.frames);
}

INLINE void forget_waker(struct wait_thread *t)
{
	t->out.raw.waker_nr = t->out.raw.waker = t->out.raw.waker_pid = t->out.raw.waker_tid = 0;
	__builtin_memset(t->out.raw.waker_comm, 0, sizeof(t->out.raw.waker_comm));
}

/* Walks the stack of the current task; false where it has none. */
INLINE _Bool take_stack(void *ctx, struct task_struct *task, struct walk *w, struct wait_thread *t, __u64 now)
{
	if (!prepare_walk(w, task) || bpf_probe_read_kernel(&w->regs, sizeof(w->regs), (void *)bpf_task_pt_regs(task)))
		return 0;
	walk_from_regs(w, WALK_SWITCH, settings.wait_frames_max);
	t->has_walked = 1;
	if (!t->is_left_out)
		keep_stack(ctx, w, t, now);
	return 1;
}

/* The known stack that may be at a place: few places of a thread have the same one. */
INLINE __u32 known_number(const struct user_place *at)
{
	return ((at->pc ^ at->sp >> 3) * HASH_FACTOR) >> 32 & (WAIT_KNOWN - 1);
}

/* Keeps the words on which the walk depended; false where they are too many, or not all on the stack in use. */
INLINE _Bool keep_words(const struct walk *w, struct wait_known *k, __u64 sp)
{
	__u64 span = 0, wrong = 0;
	__u32 nr = w->words_nr;
	if (nr > WAIT_WORDS)
		return 0;
	for (__u32 i = 0; i < WAIT_WORDS && i < nr; i++) {
		__u64 offset = w->words[i] - sp, is_read = ~all_bits(is_less(w->words[i], 1));
		__u64 at = (offset / 8 + 1) & is_read;
		wrong |= (at & ~(WAIT_SPAN - 1ULL)) | (offset & 7 & is_read);
		k->at[i] = at;
		span += (at - span) & all_bits(is_less(span, at));
	}
	k->span = span;
	k->words_nr = nr;
	k->words = w->words_hash;
	return !wrong;
}

/* Keeps a complete and not too deep stack, and what it is recognised by. */
INLINE void keep_known(const struct walk *w, struct wait_thread *t, const struct user_place *at)
{
	__u32 number = known_number(at), nr = w->out.stack.nr;
	struct wait_known *k = &t->known[BELOW(WAIT_KNOWN, number)];
	t->last_known = WAIT_KNOWN;
	k->nr = 0;
	if (t->out.flags & (WAIT_COPIED | WAIT_CUT) || !nr || nr > WAIT_DEPTH || !keep_words(w, k, at->sp))
		return;
	bpf_probe_read_kernel(k->ips, sizeof(k->ips), w->out.frames);
	k->pc = at->pc;
	k->sp = at->sp;
	k->fp = at->fp;
	k->mappings = at->mappings;
	k->hash = t->place.stack;
	k->turns = 0;
	k->nr = nr;
	t->last_known = number;
}

/* Whether a stack is one that was walked before: a walk would give the same result, but take much longer. */
INLINE _Bool is_known_stack(const struct wait_known *k, struct wait_scratch *scratch)
{
	const struct user_place *at = &scratch->place;
	__u32 span = k->span, nr = k->words_nr;
	__u64 hash = 0;
	if (!k->nr || k->pc != at->pc || k->sp != at->sp || k->fp != at->fp || k->mappings != at->mappings)
		return 0;
	FORGET(span);
	if (span >= WAIT_SPAN || bpf_probe_read_user(scratch->span + 1, span * 8, (void *)at->sp))
		return 0;
	scratch->span[0] = at->lr;
	for (__u32 i = 0; i < WAIT_WORDS && i < nr; i++)
		hash = hash_word(hash, scratch->span[BELOW(WAIT_SPAN, k->at[i])]);
	return hash == k->words;
}

/* Takes the stack of a thread from those known; false: it has to be walked. */
INLINE _Bool recognise(struct wait_thread *t, struct wait_scratch *scratch)
{
	__u32 number = known_number(&scratch->place);
	struct wait_known *k = &t->known[BELOW(WAIT_KNOWN, number)];
	if (!is_known_stack(k, scratch))
		return 0;
	k->turns++;
	t->is_detailed = k->turns < WAIT_DETAILED || !(k->turns % WAIT_DETAILED);
	t->out.flags = 0;
	if (t->last_known == number)
		return 1;
	t->last_known = number;
	t->out.nr = k->nr;
	t->place.stack = k->hash;
	bpf_probe_read_kernel(t->ips, sizeof(k->ips), k->ips);
	return 1;
}

/*
 * Whether the stack need not be walked since it is known; or, of locks, since it is that of another wait. Those are not shown, but walked
 * once per thread, so that user space compiles tables for code in which owners of locks may be.
 */
GLOBAL int begin_wait(struct wait_thread *t)
{
	struct wait_scratch *scratch = this_scratch();
	if (!t || !scratch)
		return 1;
	if (t->is_left_out)
		return t->has_walked;
	t->is_detailed = 1;
	take_place(&scratch->place, bpf_get_current_task_btf());
	return recognise(t, scratch);
}

/* Records the lock of a wait, with its stack. */
GLOBAL int explain_lock(struct wait_thread *t)
{
	struct wait_scratch *scratch = this_scratch();
	if (!t || !scratch)
		return 0;
	if (t->is_detailed)
		__sync_fetch_and_add(&control.detailed[t->place.tid % WAIT_THREAD_GROUPS], 1);
	t->place.state = WAIT_SLEEPING;
	t->place.reason = WAIT_FOR_FUTEX;
	t->place.call = number_of((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()));
	t->place.object = scratch->place.argument[0];
	note_lock(t, scratch->place.argument[1]);
	return 0;
}

GLOBAL int explain_any(struct wait_thread *t, __u32 state, __u32 is_preempted)
{
	struct wait_scratch *scratch = this_scratch();
	if (!t || !scratch)
		return 0;
	t->is_detailed = 1;
	explain(t, state, is_preempted);
	note_lock(t, scratch->place.argument[1]);
	return 0;
}

/* Once a stack is walked. Code that was interrupted is rarely interrupted at the same place again. */
GLOBAL int learn(struct wait_thread *t)
{
	struct wait_scratch *scratch = this_scratch();
	struct walk *w = this_walk(WALK_SWITCH);
	if (!t || !w || !scratch)
		return 0;
	t->last_known = WAIT_KNOWN;
	if (t->place.reason != WAIT_PREEMPTED || t->place.call != WAIT_NO_CALL)
		keep_known(w, t, &scratch->place);
	return 0;
}

/* ---- who wakes ---- */

INLINE _Bool is_due(struct wait_thread *t, __u64 ns)
{
	struct wait_sum *s;
	if (t->out.flags & WAIT_COPIED)
		return 1;
	if (settings.waits_of_locks)
		return t->is_detailed;
	s = bpf_map_lookup_elem(&sums, &t->place);
	return (s ? s->ns : 0) + ns >= settings.wait_quantum_ns;
}

/*
 * Whether the waker is an interrupt and not the task on this CPU. If the task is not in a system call, it was interrupted. In a call it
 * may have been interrupted, too, which cannot be read here: waits for timers and devices are ended by interrupts, all others are
 * attributed to the task.
 */
INLINE _Bool is_interrupt(struct task_struct *task, const struct wait_thread *t)
{
	if (!task->pid || t->place.reason == WAIT_FOR_TIME)
		return 1;
	if (task->flags & TASK_KERNEL)
		return 0;
	return t->out.flags & WAIT_IO || (int)number_of((struct pt_regs *)bpf_task_pt_regs(task)) < 0;
}

GLOBAL int note_waker(struct wait_thread *t)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk *w = this_walk(WALK_SWITCH);
	struct wait_raw *raw;
	__u32 at, nr;
	if (!t || !w)
		return 0;
	raw = &t->out.raw;
	raw->waker = WAIT_WAKER_INTERRUPT;
	if (is_interrupt(task, t))
		return 0;
	raw->waker = WAIT_WAKER_TASK;
	raw->waker_pid = task->tgid;
	raw->waker_tid = task->pid;
	bpf_probe_read_kernel(raw->waker_comm, sizeof(raw->waker_comm), task->comm);
	if (!prepare_walk(w, task) || bpf_probe_read_kernel(&w->regs, sizeof(w->regs), (void *)bpf_task_pt_regs(task)))
		return 0;
	walk_from_regs(w, WALK_SWITCH, settings.wait_frames_max < WAIT_WAKER_MAX ? settings.wait_frames_max : WAIT_WAKER_MAX);
	at = t->out.nr + t->out.lock.owner_nr;
	nr = w->out.stack.nr;
	if (at > WAIT_FRAMES_MAX + WAIT_OWNER_MAX || nr > WAIT_WAKER_MAX)
		return 0;
	bpf_probe_read_kernel(t->ips + at, nr * sizeof(*t->ips), w->out.frames);
	raw->waker_nr = nr;
	return 0;
}

SEC("raw_tp/sched_waking") int wake_task(__u64 *ctx)
{
	const struct task_struct *task = (const struct task_struct *)ctx[0];
	struct wait_thread *t;
	__u64 now;
	__u32 tid;
	if (!control.enabled_ns)
		return 0;
	if (bpf_probe_read_kernel(&tid, sizeof(tid), &task->pid))
		return 0;
	if (settings.waits_of_locks && !control.detailed[tid % WAIT_THREAD_GROUPS])
		return 0;
	t = bpf_map_lookup_elem(&threads, &tid);
	if (!t || !t->since_ns || t->woken_ns || t->is_left_out || t->place.state == WAIT_RUNNABLE)
		return 0;
	now = bpf_ktime_get_ns();
	t->woken_ns = now;
	if (is_due(t, now - t->since_ns))
		note_waker(t);
	return 0;
}

/* ---- to there ---- */

/* Waits at one place: total time, number, the longest, the shortest. */
struct wait_times {
	__u64 ns, max_ns, min_ns;
	__u32 waits;
};

/* False: no room in the ring. */
INLINE _Bool give(void *ctx, struct wait_thread *t, const struct wait_times *times)
{
	struct wait_message *m = &t->out;
	__u32 nr = m->nr + m->lock.owner_nr + m->raw.waker_nr;
	m->message = UNWIND_MESSAGE_WAIT;
	m->ns = times->ns;
	m->lock.max_ns = times->max_ns;
	m->lock.min_ns = times->min_ns;
	m->raw.magic = WAIT_MAGIC;
	m->raw.state = t->place.state;
	m->raw.reason = t->place.reason;
	m->raw.call = t->place.call;
	m->raw.object = t->place.object;
	m->raw.waits = times->waits;
	return nr <= WAIT_FRAMES_MAX + WAIT_OWNER_MAX + WAIT_WAKER_MAX &&
	       !bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, m, sizeof(*m) + nr * sizeof(*t->ips));
}

/* Saves the addresses of a sum for the end: nr from `at` on. */
INLINE _Bool save_stack(const struct wait_thread *t, __u64 key, __u32 at, __u32 nr, __u32 cut)
{
	struct wait_scratch *scratch = this_scratch();
	if (!scratch)
		return 0;
	if (bpf_map_lookup_elem(&stacks, &key))
		return 1;
	FORGET(at);
	FORGET(nr);
	if (at > WAIT_FRAMES_MAX || nr > WAIT_FRAMES_MAX)
		return 0;
	scratch->stack.nr = nr;
	scratch->stack.cut = cut;
	bpf_probe_read_kernel(scratch->stack.ips, BELOW(2 * WAIT_FRAMES_MAX, nr) * sizeof(*t->ips), t->ips + at);
	return !bpf_map_update_elem(&stacks, &key, &scratch->stack, BPF_ANY);
}

INLINE _Bool begin_sum(struct wait_thread *t, const struct wait_times *times)
{
	struct wait_scratch *scratch = this_scratch();
	__u32 nr = t->out.nr, owner_nr = t->out.lock.owner_nr;
	if (!scratch || !save_stack(t, t->place.stack, 0, nr, t->out.flags & WAIT_CUT))
		return 0;
	if (owner_nr && owner_nr <= WAIT_OWNER_MAX)
		save_stack(t, t->owner_stack, nr, owner_nr, 0);
	scratch->sum.ns = times->ns;
	scratch->sum.waits = times->waits;
	scratch->sum.pid = t->out.pid;
	scratch->sum.lock = t->out.lock;
	scratch->sum.owner_stack = t->owner_stack;
	scratch->sum.older = t->newest;
	scratch->sum.lock.max_ns = times->max_ns;
	scratch->sum.lock.min_ns = times->min_ns;
	__builtin_memcpy(scratch->sum.name, t->out.raw.name, sizeof(scratch->sum.name));
	if (bpf_map_update_elem(&sums, &t->place, &scratch->sum, BPF_ANY))
		return 0;
	t->newest = t->place;
	return 1;
}

INLINE void add_to_sum(void *ctx, struct wait_thread *t, struct wait_sum *s, __u64 ns)
{
	struct wait_times times;
	s->ns += ns;
	s->waits++;
	if (ns > s->lock.max_ns)
		s->lock.max_ns = ns;
	if (ns < s->lock.min_ns)
		s->lock.min_ns = ns;
	if (s->ns < settings.wait_quantum_ns)
		return;
	times = (struct wait_times){ .ns = s->ns, .waits = s->waits, .max_ns = s->lock.max_ns, .min_ns = s->lock.min_ns };
	if (!give(ctx, t, &times))
		return;
	s->ns = s->waits = s->lock.max_ns = 0;
	s->lock.min_ns = ~0ULL;
}

APART int add(__u64 *ctx, struct wait_thread *t, __u64 ns)
{
	struct wait_times times = { .ns = ns, .waits = 1, .max_ns = ns, .min_ns = ns };
	_Bool was_given = 0, is_copied = t->out.flags & WAIT_COPIED;
	struct wait_sum *s = is_copied ? 0 : bpf_map_lookup_elem(&sums, &t->place);
	if (s) {
		add_to_sum(ctx, t, s, ns);
		return 0;
	}
	if (is_copied || ns >= settings.wait_quantum_ns || settings.waits_of_locks) {
		was_given = give(ctx, t, &times);
		if (is_copied || (was_given && !settings.waits_of_locks))
			return 0;
		if (was_given)
			times = (struct wait_times){ .min_ns = ~0ULL };
	}
	/* A message without room is not lost: it is sent with the next one, or at the end. */
	if (!begin_sum(t, &times) && !was_given)
		give(ctx, t, &times);
	return 0;
}

/* ---- before addresses become those of other functions ---- */

/* Gives a sum as one message; false: no room. */
INLINE _Bool give_sum(void *ctx, struct wait_thread *t, const struct wait_sum *s)
{
	struct wait_times times = { .ns = s->ns, .waits = s->waits, .max_ns = s->lock.max_ns, .min_ns = s->lock.min_ns };
	const struct wait_stack *own = bpf_map_lookup_elem(&stacks, &t->place.stack), *owner;
	__u32 nr;
	if (!own)
		return 0;
	nr = own->nr;
	FORGET(nr);
	if (nr > WAIT_FRAMES_MAX)
		return 0;
	bpf_probe_read_kernel(t->ips, nr * sizeof(*t->ips), own->ips);
	t->out.nr = nr;
	t->out.flags = own->cut ? WAIT_CUT : 0;
	t->out.lock = s->lock;
	t->out.lock.owner_nr = 0;
	__builtin_memcpy(t->out.raw.name, s->name, sizeof(t->out.raw.name));
	forget_waker(t);
	owner = s->lock.owner_nr ? bpf_map_lookup_elem(&stacks, &s->owner_stack) : 0;
	if (owner)
		put_owner(t, owner->ips, s->lock.owner_nr, s->owner_stack);
	return give(ctx, t, &times);
}

/* The thread does not wait: its message is free for its sums. One without room stays in the map, until the end. */
APART int give_sums(__u64 *ctx, struct wait_thread *t)
{
	struct wait_sum *s;
	t->last_known = WAIT_KNOWN;
	for (__u32 i = 0; i < WAIT_SENT_MAX && t->newest.tid; i++) {
		t->place = t->newest;
		t->newest.tid = 0;
		s = bpf_map_lookup_elem(&sums, &t->place);
		if (!s)
			break;
		t->newest = s->older;
		if (!s->ns || give_sum(ctx, t, s))
			bpf_map_delete_elem(&sums, &t->place);
	}
	t->newest.tid = 0;
	return 0;
}

/*
 * An exec begins a program with other memory. After a dlclose(3) less code is mapped; that of a dlopen(3) may then be at the same
 * addresses.
 */
INLINE void note_code(__u64 *ctx, struct wait_thread *t, struct task_struct *task)
{
	struct mm_struct *mm = mm_of(task);
	__u64 code_pages = 0;
	if (mm)
		bpf_probe_read_kernel(&code_pages, sizeof(code_pages), &mm->exec_vm);
	if (t->newest.tid && (t->memory != (__u64)mm || code_pages < t->code_pages))
		give_sums(ctx, t);
	t->memory = (__u64)mm;
	t->code_pages = code_pages;
	t->place.program = t->memory >> 6;
}

INLINE int note_code_now(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid = task->pid;
	struct wait_thread *t = control.enabled_ns ? bpf_map_lookup_elem(&threads, &tid) : 0;
	if (t && !t->since_ns)
		note_code(ctx, t, task);
	return 0;
}

/* An exec renames its thread when it has new memory, before anything is mapped there for the new program. */
SEC("raw_tp/task_rename") int rename_task(__u64 *ctx)
{
	return note_code_now(ctx);
}

/* The kernel looks for a place for a mapping, such as a library. */
SEC("raw_tp/vm_unmapped_area") int place_mapping(__u64 *ctx)
{
	return note_code_now(ctx);
}

/* Adds a thread that has not left the CPU yet: others may wait for it. */
INLINE void meet(struct task_struct *task, __u32 tid)
{
	struct wait_thread *t;
	__u32 pid = 0;
	READ(pid, task->tgid);
	if (!mm_of(task) || (settings.followed_words && !is_followed_id(settings.followed_by_thread ? tid : pid, settings.followed_words)))
		return;
	t = thread_of(tid);
	if (t)
		t->out.pid = pid;
}

/* The wait of a thread that runs from `now` on. */
INLINE void end_wait(__u64 *ctx, struct wait_thread *t, __u64 now)
{
	__u64 since = t->since_ns, woken = settings.waits_split ? t->woken_ns : 0;
	t->since_ns = 0;
	if (t->is_left_out)
		return;
	if (settings.waits_of_locks && t->is_detailed)
		__sync_fetch_and_add(&control.detailed[t->place.tid % WAIT_THREAD_GROUPS], -1);
	if (since < control.enabled_ns || now < since)
		return;
	add(ctx, t, (woken ? woken : now) - since);
	if (!woken || woken >= now)
		return;
	t->place.state = WAIT_RUNNABLE;
	t->place.reason = WAIT_FOR_CPU;
	t->place.object = t->place.owner = 0;
	add(ctx, t, now - woken);
}

INLINE void come(__u64 *ctx, struct task_struct *task, __u64 now)
{
	struct wait_thread *t;
	__u32 tid = 0;
	READ(tid, task->pid);
	t = tid ? bpf_map_lookup_elem(&threads, &tid) : 0;
	if (!t && tid && settings.waits_of_locks)
		meet(task, tid);
	if (t && t->since_ns)
		end_wait(ctx, t, now);
}

/*
 * When the thread that leaves its CPU began to run there, by the kernel's own account of it; 0: it keeps none. The clock of the CPU was
 * read just before.
 */
INLINE __u64 begin_of_run(const struct task_struct *task, __u64 now)
{
	__u64 ran_ns;
	if (!bpf_core_field_exists(task->sched_info.last_arrival) || !bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		return 0;
	ran_ns = task->se.cfs_rq->rq->clock - task->sched_info.last_arrival;
	return ran_ns < now ? now - ran_ns : 0;
}

/* ---- from here ---- */

/* A thread that ends. It is followed no longer, and its ID will be that of another thread. */
INLINE void forget_thread(__u64 *ctx, struct task_struct *task, __u32 tid, __u64 now)
{
	struct wait_thread *t = bpf_map_lookup_elem(&threads, &tid);
	if (!t)
		return;
	if (t->since_ns)
		end_wait(ctx, t, begin_of_run(task, now));
	give_sums(ctx, t);
	bpf_map_delete_elem(&threads, &tid);
}

/* Kernels do not report each switch. A wait whose end was not reported ended when the thread began to run. */
INLINE struct wait_thread *leaving_thread(__u64 *ctx, struct task_struct *task, __u32 state, __u32 is_preempted, __u64 now)
{
	__u32 tid = task->pid;
	struct wait_thread *t;
	if (!tid || task->flags & TASK_KERNEL)
		return 0;
	if (state & STATE_DEAD) {
		forget_thread(ctx, task, tid, now);
		return 0;
	}
	if (settings.followed_words && !is_followed(task, settings.followed_words, settings.followed_by_thread))
		return 0;
	t = thread_of(tid);
	if (!t)
		return 0;
	if (t->since_ns)
		end_wait(ctx, t, begin_of_run(task, now));
	t->out.tid = tid;
	t->out.pid = task->tgid;
	t->regs = (__u64)bpf_task_pt_regs(task);
	t->woken_ns = 0;
	t->is_left_out = settings.waits_of_locks && (is_preempted || !state || !is_futex_call(task));
	if (t->is_left_out)
		return t;
	note_code(ctx, t, task);
	t->place.tid = tid;
	return t;
}

/* Stacks are walked here and not in a separate function: the functions of a walk take nearly all of the BPF stack. */
INLINE void leave(__u64 *ctx, struct task_struct *task, __u32 state, __u32 is_preempted, __u64 now)
{
	struct walk *w = this_walk(WALK_SWITCH);
	struct wait_thread *t = leaving_thread(ctx, task, state, is_preempted, now);
	__u32 is_known;
	if (!t || !w)
		return;
	is_known = begin_wait(t);
	if (!is_known && !take_stack(ctx, task, w, t, now))
		return;
	if (t->is_left_out) {
		t->since_ns = now;
		return;
	}
	if (settings.waits_of_locks)
		explain_lock(t);
	else
		explain_any(t, state, is_preempted);
	if (!is_known)
		learn(t);
	if (settings.waits_of_locks && t->owner_regs && prepare_walk(w, task) &&
	    !bpf_probe_read_kernel(&w->regs, sizeof(w->regs), (void *)t->owner_regs)) {
		walk_from_regs(w, WALK_SWITCH, WAIT_OWNER_MAX);
		keep_owner(t);
	}
	if (t->out.raw.waker)
		forget_waker(t);
	t->since_ns = now;
}

SEC("raw_tp/sched_switch") int switch_task(__u64 *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	if (!control.enabled_ns)
		return 0;
	leave(ctx, bpf_get_current_task_btf(), ctx[3], ctx[0], now);
	come(ctx, (struct task_struct *)ctx[2], now);
	return 0;
}
