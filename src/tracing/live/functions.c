/* Functions of a live trace: their selection, and the lines of their calls. */
#include <stdlib.h>

#include "base/mem.h"
#include "sys/process_files.h"
#include "tracing/func/stats.h"
#include "tracing/func_calls.h"
#include "tracing/live/priv.h"

static struct func_context context_of(const struct live_trace *t)
{
	const struct target *target = &t->q.options->target;
	const char *pids = target->pids ? target->pids : target->tids;
	return (struct func_context){ .sys = t->q.sys, .pid = pids ? atoi(pids) : 0, .program = t->q.program, .str_limit = t->q.str_limit,
				      .debug = &t->func_debug };
}

struct strobe_error *live_trace_choose_functions(struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	const struct func_context where = context_of(t);
	error_destroy(session_buildid_dir(t->q.host, &t->func_debug.buildid_dir));
	t->func_debug.servers = session_servers(t->q.host);
	func_choice_init(&t->funcs);
	if (s->functions.len && t->q.options->no_bpf)
		return error_create(ERROR_USAGE, "--func requires BPF and cannot be combined with --no-bpf");
	for (size_t i = 0; i < s->functions.len; i++)
		TRY(func_choice_add(&t->funcs, &where, s->functions.data[i]));
	func_choice_finish(&t->funcs);
	for (size_t i = 0; where.pid && i < t->funcs.bpf.files_nr; i++)
		if (t->funcs.bpf.files[i].path)
			process_warn_if_replaced((uint32_t)where.pid, t->funcs.bpf.files[i].path);
	return s->function_filter ? func_filter_parse(s->function_filter, &t->func_filter) : NULL;
}

void live_trace_say_function_limits(const struct live_trace *t)
{
	if (trace_funcs_leave_out_children(&t->targets))
		session_say(t->q.host, "child processes are not traced: so many functions of a shared library are probed in the given "
			    "processes only");
}

struct func_calls *live_trace_make_function_calls(struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	struct func_calls_setup setup = {
		.choice = &t->funcs,
		.lines = t->lines,
		.filter = t->func_filter,
		.by_duration = s->duration_set,
		.longer_than_ns = (uint64_t)(s->duration_ms * 1e6),
	};
	return t->funcs.funcs.len ? func_calls_create(&setup) : NULL;
}

void live_trace_tick(const struct live_trace *t)
{
	if (t->bpf_calls.funcs)
		func_calls_tick(t->bpf_calls.funcs, sys_clock_ns(t->q.sys, CLOCK_MONOTONIC));
}

bool live_trace_function_stats(struct live_trace *t, bool histograms, struct table *ret)
{
	size_t n = t->funcs.funcs.len;
	if (!n || (!t->q.summary->only && !t->q.summary->with_lines))
		return false;
	if (t->bpf_calls.funcs && !t->summary) {
		func_stats_table(ret, &t->funcs, func_calls_rows(t->bpf_calls.funcs), histograms);
		return true;
	}
	struct trace_func_row *rows = xcalloc(n, sizeof(*rows));
	for (size_t i = 0; i < n; i++)
		rows[i] = summary_tracer_func(t->summary, (uint32_t)i);
	func_stats_table(ret, &t->funcs, rows, histograms);
	free(rows);
	return true;
}
