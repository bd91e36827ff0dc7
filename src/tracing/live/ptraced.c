/* A live trace by ptrace, for users without permission for more. */
#include "tracing/live/priv.h"

void live_trace_make_filter(struct live_trace *t)
{
	const struct arch *compat = t->calls.compat ? syscall_table_arch(t->calls.native, true) : NULL;
	if (t->calls.all || !trace_selects_calls(t->q.selection) ||
	    !call_filter_make(&t->filter, arch_native(), &t->calls.chosen, compat, &t->calls.compat_chosen))
		return;
	t->filter_program = (struct sock_fprog){ .len = (unsigned short)t->filter.code.len, .filter = t->filter.code.data };
}

const struct sock_fprog *live_trace_filter(const struct live_trace *t)
{
	return t->filter_program.len ? &t->filter_program : NULL;
}

bool live_trace_waits(const struct live_trace *t)
{
	return t->by_ptrace;
}

bool live_trace_is_filtered(const struct live_trace *t)
{
	return t->by_ptrace && t->follows_command && t->filter_program.len;
}

bool live_trace_command_status(const struct live_trace *t, int *ret)
{
	return t->ptracer && ptrace_tracer_command_status(t->ptracer, ret);
}

static struct strobe_error *check(const struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	const struct live_trace_options *o = t->q.options;
	if (t->map.system_wide || o->target.cpus || t->cgroup)
		return error_create(ERROR_UNSUPPORTED, "ptrace traces a command or processes (-p, -t)");
	if (live_trace_needs_rings(s, o) || s->functions.len || o->map_dump)
		return error_create(ERROR_UNSUPPORTED, "ptrace has no events, functions and call graphs");
	if (s->path || s->excluded.len)
		return error_create(ERROR_UNSUPPORTED, "-P and --filter-pids require BPF");
	if (t->q.summary->sched || t->q.summary->by == SYSCALL_STATS_BY_CGROUP)
		return error_create(ERROR_UNSUPPORTED, "--sched and --summary-mode cgroup require BPF");
	return NULL;
}

static void take_event(void *ctx, const struct trace_event *ev, size_t bytes)
{
	struct live_trace *t = ctx;
	if (ev->type == TRACE_EVENT_EXEC)
		live_trace_follow_exec(t, ev->pid);
	if (!trace_lines_ended(t->lines))
		trace_calls_take(&t->bpf_calls, ev, bytes, NULL, 0);
}

static struct ptrace_options options_of(struct live_trace *t)
{
	return (struct ptrace_options){
		.sys = t->q.sys,
		.native = t->calls.native,
		.compat = t->calls.compat,
		.chosen = t->calls.all ? NULL : &t->calls.chosen,
		.compat_chosen = t->calls.all ? NULL : &t->calls.compat_chosen,
		.str_limit = t->q.str_limit,
		.inherit = !t->q.options->no_inherit,
		.signals = trace_selects_signals(t->q.selection, t->q.summary),
		.only_results = t->q.summary->only,
		.files = !live_trace_sees_files(t),
		.is_filtered = live_trace_is_filtered(t),
		.is_delayed = t->q.options->delay_ms != 0,
		.take = take_event,
		.ctx = t,
	};
}

struct strobe_error *live_trace_open_ptrace(struct live_trace *t)
{
	TRY(check(t));
	live_trace_make_lines(t);
	const struct ptrace_options options = options_of(t);
	t->ptracer = ptrace_tracer_create(&options);
	if (t->follows_command)
		return ptrace_tracer_add_command(t->ptracer, t->command);
	for (size_t i = 0; i < t->map.threads.len; i++)
		TRY(ptrace_tracer_add_thread(t->ptracer, t->map.threads.data[i].pid, t->map.threads.data[i].tid));
	return NULL;
}

/* Takes stops; without any until the next report of calls that take long, waits. */
static struct strobe_error *go_on(struct live_trace *t)
{
	ptrace_tracer_take(t->ptracer);
	ptrace_tracer_report_sleeping(t->ptracer);
	t->ended |= !ptrace_tracer_has_tasks(t->ptracer) || trace_lines_ended(t->lines);
	return t->ended ? NULL : live_trace_wait(t, ptrace_tracer_wait_ms(t->ptracer));
}

struct strobe_error *live_trace_await_command(struct live_trace *t)
{
	while (t->ptracer && t->follows_command && !t->ended && !ptrace_tracer_has_begun(t->ptracer))
		TRY(go_on(t));
	return NULL;
}

struct strobe_error *live_trace_run_ptrace(struct live_trace *t)
{
	while (!t->ended)
		TRY(go_on(t));
	return NULL;
}
