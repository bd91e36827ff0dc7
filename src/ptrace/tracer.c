#include "ptrace/tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "bpf/trace/trace_targets.h"
#include "ptrace/descriptor.h"

/* A call that takes longer is reported before it returns. */
#define SLEEPS_NS 20000000ull
#define COMM_BYTES 16
#define SYSCALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

struct traced_task {
	pid_t tid, pid;
	bool is_held;     /* stopped at its first instruction until its parent reports it */
	bool is_inside;   /* a call */
	bool is_reported; /* its ENTERED */
	bool is_compat;
	uint64_t start_ns, number;
	struct fetch_from from;
	struct fetched at_entry;
};

struct ptrace_tracer {
	struct ptrace_options o;
	VEC(struct traced_task *) tasks;
	struct u64map by_tid; /* index + 1 */
	pid_t command;        /* 0: none */
	uint64_t checked_ns;  /* when calls that take long were last reported */
	bool enabled;
	bool has_begun, has_ended; /* the command, its program */
	int status;                /* has_ended */
	struct {
		struct trace_event head;
		uint8_t payload[SYSCALL_ARGS * sizeof(uint64_t) + 2 * FETCHED_BYTES_MAX];
	} event;
	struct fetched at_exit;
};

/* ---- tasks ---- */

static struct traced_task *find_task(const struct ptrace_tracer *t, pid_t tid)
{
	const uint64_t *at = u64map_get(&t->by_tid, (uint64_t)tid);
	return at && *at ? t->tasks.data[*at - 1] : NULL;
}

static struct traced_task *add_task(struct ptrace_tracer *t, pid_t pid, pid_t tid)
{
	struct traced_task *task = xcalloc(1, sizeof(*task));
	task->pid = pid;
	task->tid = tid;
	vec_push(&t->tasks, task);
	*u64map_put(&t->by_tid, (uint64_t)tid, NULL) = t->tasks.len;
	return task;
}

static void remove_task(struct ptrace_tracer *t, pid_t tid)
{
	uint64_t *at = u64map_get(&t->by_tid, (uint64_t)tid);
	if (!at || !*at)
		return;
	size_t i = *at - 1;
	u64map_remove(&t->by_tid, (uint64_t)tid);
	free(t->tasks.data[i]);
	struct traced_task *last = vec_last(&t->tasks);
	t->tasks.len--;
	if (i == t->tasks.len)
		return;
	t->tasks.data[i] = last;
	*u64map_put(&t->by_tid, (uint64_t)last->tid, NULL) = i + 1;
}

static bool has_others(const struct ptrace_tracer *t, const struct traced_task *task)
{
	for (size_t i = 0; i < t->tasks.len; i++)
		if (t->tasks.data[i] != task && t->tasks.data[i]->pid == task->pid)
			return true;
	return false;
}

/* ---- events ---- */

static void begin_event(struct ptrace_tracer *t, const struct traced_task *task, enum trace_event_type type)
{
	t->event.head = (struct trace_event){
		.time_ns = sys_clock_ns(t->o.sys, CLOCK_MONOTONIC),
		.tid = (uint32_t)task->tid,
		.pid = (uint32_t)task->pid,
		.type = (uint8_t)type,
	};
}

static void put_args(struct ptrace_tracer *t, const uint64_t *args, unsigned nr)
{
	t->event.head.args_nr = (uint8_t)nr;
	memcpy(t->event.payload, args, nr * sizeof(*args));
}

/* Adds n bytes after the arguments and what is there already; returns the new end. */
static size_t put_payload(struct ptrace_tracer *t, size_t at, const void *bytes, size_t n)
{
	memcpy(t->event.payload + at, bytes, n);
	return at + n;
}

static void send_event(struct ptrace_tracer *t, size_t payload_bytes)
{
	t->o.take(t->o.ctx, &t->event.head, sizeof(t->event.head) + payload_bytes);
}

/* The event ends with the current name of a task. */
static void send_with_name(struct ptrace_tracer *t, pid_t of)
{
	char comm[COMM_BYTES] = "";
	_cleanup_free_ char *path = xasprintf("/proc/%d/comm", (int)of), *line = NULL;
	struct strobe_error *err = sys_read_line(t->o.sys, path, &line);
	if (!err)
		memcpy(comm, line, strnlen(line, sizeof(comm) - 1));
	error_destroy(err);
	send_event(t, put_payload(t, t->event.head.args_nr * sizeof(uint64_t), comm, sizeof(comm)));
}

/* ---- calls ---- */

static const struct syscall_desc *desc_of(const struct ptrace_tracer *t, const struct traced_task *task)
{
	const struct syscall_table *table = task->is_compat ? t->o.compat : t->o.native;
	return table ? syscall_table_get(table, task->number) : NULL;
}

static bool is_chosen(const struct ptrace_tracer *t, const struct traced_task *task)
{
	const struct syscall_set *set = task->is_compat ? t->o.compat_chosen : t->o.chosen;
	return !set || syscall_set_has(set, task->number);
}

static void send_call(struct ptrace_tracer *t, const struct traced_task *task, enum trace_event_type type, int64_t ret)
{
	const struct syscall_desc *desc = desc_of(t, task);
	begin_event(t, task, type);
	t->event.head.start_ns = task->start_ns;
	if (type == TRACE_EVENT_ENTERED)
		t->event.head.time_ns = task->start_ns;
	t->event.head.number = (uint32_t)task->number;
	t->event.head.flags = (uint8_t)(TRACE_FLAG_STARTED | (task->is_compat ? TRACE_FLAG_COMPAT : 0) |
					(task->is_reported ? TRACE_FLAG_RESUMED : 0));
	t->event.head.ret = ret;
	put_args(t, task->from.arg, desc && desc->nargs < SYSCALL_ARGS ? desc->nargs : SYSCALL_ARGS);
	size_t bytes = t->event.head.args_nr * sizeof(uint64_t);
	bytes = put_payload(t, bytes, task->at_entry.data, task->at_entry.bytes);
	if (type == TRACE_EVENT_CALL)
		bytes = put_payload(t, bytes, t->at_exit.data, t->at_exit.bytes);
	send_event(t, bytes);
}

static bool closes(const struct syscall_desc *desc)
{
	return desc->fds == SYSCALL_FDS_CLOSED || desc->fds == SYSCALL_FDS_CLOSED_ALL;
}

static void fetch_entry(const struct ptrace_tracer *t, struct traced_task *task)
{
	const struct syscall_desc *desc = desc_of(t, task);
	task->at_entry.bytes = 0;
	if (!desc || t->o.only_results || !is_chosen(t, task))
		return;
	fetch_at_entry(&task->at_entry, &task->from, &desc->plan);
	if (t->o.files && closes(desc))
		descriptor_put_arguments(&task->at_entry, t->o.sys, task->pid, desc, task->from.arg);
}

static void fetch_exit(struct ptrace_tracer *t, const struct traced_task *task, int64_t ret)
{
	const struct syscall_desc *desc = desc_of(t, task);
	t->at_exit.bytes = 0;
	if (!desc || t->o.only_results)
		return;
	fetch_at_exit(&t->at_exit, &task->from, &desc->plan, ret);
	if (t->o.files && !closes(desc))
		descriptor_put_arguments(&t->at_exit, t->o.sys, task->pid, desc, task->from.arg);
	if (t->o.files && desc->ret == SYSCALL_RET_FD && ret >= 0)
		descriptor_put(&t->at_exit, t->o.sys, task->pid, SYSCALL_ARGS, (int32_t)ret);
}

static void report_entered(struct ptrace_tracer *t, struct traced_task *task)
{
	if (!t->enabled || task->is_reported || !is_chosen(t, task))
		return;
	send_call(t, task, TRACE_EVENT_ENTERED, 0);
	task->is_reported = true;
}

static bool never_returns(const struct syscall_desc *desc)
{
	return desc && trace_call_kind(desc) == TRACE_CALL_ENDS;
}

static void enter(struct ptrace_tracer *t, struct traced_task *task, const struct __ptrace_syscall_info *info)
{
	/* PTRACE_SYSCALL_INFO_SECCOMP begins with the members of ENTRY. */
	task->is_compat = info->arch != arch_audit_number(arch_native());
	task->is_inside = true;
	task->is_reported = false;
	task->start_ns = sys_clock_ns(t->o.sys, CLOCK_MONOTONIC);
	task->number = info->entry.nr;
	task->from = (struct fetch_from){
		.tid = task->tid,
		.arch = task->is_compat && t->o.compat ? syscall_table_arch(t->o.native, true) : arch_native(),
		.str_limit = t->o.str_limit,
	};
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		task->from.arg[i] = task->is_compat ? (uint32_t)info->entry.args[i] : info->entry.args[i];
	fetch_entry(t, task);
	if (never_returns(desc_of(t, task)))
		report_entered(t, task);
}

/* The task has given itself a name. */
static bool renames(const struct ptrace_tracer *t, const struct traced_task *task, int64_t ret)
{
	const struct syscall_desc *desc = desc_of(t, task);
	return desc && !ret && !strcmp(desc->name, "prctl") && task->from.arg[0] == PR_SET_NAME;
}

static void leave(struct ptrace_tracer *t, struct traced_task *task, int64_t ret)
{
	if (!task->is_inside)
		return; /* it was attached to within the call */
	task->is_inside = false;
	if (!t->enabled)
		return;
	if (is_chosen(t, task)) {
		fetch_exit(t, task, ret);
		send_call(t, task, TRACE_EVENT_CALL, ret);
	}
	if (renames(t, task, ret)) {
		begin_event(t, task, TRACE_EVENT_RENAME);
		send_with_name(t, task->tid);
	}
}

static void take_call(struct ptrace_tracer *t, struct traced_task *task)
{
	struct __ptrace_syscall_info info = {};
	if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		leave(t, task, info.exit.rval);
	else if (info.op == PTRACE_SYSCALL_INFO_ENTRY || info.op == PTRACE_SYSCALL_INFO_SECCOMP)
		enter(t, task, &info);
}

/* ---- stops ---- */

static void resume(const struct ptrace_tracer *t, const struct traced_task *task, int signal)
{
	bool to_next_call = !t->o.is_filtered || task->is_inside;
	/* Fails if the task has been killed: its end is the next that is seen of it. */
	(void)ptrace(to_next_call ? PTRACE_SYSCALL : PTRACE_CONT, task->tid, NULL, (void *)(uintptr_t)signal);
}

static unsigned long message_of(pid_t tid)
{
	unsigned long message = 0;
	(void)ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message);
	return message;
}

static bool is_thread_of(const struct ptrace_tracer *t, pid_t pid, pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task/%d", (int)pid, (int)tid);
	return sys_exists(t->o.sys, path);
}

/* A task was started. It may have stopped before this is reported, and is held since. */
static void take_fork(struct ptrace_tracer *t, const struct traced_task *parent)
{
	pid_t tid = (pid_t)message_of(parent->tid);
	if (!tid)
		return;
	struct traced_task *child = find_task(t, tid);
	bool was_held = child && child->is_held;
	if (!child)
		child = add_task(t, tid, tid);
	child->pid = is_thread_of(t, parent->pid, tid) ? parent->pid : tid;
	child->is_held = false;
	begin_event(t, parent, TRACE_EVENT_FORK);
	t->event.head.flags = t->enabled ? 0 : TRACE_FLAG_ASIDE;
	put_args(t, (uint64_t[]){ (uint64_t)child->tid, (uint64_t)child->pid }, 2);
	send_with_name(t, tid);
	if (was_held)
		resume(t, child, 0);
}

/* The thread that executes a program goes on with the ID of its process; all others of it have ended. */
static void take_exec(struct ptrace_tracer *t, struct traced_task *task)
{
	pid_t former_tid = (pid_t)message_of(task->tid);
	struct traced_task *former = former_tid != task->tid ? find_task(t, former_tid) : NULL;
	if (former) {
		pid_t tid = task->tid;
		*task = *former;
		task->tid = task->from.tid = tid;
		remove_task(t, former_tid);
	}
	t->has_begun |= task->pid == t->command;
	t->enabled |= t->has_begun && !t->o.is_delayed;
	begin_event(t, task, TRACE_EVENT_EXEC);
	t->event.head.flags = t->enabled ? 0 : TRACE_FLAG_ASIDE;
	send_with_name(t, task->tid);
}

static void take_signal(struct ptrace_tracer *t, const struct traced_task *task, int signal)
{
	siginfo_t info;
	if (!t->o.signals || !t->enabled || ptrace(PTRACE_GETSIGINFO, task->tid, NULL, &info))
		return;
	begin_event(t, task, TRACE_EVENT_SIGNAL);
	put_args(t, (uint64_t[]){ (uint64_t)signal }, 1);
	send_event(t, put_payload(t, sizeof(uint64_t), &info, sizeof(info)));
}

static void take_end(struct ptrace_tracer *t, struct traced_task *task, int status)
{
	if (task->tid == t->command) {
		t->has_ended = true;
		t->status = status;
	}
	begin_event(t, task, TRACE_EVENT_EXIT);
	t->event.head.flags = t->enabled ? 0 : TRACE_FLAG_ASIDE;
	t->event.head.ret = status;
	put_args(t, (uint64_t[]){ 0, 0, !has_others(t, task) }, 3);
	send_event(t, 3 * sizeof(uint64_t));
	remove_task(t, task->tid);
}

static bool stops_a_process(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* Returns the signal with which the task goes on. */
static int take_stop(struct ptrace_tracer *t, struct traced_task *task, int signal, int event)
{
	switch (event) {
	case 0:
		if (signal != SYSCALL_STOP) {
			take_signal(t, task, signal);
			return signal;
		}
		take_call(t, task);
		return 0;
	case PTRACE_EVENT_SECCOMP:
		take_call(t, task);
		return 0;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		take_fork(t, task);
		return 0;
	case PTRACE_EVENT_EXEC:
		take_exec(t, task);
		return 0;
	default:
		return 0;
	}
}

static void take_status(struct ptrace_tracer *t, pid_t tid, int status)
{
	struct traced_task *task = find_task(t, tid);
	if (!WIFSTOPPED(status)) {
		if (task)
			take_end(t, task, status);
		return;
	}
	int signal = WSTOPSIG(status), event = status >> 16;
	if (!task) { /* a child, before its parent reports it */
		add_task(t, tid, tid)->is_held = true;
		return;
	}
	if (event == PTRACE_EVENT_STOP && stops_a_process(signal)) {
		(void)ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		return;
	}
	resume(t, task, take_stop(t, task, signal, event));
}

void ptrace_tracer_take(struct ptrace_tracer *t)
{
	int status;
	pid_t tid;
	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0 || (tid < 0 && errno == EINTR))
		if (tid > 0)
			take_status(t, tid, status);
}

/* ---- calls that take long ---- */

static bool is_waiting(const struct traced_task *task)
{
	return task->is_inside && !task->is_reported;
}

int ptrace_tracer_wait_ms(const struct ptrace_tracer *t)
{
	for (size_t i = 0; i < t->tasks.len && t->enabled; i++)
		if (is_waiting(t->tasks.data[i]) && is_chosen(t, t->tasks.data[i]))
			return (int)(SLEEPS_NS / 1000000);
	return -1;
}

void ptrace_tracer_report_sleeping(struct ptrace_tracer *t)
{
	uint64_t now = sys_clock_ns(t->o.sys, CLOCK_MONOTONIC);
	if (now - t->checked_ns < SLEEPS_NS / 4)
		return;
	t->checked_ns = now;
	for (size_t i = 0; i < t->tasks.len; i++)
		if (is_waiting(t->tasks.data[i]) && now - t->tasks.data[i]->start_ns >= SLEEPS_NS)
			report_entered(t, t->tasks.data[i]);
}

/* ---- beginning and end ---- */

struct ptrace_tracer *ptrace_tracer_create(const struct ptrace_options *o)
{
	struct ptrace_tracer *t = xcalloc(1, sizeof(*t));
	t->o = *o;
	return t;
}

static struct strobe_error *seize(struct ptrace_tracer *t, pid_t pid, pid_t tid, unsigned long options)
{
	options |= PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC;
	if (t->o.inherit)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)options))
		return error_errno(errno, "cannot trace task %d by ptrace (does another program trace it, or does "
				   "/proc/sys/kernel/yama/ptrace_scope forbid it?)", (int)tid);
	add_task(t, pid, tid);
	return NULL;
}

struct strobe_error *ptrace_tracer_add_command(struct ptrace_tracer *t, pid_t pid)
{
	t->command = pid;
	TRY(seize(t, pid, pid, PTRACE_O_EXITKILL | (t->o.is_filtered ? PTRACE_O_TRACESECCOMP : 0)));
	/* Its calls are seen from the next stop on. */
	if (!t->o.is_filtered && ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		return error_errno(errno, "cannot stop the command");
	return NULL;
}

struct strobe_error *ptrace_tracer_add_thread(struct ptrace_tracer *t, pid_t pid, pid_t tid)
{
	t->enabled = !t->o.is_delayed;
	TRY(seize(t, pid, tid, 0));
	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return NULL;
}

void ptrace_tracer_enable(struct ptrace_tracer *t)
{
	t->o.is_delayed = false;
	t->enabled = true;
}

bool ptrace_tracer_has_begun(const struct ptrace_tracer *t)
{
	return t->has_begun || t->has_ended;
}

bool ptrace_tracer_has_tasks(const struct ptrace_tracer *t)
{
	return t->tasks.len;
}

bool ptrace_tracer_command_status(const struct ptrace_tracer *t, int *ret)
{
	*ret = t->status;
	return t->has_ended;
}

/* Only a stopped task can be let go; a signal that stops it reaches it. */
static void let_go(const struct ptrace_tracer *t, pid_t tid)
{
	int status;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return;
	int signal = WSTOPSIG(status);
	bool is_signal = !(status >> 16) && signal != SYSCALL_STOP;
	(void)ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)(is_signal ? signal : 0));
}

void ptrace_tracer_destroy(struct ptrace_tracer *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->tasks.len; i++) {
		pid_t tid = t->tasks.data[i]->tid;
		if (t->o.is_filtered)
			kill(tid, SIGKILL);
		else
			let_go(t, tid);
		free(t->tasks.data[i]);
	}
	vec_deinit(&t->tasks);
	u64map_deinit(&t->by_tid);
	free(t);
}
