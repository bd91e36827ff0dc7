/*
 * Streams system calls: one event for each, as it ends, with what its arguments point at. A call that sleeps, or never
 * returns, has another event before that.
 *
 * Memory that a call only reads is fetched at its end, too, when the kernel itself has touched its pages (nothing here may
 * fault a page in), except for calls after which it may be gone or overwritten. What is fetched follows the
 * plans of decode/syscall.h.
 */
#include "bpf/trace/trace_shared.h"

struct task_state {
	__u64 start_ns;
	__u32 call; /* of start_ns */
	__u8 reported;  /* enum reported */
	__u8 blob;  /* arguments and memory fetched at entry are in `blobs` */
	__u8 missed; /* bit by argument: memory that was to be fetched at entry, but could not be read */
	__u8 interpreted; /* the file of the exec needs an interpreter */
	__u8 point; /* its POINT is to be sent when its memory can be read */
	__u8 path;  /* PATH_* found at entry */
	__u8 left;  /* its end has been reported already */
	__u8 stops; /* stopped by us: the reader continues it */
	__u8 gone;
	__u8 named; /* the name was sent to the reader */
	__u64 mm; /* struct mm_struct at entry, if memory was missed: an exec replaces it */
};

/* Whether the ENTERED of a call has been sent, and whether it lacks memory that could not be read. */
enum reported { REPORTED_NOT, REPORTED, REPORTED_INCOMPLETELY };

#include "bpf/trace/trace_exec.bpf.h"
#include "bpf/trace/trace_file.bpf.h"
#include "bpf/trace/trace_stack.bpf.h"
#ifndef TRACE_PLAIN
#include "bpf/trace/trace_func_stream.bpf.h"
#endif

/*
 * Beyond a look at the task, the programs for the entry of a call and for a switch leave the work to the program for the end of
 * a call, by bpf_tail_call(): only this one contains the code that fetches and sends, which the verifier takes some five
 * milliseconds to check. The job is passed in per-CPU memory.
 */
enum job { JOB_NONE, JOB_ENTER, JOB_SLEEP, JOB_STOPPED, JOB_EXEC };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32); /* enum job */
} jobs SEC(".maps");

/* stream_exit, filled by stream_tracer.c. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} worker SEC(".maps");

INLINE __u32 *this_job(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&jobs, &zero);
}

/* Tail-calls the program that does the job, if any. */
INLINE int go_on(void *ctx, enum job job)
{
	__u32 *ours = job ? this_job() : NULL;
	if (!ours)
		return 0;
	*ours = job;
	bpf_tail_call(ctx, &worker, 0);
	*ours = JOB_NONE;
	return 0;
}

#define SIGINFO_BYTES 48 /* of kernel_siginfo: what siginfo_t begins with */
#define BLOB_MAX  4096

struct blob {
	__u32 bytes, unused;
	__u64 arg[6]; /* an exec overwrites the registers */
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

#define PATH_NAMED  1 /* the fetched memory has the selected path, or one with its last component */
#define PATH_OPENED 2 /* a descriptor is open on that file */

/* Process and descriptor of files opened by a path with the selected prefix. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* resized if needed */
	__type(key, __u64);
	__type(value, __u32);
} path_fds SEC(".maps");

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

/* Begins an event about the start or end of a task. */
INLINE void begin_aside(struct scratch *s, struct task_struct *task, __u8 type)
{
	begin(s, task, type, bpf_ktime_get_ns());
	if (!control.enabled || !counts_here())
		((struct trace_event *)s->buf)->flags = TRACE_FLAG_ASIDE;
}

INLINE void send_name(struct scratch *s, const char *comm)
{
	__u32 at = s->at & 0x3ff8;
	bpf_probe_read_kernel(s->buf + at, 16, comm);
	s->at = at + 16;
	send_aside(s);
}

/* Tasks that existed before the trace are named in no other event, and may have ended before the reader can look them up. */
APART int send_task_name(struct task_struct *task, struct task_state *t)
{
	__u32 i = 2;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &i);
	t->named = 1;
	if (!s || task->start_time >= settings.began_ns)
		return 0;
	begin(s, task, TRACE_EVENT_RENAME, bpf_ktime_get_ns());
	send_name(s, task->comm);
	return 0;
}

/* The state of a followed task; in a system-wide trace its name is sent first. */
INLINE struct task_state *followed_by_name(struct task_struct *task)
{
	struct task_state *t = followed(task);
	if (settings.everyone && t && !t->named)
		send_task_name(task, t);
	return t;
}

/* Of an unknown call, all arguments. */
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
		    (t->reported ? TRACE_FLAG_RESUMED : 0) | (t->reported == REPORTED_INCOMPLETELY ? TRACE_FLAG_COMPLETED : 0);
	ev->ret = s->ret;
	/* All six are written; fetched memory then overwrites those that the call does not have. */
	ev->args_nr = args_nr;
	for (int i = 0; i < 6; i++)
		((__u64 *)(s->buf + sizeof(*ev)))[i] = s->arg[i];
	s->at = sizeof(*ev) + args_nr * 8;
}

INLINE struct pt_regs *regs_of(struct task_struct *task)
{
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

INLINE struct scratch *scratch_of(__u32 i)
{
	return bpf_map_lookup_elem(&scratches, &i);
}

/* Of the current task's call, as they were passed: kept at its entry, or still in its registers. */
GLOBAL int take_entry_args(struct scratch *s, __u32 kept, __u32 compat)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct blob *b = kept ? bpf_task_storage_get(&blobs, task, 0, 0) : NULL;
	if (!s)
		return 0;
	if (!b) {
		take_args(s, regs_of(task), compat);
		return 0;
	}
	s->compat = compat;
	/* By the kernel: clang may share loads with those from the registers, which the verifier refuses (seen for arm64). */
	bpf_probe_read_kernel(s->arg, sizeof(b->arg), b->arg);
	return 0;
}

/* Appends the memory that was kept at the entry of the current task's call. */
GLOBAL int take_blob(struct scratch *s)
{
	struct blob *b = bpf_task_storage_get(&blobs, bpf_get_current_task_btf(), 0, 0);
	__u32 at, n;
	if (!s || !b)
		return 0;
	at = s->at & 0x3ff8;
	n = b->bytes;
	if (!n)
		return 0;
	FORGET(n);
	if (n <= BLOB_MAX) {
		bpf_probe_read_kernel(s->buf + at, n, b->data);
		s->at = at + n;
	}
	return 0;
}

INLINE _Bool is_exec(__u32 call)
{
	__u8 kind = kind_of(call);
	return kind == TRACE_CALL_EXECUTES || kind == TRACE_CALL_EXECUTES_AT;
}

/*
 * Points the arguments of the current task's call at the memory that was missed (bits) when the task had the memory mm: the kernel has
 * touched it meanwhile, or an exec has copied it.
 */
GLOBAL int point_at_missed(struct scratch *s, __u64 mm, __u32 missed, __u32 is_at, __u32 interpreted)
{
	if (!s)
		return 0;
	if (mm != (__u64)memory_of(bpf_get_current_task_btf()))
		point_at_copies(s, is_at, interpreted);
	for (int i = 0; i < 6; i++)
		if (!(missed >> i & 1))
			s->arg[i] = 0;
	return 0;
}

INLINE void go_to_missed(struct scratch *s, struct task_state *t)
{
	point_at_missed(s, t->mm, t->missed, kind_of(t->call) == TRACE_CALL_EXECUTES_AT, t->interpreted);
}

/* Fetches what was missed at entry. For a call that has ended only if it is an exec: others may have overwritten it. */
INLINE void fetch_missed(struct scratch *s, struct task_state *t, struct trace_plan *plan)
{
	__u32 compat = s->compat;
	go_to_missed(s, t);
	fetch(s, plan, TRACE_WHEN_ENTERS);
	take_entry_args(s, 1, compat);
}

INLINE _Bool is_opened(struct scratch *s, struct task_struct *task, __s32 fd)
{
	__u64 key = (__u64)task->tgid << 32 | (__u32)fd;
	if (EXTRAS.by_path == TRACE_BY_FILE)
		return is_file(s, fd);
	return bpf_map_lookup_elem(&path_fds, &key) != NULL;
}

/* PATH_* for the fetched memory and the descriptors of a call, before it closes them. */
APART int seen_of(struct scratch *s, struct task_struct *task, struct trace_plan *plan)
{
	int seen = s->has_path ? PATH_NAMED : 0;
	for (__u32 i = 0; i < TRACE_ARGS; i++)
		if ((plan->files >> i & 1) && is_opened(s, task, s->arg[i]))
			seen |= PATH_OPENED;
	return seen;
}

/* Keeps track of descriptors opened by a path with the selected prefix, and of their closing. */
INLINE void follow_fds(struct scratch *s, struct task_struct *task, struct trace_plan *plan)
{
	__u64 key = (__u64)task->tgid << 32 | (__u32)s->arg[0];
	__u32 one = 1;
	if (plan->fds & TRACE_FDS_CLOSED)
		bpf_map_delete_elem(&path_fds, &key);
	if (!(plan->fds & TRACE_FDS_RESULT) || s->ret < 0)
		return;
	key = (__u64)task->tgid << 32 | (__u32)s->ret;
	if (bpf_map_update_elem(&path_fds, &key, &one, BPF_ANY))
		__sync_fetch_and_add(&control.unfollowed, 1);
}

/*
 * Whether the fetched memory has the selected path, or a descriptor was opened by it. For a string that has the last
 * component of the file the reader also gets the working directory of the process.
 */
APART int has_path(struct scratch *s, struct task_struct *task, struct task_state *t, struct trace_plan *plan, _Bool ended)
{
	int seen = t->path | seen_of(s, task, plan);
	if (EXTRAS.by_path == TRACE_BY_PREFIX) {
		if (seen && ended)
			follow_fds(s, task, plan);
		return seen;
	}
	if (ended && (plan->fds & TRACE_FDS_RESULT) && is_file(s, s->ret))
		seen |= PATH_OPENED;
	if ((seen & PATH_OPENED) || (!seen && !(ended && (plan->fds & TRACE_FDS_MOVED))))
		return seen;
	((struct trace_event *)s->buf)->flags |= TRACE_FLAG_MAYBE;
	if (!(plan->fds & TRACE_FDS_MOVED) || s->ret < 0)
		put_directory(s);
	return 1;
}

INLINE _Bool is_on_path(struct scratch *s, struct task_struct *task, struct task_state *t, struct trace_plan *plan, _Bool ended)
{
	return !EXTRAS.by_path || has_path(s, task, t, plan, ended);
}

#define POINT_LAST_CHANCE 4 /* combined with the number of the scratch */
#define POINT_CAN_WAIT    8

/* Sends the entry of the current call as a tracepoint, with the memory that its arguments point to. */
APART int send_point(void *ctx, struct task_struct *task, struct task_state *t, struct trace_plan *plan, __u32 how)
{
	struct scratch *s = scratch_of(how & 3);
	__u64 now = bpf_ktime_get_ns();
	__u32 call = t->call;
	_Bool can_wait = how & POINT_CAN_WAIT;
	if (!s)
		return 0;
	take_entry_args(s, t->blob, call >= TRACE_NUMBERS);
	s->ret = 0;
	begin_call(s, task, t, TRACE_EVENT_POINT, now, call % TRACE_NUMBERS, args_of(plan));
	s->faults = 0;
	if (t->blob && is_exec(call)) {
		take_blob(s);
		go_to_missed(s, t);
	}
	fetch_inline(s, plan, TRACE_WHEN_POINT);
	take_entry_args(s, t->blob, call >= TRACE_NUMBERS);
	if (plan->files)
		put_files(s, plan, 0);
	/* A page is not in memory yet: the call itself will touch it. */
	t->point = s->faults && !(how & POINT_LAST_CHANCE);
	if (t->point || !is_on_path(s, task, t, plan, 0))
		return 0;
	send_stack(ctx, task, now, can_wait);
	send(s, can_wait);
	return 0;
}

INLINE _Bool is_point(__u32 call)
{
	return EXTRAS.points && call < TRACE_CALLS && (control.selected[call] & TRACE_SELECTED_POINT);
}

INLINE _Bool is_call(__u32 call)
{
	return settings.select_all || (call < TRACE_CALLS && (control.selected[call] & TRACE_SELECTED_CALL));
}

/* Fetches memory that a call may overwrite or unmap. */
INLINE void keep_entry(struct scratch *s, struct task_struct *task, struct task_state *t, struct trace_plan *plan)
{
	struct blob *b;
	__u32 n;
	s->at = 0;
	s->has_path = 0;
	s->faults = 0;
	fetch(s, plan, TRACE_WHEN_ENTERS);
	t->missed = s->faults;
	if (t->missed)
		t->mm = (__u64)memory_of(task);
	if (plan->fds & TRACE_FDS_CLOSED)
		put_files(s, plan, 0);
	if (EXTRAS.by_path)
		t->path = seen_of(s, task, plan);
	if (!s->at && !t->missed)
		return;
	b = bpf_task_storage_get(&blobs, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!b) {
		__sync_fetch_and_add(&control.unfollowed, 1);
		return;
	}
	for (int i = 0; i < 6; i++)
		b->arg[i] = s->arg[i];
	n = s->at;
	if (n > BLOB_MAX)
		n = BLOB_MAX;
	bpf_probe_read_kernel(b->data, n, s->buf);
	b->bytes = n;
	t->blob = 1;
}

/* Returns the job that remains at the entry of a call: JOB_ENTER or none. */
INLINE enum job enter(struct task_struct *task, long number)
{
	struct task_state *t = followed_by_name(task);
	struct trace_plan *plan;
	__u32 call;
	if (!t)
		return JOB_NONE;
	call = call_of(task, number);
	t->call = call;
	t->reported = REPORTED_NOT;
	t->left = 0;
	t->blob = 0;
	t->missed = 0;
	t->interpreted = 0;
	t->point = 0;
	t->path = 0;
	t->start_ns = bpf_ktime_get_ns();
	if (!control.began_ns && control.enabled && (is_call(call) || is_point(call)))
		control.began_ns = t->start_ns;
	plan = bpf_map_lookup_elem(&plans, &call);
	if (!plan)
		return JOB_NONE;
	if (is_point(call) && control.enabled)
		return JOB_ENTER;
	return plan->at_entry | plan->no_return | (plan->fds & TRACE_FDS_CLOSED) ? JOB_ENTER : JOB_NONE;
}

/* Sends a call that does not return. */
INLINE int send_entered(void *ctx, struct scratch *s, struct task_struct *task, struct task_state *t, struct trace_plan *plan)
{
	__u32 call = BELOW(TRACE_CALLS, t->call);
	if (!control.enabled || !counts_here() || EXTRAS.failures_only || EXTRAS.longer_than_ns || EXTRAS.by_path ||
	    !is_call(call))
		return 0;
	begin_call(s, task, t, TRACE_EVENT_ENTERED, t->start_ns, call % TRACE_NUMBERS, args_of(plan));
	t->reported = REPORTED;
	send_stack(ctx, task, t->start_ns, 1);
	send(s, 1);
	return 0;
}

/* JOB_ENTER */
INLINE int do_enter(void *ctx, struct task_struct *task, struct task_state *t, struct trace_plan *plan)
{
	struct scratch *s;
	__u32 call = BELOW(TRACE_CALLS, t->call);
	if (is_point(call) && control.enabled && counts_here()) {
		send_point(ctx, task, t, plan, 0 | POINT_CAN_WAIT | (plan->no_return ? POINT_LAST_CHANCE : 0));
		if (!is_call(call) && !t->point)
			return 0;
	}
	if (!(plan->at_entry | plan->no_return | (plan->fds & TRACE_FDS_CLOSED)))
		return 0;
	s = scratch_of(0);
	if (!s)
		return 0;
	take_args(s, regs_of(task), call >= TRACE_NUMBERS);
	s->ret = 0;
	if (plan->no_return)
		return send_entered(ctx, s, task, t, plan);
	keep_entry(s, task, t, plan);
	return 0;
}

INLINE int leave(void *ctx, struct task_struct *task, long number, __s64 ret, _Bool can_wait)
{
	_Bool failed = ret < 0 && ret >= -4095;
	__u32 call;
	struct task_state *t;
	struct trace_plan *plan;
	struct scratch *s;
	__u64 now;
	if (!is_chosen(number))
		return 0;
	t = followed_by_name(task);
	if (!t || !control.enabled || !counts_here())
		goto out;
	if (EXTRAS.few_calls && t->left)
		goto out;
	call = call_of(task, number);
	if (t->start_ns && is_renumbered(number, call, t->call)) {
		call = t->call;
		number = call % TRACE_NUMBERS;
	}
	if (EXTRAS.points && t->point) {
		plan = bpf_map_lookup_elem(&plans, &call);
		if (plan)
			send_point(ctx, task, t, plan, 1 | POINT_LAST_CHANCE | (can_wait ? POINT_CAN_WAIT : 0));
	}
	if (!is_call(call))
		goto out;
	if (EXTRAS.failures_only && !failed)
		goto out;
	now = bpf_ktime_get_ns();
	if (t->call != call)
		t->start_ns = 0;
	if (EXTRAS.longer_than_ns && (!t->start_ns || now - t->start_ns <= EXTRAS.longer_than_ns))
		goto out;
	s = scratch_of(1);
	plan = bpf_map_lookup_elem(&plans, &call);
	if (!s || !plan)
		goto out;
	take_entry_args(s, t->blob, call >= TRACE_NUMBERS);
	s->ret = ret;
	begin_call(s, task, t, TRACE_EVENT_CALL, now, number, args_of(plan));
	if (t->blob)
		take_blob(s);
	if (t->missed && is_exec(t->call))
		fetch_missed(s, t, plan);
	fetch(s, plan, failed ? TRACE_WHEN_FAILS : TRACE_WHEN_RETURNS);
	if (plan->files && !(plan->fds & TRACE_FDS_CLOSED))
		put_files(s, plan, 1);
	if (!is_on_path(s, task, t, plan, 1))
		goto out;
	send_stack(ctx, task, now, can_wait);
	send(s, can_wait);
out:
	if (t)
		t->start_ns = 0;
	return 0;
}

/* The same for a call that ends without its exit tracepoint. */
APART int leave_aside(void *ctx, struct task_struct *task, long number, __s64 ret, _Bool can_wait)
{
	return leave(ctx, task, number, ret, can_wait);
}

SEC("raw_tp/sys_enter")
int stream_enter(__u64 *ctx)
{
	long number = ctx[1];
	return is_chosen(number) ? go_on(ctx, enter(bpf_get_current_task_btf(), number)) : 0;
}

#ifndef TRACE_PLAIN
APART int enter_few(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 call = call_of(task, ctx[1]);
	struct task_state *t;
	if (!is_call(call) && !is_point(call))
		return JOB_NONE;
	t = followed(task);
	/* Its end cannot be reported yet. */
	if (t)
		t->stops = call >= TRACE_NUMBERS && !is_attached() && wait_for_compat();
	return enter(task, ctx[1]);
}

/*
 * Also with few_calls this is the tracepoint of all entries, since 32-bit calls, which 64-bit programs can make, too (int 0x80), have no
 * tracepoints of their own. Selected calls are handled in a separate function, so that the others, nearly all, need not save registers.
 */
SEC("raw_tp/sys_enter")
int stream_few_enter(__u64 *ctx)
{
	return is_chosen(ctx[1]) ? go_on(ctx, enter_few(ctx)) : 0;
}

/* Arguments of the exit tracepoint of a single call. */
struct call_end {
	__u64 unused;
	__s32 number, unused_too;
	__s64 result;
};

/* The return value of such a program; with 0 the kernel would hide the call from all events on that tracepoint, such as perf's. */
#define LET_PASS 1

SEC("tracepoint")
int stream_few_exit(struct call_end *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	leave(ctx, task, ctx->number, ctx->result, 1);
	return LET_PASS;
}
#endif

#define TASK_IS_STOPPED 4 /* __TASK_STOPPED of the kernel's task states */

/* Whether the task is the last of its process. Read as bytes: for a typed pointer the verifier searches all types of the kernel (1 ms). */
INLINE _Bool is_last(struct task_struct *task)
{
	struct signal_struct *signal = NULL;
	int live = 1;
	if (!bpf_probe_read_kernel(&signal, sizeof(signal), &task->signal))
		bpf_probe_read_kernel(&live, sizeof(live), &signal->live.counter);
	return live == 0;
}

/* Sends EXIT or RAN. last: the process ends with it. */
APART int send_times(struct task_struct *task, __u8 type, _Bool last)
{
	struct scratch *s = scratch_of(2);
	struct trace_event *ev;
	__u64 *args;
	if (!s)
		return 0;
	begin_aside(s, task, type);
	ev = (struct trace_event *)s->buf;
	args = (__u64 *)(s->buf + sizeof(*ev));
	ev->ret = task->exit_code;
	ev->args_nr = 3;
	args[0] = task->se.sum_exec_runtime;
	args[1] = waited_ns(task);
	args[2] = last;
	s->at += 24;
	send_aside(s);
	return 0;
}

/* Reports a call that sleeps, so that the user sees what the task waits for. */
SEC("raw_tp/sched_switch")
int stream_switch(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf(); /* the previous task (ctx[1]) is still current */
	struct task_state *t;
	if (ended(task))
		send_times(task, TRACE_EVENT_RAN, 0);
	if (!(__u32)ctx[3]) /* preempted: it is still runnable */
		return 0;
	t = is_near(task->pid) ? bpf_task_storage_get(&tasks, task, 0, 0) : NULL;
	if (!t)
		return 0;
	if (EXTRAS.few_calls && t->stops && ((__u32)ctx[3] & TASK_IS_STOPPED))
		return go_on(ctx, JOB_STOPPED);
	return go_on(ctx, t->start_ns && !t->reported && control.enabled && counts_here() ? JOB_SLEEP : JOB_NONE);
}

SEC("raw_tp/sched_process_fork")
int stream_fork(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct task_struct *child = (const struct task_struct *)ctx[1];
	struct scratch *s;
	struct trace_event *ev;
	__u32 ids[2]; /* tid, pid */
	if (!followed_by_name(task) || bpf_probe_read_kernel(ids, 4, &child->pid) || bpf_probe_read_kernel(ids + 1, 4, &child->tgid))
		return 0;
	follow_child(ids[0]);
	s = scratch_of(2);
	if (!s)
		return 0;
	begin_aside(s, task, TRACE_EVENT_FORK);
	ev = (struct trace_event *)s->buf;
	ev->args_nr = 2;
	((__u64 *)(s->buf + sizeof(*ev)))[0] = ids[0];
	((__u64 *)(s->buf + sizeof(*ev)))[1] = ids[1];
	s->at += 16;
	send_name(s, child->comm);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int stream_exec(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *t = followed_anew(task);
	struct scratch *s;
	if (!t)
		return 0;
	if (settings.has_leader && task->tgid == control.leader)
		control.enabled = 1;
	if (t->missed)
		t->interpreted = is_interpreted((const struct linux_binprm *)ctx[2]);
	s = scratch_of(2);
	if (!s)
		return 0;
	begin(s, task, TRACE_EVENT_EXEC, bpf_ktime_get_ns());
	send_name(s, task->comm);
	return go_on(ctx, EXTRAS.few_calls && is_32bit(task) && !is_attached() ? JOB_EXEC : JOB_NONE);
}

SEC("raw_tp/task_rename")
int stream_rename(__u64 *ctx)
{
	const struct task_struct *named = (const struct task_struct *)ctx[0]; /* renamed by itself, or by another */
	struct scratch *s;
	struct trace_event *ev;
	__u32 ids[2]; /* tid, pid */
	if (bpf_probe_read_kernel(ids, 4, &named->pid) || bpf_probe_read_kernel(ids + 1, 4, &named->tgid) ||
	    !is_meant(ids[0], ids[1]))
		return 0;
	s = scratch_of(2);
	if (!s)
		return 0;
	begin(s, bpf_get_current_task_btf(), TRACE_EVENT_RENAME, bpf_ktime_get_ns());
	ev = (struct trace_event *)s->buf;
	ev->tid = ids[0];
	ev->pid = ids[1];
	send_name(s, (const char *)ctx[1]);
	return 0;
}

SEC("raw_tp/signal_deliver")
int stream_signal(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *s;
	struct trace_event *ev;
	__u32 at;
	if (!followed_by_name(task) || !control.enabled || !counts_here())
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
	send(s, 0);
	return 0;
}

/* Stops following a task; returns whether it was followed. */
INLINE _Bool forget(struct task_struct *task)
{
	struct task_state *t = followed_by_name(task);
	if (!t)
		return 0;
	t->gone = 1;
	if (!settings.everyone)
		remove_target(task->pid);
	return 1;
}

SEC("raw_tp/sched_process_exit")
int stream_gone(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	return forget(task) ? send_times(task, TRACE_EVENT_EXIT, (__u8)ctx[1] != 0) : 0;
}

/*
 * The same before Linux 6.16, where the tracepoint does not say whether the task is the last one. A separate program: the kernel caches
 * few looked-up types, and would search for this type and another one of the stream each time.
 */
SEC("raw_tp/sched_process_exit")
int stream_gone_uncounted(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	return forget(task) ? send_times(task, TRACE_EVENT_EXIT, is_last(task)) : 0;
}

/* JOB_SLEEP */
INLINE int do_sleep(void *ctx, struct task_struct *task, struct task_state *t, struct trace_plan *plan)
{
	__u32 call = BELOW(TRACE_CALLS, t->call);
	struct scratch *s = scratch_of(2);
	if (!s)
		return 0;
	if (EXTRAS.points && t->point)
		send_point(ctx, task, t, plan, 2 | POINT_LAST_CHANCE);
	if (!is_call(call))
		return 0;
	if (EXTRAS.failures_only || EXTRAS.longer_than_ns)
		return 0;
	take_entry_args(s, t->blob, call >= TRACE_NUMBERS);
	s->ret = 0;
	begin_call(s, task, t, TRACE_EVENT_ENTERED, bpf_ktime_get_ns(), call % TRACE_NUMBERS, args_of(plan));
	if (t->blob)
		take_blob(s);
	s->faults = 0;
	if (t->missed)
		fetch_missed(s, t, plan);
	fetch(s, plan, TRACE_WHEN_SLEEPS);
	if (plan->files && !(plan->fds & TRACE_FDS_CLOSED))
		put_files(s, plan, 0);
	if (!is_on_path(s, task, t, plan, 0))
		return 0;
	t->reported = s->faults ? REPORTED_INCOMPLETELY : REPORTED;
	send(s, 0);
	return 0;
}

/* JOB_STOPPED: we stopped the process before the exits of 32-bit calls were attached; a call whose begin was seen has ended since. */
INLINE int do_stopped(void *ctx, struct task_struct *task, struct task_state *t)
{
	t->stops = 0;
	if (t->start_ns && t->call >= TRACE_NUMBERS)
		leave_aside(ctx, task, t->call % TRACE_NUMBERS, result_of(regs_of(task)), 0);
	let_go_on(task->tgid);
	return 0;
}

/* JOB_EXEC: the exit tracepoint of exec skips 32-bit programs, and exec ends before a stop takes effect. */
INLINE int do_exec(void *ctx, struct task_struct *task, struct task_state *t)
{
	leave_aside(ctx, task, t->call % TRACE_NUMBERS, 0, 1);
	t->left = 1;
	t->stops = wait_for_compat();
	return 0;
}

/* Does the job of another program for a task that is followed. */
INLINE int do_job(void *ctx, struct task_struct *task, __u32 job)
{
	struct task_state *t = bpf_task_storage_get(&tasks, task, 0, 0);
	struct trace_plan *plan;
	__u32 call;
	if (!t)
		return 0;
	if (EXTRAS.few_calls && job == JOB_STOPPED)
		return do_stopped(ctx, task, t);
	if (EXTRAS.few_calls && job == JOB_EXEC)
		return do_exec(ctx, task, t);
	call = t->call;
	plan = bpf_map_lookup_elem(&plans, &call);
	if (!plan)
		return 0;
	return job == JOB_ENTER ? do_enter(ctx, task, t, plan) : do_sleep(ctx, task, t, plan);
}

SEC("raw_tp/sys_exit")
int stream_exit(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 *ours = this_job(), job = ours ? *ours : JOB_NONE;
	if (job) {
		*ours = JOB_NONE;
		return do_job(ctx, task, job);
	}
	if (EXTRAS.few_calls && !is_compat(task))
		return 0;
	return leave(ctx, task, number_of(regs_of(task)), ctx[1], 1);
}

#ifndef TRACE_PLAIN
/* Sleepable programs cannot check cgroups (cgroup maps are not available to them). */
SEC("uprobe.s")
int func_enter(struct pt_regs *regs)
{
	return enter_func(regs, 0);
}

SEC("uprobe.s")
int func_return(struct pt_regs *regs)
{
	return leave_func(regs, 0, 0);
}

SEC("uprobe.s")
int func_exit(struct pt_regs *regs)
{
	return leave_func(regs, 1, 0);
}

SEC("uprobe")
int cgroup_func_enter(struct pt_regs *regs)
{
	return enter_func(regs, 1);
}

SEC("uprobe")
int cgroup_func_return(struct pt_regs *regs)
{
	return leave_func(regs, 0, 1);
}

SEC("uprobe")
int cgroup_func_exit(struct pt_regs *regs)
{
	return leave_func(regs, 1, 1);
}

SEC("kprobe/kernel")
int kernel_func_enter(struct pt_regs *regs)
{
	return enter_func(regs, 1);
}

SEC("kprobe/kernel")
int kernel_func_return(struct pt_regs *regs)
{
	return leave_func(regs, 0, 1);
}
#endif
