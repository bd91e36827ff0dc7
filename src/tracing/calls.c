#include "tracing/calls.h"

#include "record/sample.h"

static const uint64_t *args_of(const struct trace_event *ev)
{
	return (const uint64_t *)(ev + 1);
}

static struct trace_line line_of(const struct trace_event *ev, enum trace_line_kind kind)
{
	return (struct trace_line){ .kind = kind, .time_ns = ev->time_ns, .tid = ev->tid, .pid = ev->pid, .cpu = ev->cpu };
}

static void take_call(const struct trace_calls *c, const struct trace_event *ev, size_t bytes,
		      const struct resolved_frame *frames, uint32_t frames_nr)
{
	bool compat = ev->flags & TRACE_FLAG_COMPAT;
	const struct syscall_table *table = compat ? c->compat : c->native;
	const struct syscall_desc *desc = table ? syscall_table_get(table, ev->number) : NULL;
	struct syscall_desc unknown;
	char name[24];
	struct syscall_event call;
	if (!desc) {
		unknown = syscall_desc_unknown(syscall_table_arch(c->native, compat), ev->number, &name);
		desc = &unknown;
	}
	call.desc = desc;
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		call.arg[i] = i < ev->args_nr ? args_of(ev)[i] : 0;
	call.ret = ev->ret;
	call.has_ret = ev->type == TRACE_EVENT_CALL;
	call.pid = ev->pid;
	call.payload.nr = 0;
	size_t head = sizeof(*ev) + ev->args_nr * sizeof(uint64_t);
	syscall_payload_add(&call.payload, (const uint8_t *)ev + head, bytes - head);
	if ((ev->flags & TRACE_FLAG_MAYBE) && !path_choice_has(c->path, &trace_lines_tasks(c->lines)->files, &call))
		return;
	struct trace_line line = line_of(ev, call.has_ret ? TRACE_LINE_CALL : TRACE_LINE_ENTERED);
	line.call = &call;
	line.chain = frames;
	line.chain_nr = frames_nr;
	line.start_unknown = !ev->start_ns;
	line.args_completed = ev->flags & TRACE_FLAG_COMPLETED;
	line.time_ns = ev->start_ns ? ev->start_ns : ev->time_ns;
	line.has_duration = call.has_ret && ev->start_ns;
	line.duration_ns = line.has_duration ? ev->time_ns - ev->start_ns : 0;
	line.depth = c->funcs ? func_calls_open(c->funcs, ev->tid) : 0;
	if (ev->type == TRACE_EVENT_POINT)
		trace_lines_entry_point(c->lines, &line);
	else
		trace_lines_call(c->lines, &line, desc->number + (compat ? TRACE_NUMBERS : 0));
}

/* The name after the arguments. */
static void rename_task(const struct trace_calls *c, uint32_t tid, uint32_t pid, const struct trace_event *ev, size_t bytes)
{
	const char *comm = (const char *)(args_of(ev) + ev->args_nr);
	trace_lines_rename(c->lines, tid, pid, comm, bytes - sizeof(*ev) - ev->args_nr * sizeof(uint64_t));
}

static void take_fork(const struct trace_calls *c, const struct trace_event *ev, size_t bytes)
{
	uint32_t tid = (uint32_t)args_of(ev)[0], pid = (uint32_t)args_of(ev)[1];
	struct trace_tasks *tasks = trace_lines_tasks(c->lines);
	trace_task_new(tasks, tid, pid);
	rename_task(c, tid, pid, ev, bytes);
	if (pid != ev->pid)
		open_files_inherit(&tasks->files, ev->pid, pid);
	if (!c->processes || (ev->flags & TRACE_FLAG_ASIDE))
		return;
	struct trace_line line = line_of(ev, TRACE_LINE_FORK);
	line.child_tid = tid;
	line.child_pid = pid;
	trace_lines_other(c->lines, &line);
}

static void take_exit(const struct trace_calls *c, const struct trace_event *ev)
{
	if (c->sched)
		trace_lines_ran(c->lines, ev->tid, ev->pid, args_of(ev)[0], args_of(ev)[1]);
	if (args_of(ev)[2])
		open_files_end(&trace_lines_tasks(c->lines)->files, ev->pid);
	if (!c->processes || (ev->flags & TRACE_FLAG_ASIDE))
		return;
	struct trace_line line = line_of(ev, TRACE_LINE_EXIT);
	line.exit_code = (uint32_t)ev->ret;
	line.last_thread = args_of(ev)[2];
	trace_lines_other(c->lines, &line);
}

static void take_signal(const struct trace_calls *c, const struct trace_event *ev, size_t bytes)
{
	struct trace_line line = line_of(ev, TRACE_LINE_SIGNAL);
	line.signal = (uint32_t)args_of(ev)[0];
	line.siginfo = args_of(ev) + ev->args_nr;
	line.arch = arch_native();
	line.siginfo_bytes = (uint32_t)(bytes - sizeof(*ev) - ev->args_nr * sizeof(uint64_t));
	trace_lines_other(c->lines, &line);
}

void trace_calls_take(const struct trace_calls *c, const struct trace_event *ev, size_t bytes,
		      const struct resolved_frame *frames, uint32_t frames_nr)
{
	bool ends_functions = ev->type == TRACE_EVENT_EXEC || ev->type == TRACE_EVENT_EXIT;
	if (c->funcs && ends_functions)
		func_calls_take(c->funcs, ev, bytes, NULL, 0);
	switch (ev->type) {
	case TRACE_EVENT_FUNC:
	case TRACE_EVENT_FUNC_RETURN:
		if (c->funcs)
			func_calls_take(c->funcs, ev, bytes, frames, frames_nr);
		break;
	case TRACE_EVENT_CALL:
	case TRACE_EVENT_ENTERED:
	case TRACE_EVENT_POINT:
		take_call(c, ev, bytes, frames, frames_nr);
		break;
	case TRACE_EVENT_FORK:
		if (ev->args_nr >= 2)
			take_fork(c, ev, bytes);
		break;
	case TRACE_EVENT_EXEC:
		open_files_forget(&trace_lines_tasks(c->lines)->files, ev->pid);
		rename_task(c, ev->tid, ev->pid, ev, bytes);
		break;
	case TRACE_EVENT_RENAME:
		rename_task(c, ev->tid, ev->pid, ev, bytes);
		break;
	case TRACE_EVENT_EXIT:
		if (ev->args_nr >= 3)
			take_exit(c, ev);
		break;
	case TRACE_EVENT_RAN:
		if (ev->args_nr >= 3 && c->sched)
			trace_lines_ran(c->lines, ev->tid, ev->pid, args_of(ev)[0], args_of(ev)[1]);
		break;
	case TRACE_EVENT_SIGNAL:
		if (ev->args_nr && c->signals)
			take_signal(c, ev, bytes);
		break;
	default:
		break;
	}
}
