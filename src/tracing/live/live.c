#include "tracing/live/live.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "sys/priority.h"
#include "tracing/live/priv.h"

#define TICK_MS 5

static bool has_stacks(const struct live_trace_options *o)
{
	return o->callgraph.mode != CALLGRAPH_NONE || o->kernel_graph;
}

bool live_trace_has_events(const struct trace_selection *s, const struct live_trace_options *o)
{
	return s->events.events.len || s->minor_faults || s->major_faults || o->sort_events || o->print_sample;
}

bool live_trace_needs_rings(const struct trace_selection *s, const struct live_trace_options *o)
{
	return live_trace_has_events(s, o) || has_stacks(o);
}

static bool has_all_that_open(const struct syscall_table *table, const struct syscall_set *chosen)
{
	const struct syscall_desc *const *all;
	for (size_t i = 0, n = table ? syscall_table_all(table, &all) : 0; i < n; i++)
		if ((all[i]->fds != SYSCALL_FDS_KEPT || all[i]->ret == SYSCALL_RET_FD) && !syscall_set_has(chosen, all[i]->number))
			return false;
	return true;
}

/* Calls are selected where they are traced, by BPF programs; otherwise, and for a summary of all, their lines are. */
static bool chooses_before(const struct live_trace *t)
{
	return !t->q.summary->with_lines && !t->by_rings && !t->by_ptrace;
}

bool live_trace_sees_files(const struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	const struct live_trace_options *o = t->q.options;
	bool by_result = chooses_before(t) && (s->failure || s->duration_set);
	if (by_result || s->path || o->target.cpus || o->target.tids || o->no_inherit || !trace_selects_calls(s))
		return false;
	return t->calls.all || (has_all_that_open(t->calls.native, &t->calls.chosen) &&
				has_all_that_open(t->calls.compat, &t->calls.compat_chosen));
}

/* There are neither lines nor events. */
static bool sums_in_kernel(const struct live_trace *t)
{
	return t->q.summary->only && t->q.summary->in_kernel && !t->by_rings && !t->by_ptrace && !has_stacks(t->q.options);
}

void live_trace_make_lines(struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	const struct trace_summary *sums = t->q.summary;
	bool chosen_before = chooses_before(t);
	struct trace_lines_setup setup = {
		.sink = t->q.sink,
		.sys = t->q.sys,
		/* The kernel counts by cgroup. */
		.counts = sums->only || (sums->with_lines && sums->by != SYSCALL_STATS_BY_CGROUP),
		.only_stats = sums->only,
		.by_stack = sums->only && has_stacks(t->q.options),
		.by = sums->by,
		.sched = sums->sched,
		.all_new = t->follows_command,
		.files = live_trace_sees_files(t) ? OPEN_FILES_FOLLOWED : t->by_rings ? OPEN_FILES_LOOKED_UP : OPEN_FILES_GIVEN,
		.failures_only = s->failure && !chosen_before,
		.by_duration = s->duration_set && !chosen_before,
		.longer_than_ns = (uint64_t)(s->duration_ms * 1e6),
		.max_lines = s->max_events,
	};
	t->lines = trace_lines_create(&setup);
	t->bpf_calls = (struct trace_calls){
		.native = t->calls.native,
		.compat = t->calls.compat,
		.path = &t->path,
		.lines = t->lines,
		.funcs = live_trace_make_function_calls(t),
		.signals = trace_selects_signals(s, sums),
		.processes = trace_selects_processes(s, sums),
		.sched = sums->sched,
	};
	if (!sums_in_kernel(t))
		live_trace_read_tasks(t, trace_lines_tasks(t->lines));
}

/* At normal priority a busy CPU makes the reader late. */
void live_trace_raise_priority(void)
{
	/* A cgroup may have no share of real time: even root is refused then. */
	if (sys_set_realtime(1) && sys_set_nice_highest())
		log_info("reading at normal priority: real-time priority is not permitted (requires CAP_SYS_NICE)");
}

struct strobe_error *live_trace_create(const struct live_trace_request *q, struct live_trace **ret)
{
	struct live_trace *t = *ret = xcalloc(1, sizeof(*t));
	const struct trace_selection *s = q->selection;
	t->q = *q;
	t->wake_fd = -1;
	arena_init(&t->stats.arena);
	arena_init(&t->names);
	TRY(call_choice_make(&t->calls, arch_native(), trace_selects_calls(s) ? s->calls : NULL));
	if (!t->calls.native)
		return error_create(ERROR_UNSUPPORTED, "no system call table for this architecture");
	t->calls.all = !s->calls && trace_selects_calls(s);
	live_trace_make_filter(t);
	if (s->path)
		path_choice_init(&t->path, s->path);
	TRY(live_trace_choose_functions(t));
	return live_trace_find_cgroup(t);
}

/* --- sources --- */

static void close_sources(struct live_trace *t)
{
	live_trace_close_rings(t);
	stream_tracer_leave_behind(t->tracer);
	stream_tracer_close(take_ptr(t->tracer));
	summary_tracer_close(take_ptr(t->summary));
	ptrace_tracer_destroy(take_ptr(t->ptracer));
	func_calls_destroy(take_ptr(t->bpf_calls.funcs));
	trace_lines_destroy(take_ptr(t->lines));
	t->wake_fd = -1;
}

static struct strobe_error *open_calls(struct live_trace *t)
{
	const struct trace_summary *s = t->q.summary;
	live_trace_make_lines(t);
	if (sums_in_kernel(t))
		return live_trace_open_summary(t);
	TRY(live_trace_open_stream(t));
	return s->with_lines && s->by == SYSCALL_STATS_BY_CGROUP ? live_trace_open_summary(t) : NULL;
}

static struct strobe_error *open_sources(struct live_trace *t)
{
	bool events = live_trace_needs_rings(t->q.selection, t->q.options);
	if (!t->by_rings)
		return events ? live_trace_open_events(t) : open_calls(t);
	if (t->q.options->map_dump)
		return error_create(ERROR_UNSUPPORTED, "--map-dump requires BPF");
	return events ? live_trace_open_events(t) : live_trace_open_rings(t);
}

static void say_limits(const struct live_trace *t)
{
	if (!t->q.summary->only)
		session_say(t->q.host, "tracepoints have no data behind pointers: names, buffers and structs are printed as "
			"addresses; signals, starts and exits of tasks are missing");
}

/* Where neither BPF nor tracepoints can be used, but the tasks may be traced as strace does it. */
static bool open_by_ptrace(struct live_trace *t, const struct strobe_error *why)
{
	close_sources(t);
	t->by_rings = false;
	t->by_ptrace = true;
	struct strobe_error *err = live_trace_open_ptrace(t);
	if (!err)
		session_say(t->q.host, "%s; using ptrace instead, which stops each call twice, as strace does", why->message);
	else
		log_info("not by ptrace: %s", err->message);
	bool is_open = !err;
	error_destroy(err);
	return is_open;
}

/* Where BPF cannot be used. Takes the error that says so. */
static struct strobe_error *open_without_bpf(struct live_trace *t, struct strobe_error *why)
{
	close_sources(t);
	t->by_rings = true;
	struct strobe_error *err = open_sources(t);
	if (!err) {
		session_say(t->q.host, "%s; using tracepoints instead", why->message);
		say_limits(t);
	} else if (open_by_ptrace(t, why)) {
		error_destroy(take_ptr(err));
	} else {
		err = error_prefix(err, "cannot trace: BPF is unavailable (%s), and so are tracepoints", why->message);
	}
	error_destroy(why);
	return err;
}

struct strobe_error *live_trace_open(struct live_trace *t, pid_t command)
{
	bool calls = trace_selects_calls(t->q.selection);
	TRY(live_trace_find_tasks(t, command));
	t->by_rings = t->q.options->no_bpf && calls;
	struct strobe_error *err = open_sources(t);
	if (!err && t->by_rings)
		say_limits(t);
	bool can_do_without = !t->by_rings && calls && !t->funcs.funcs.len &&
			      (error_is(err, ERROR_UNSUPPORTED) || error_is(err, ERROR_PERMISSION));
	return err && can_do_without ? open_without_bpf(t, err) : err;
}

void live_trace_enable(struct live_trace *t)
{
	if (t->tracer)
		stream_tracer_enable(t->tracer, true);
	if (t->summary)
		summary_tracer_enable(t->summary, true);
	if (t->capture)
		capture_enable(t->capture);
	if (t->ptracer)
		ptrace_tracer_enable(t->ptracer);
}

/* --- the run --- */

struct strobe_error *live_trace_run(struct live_trace *t)
{
	live_trace_begin(t);
	if (t->ptracer)
		return live_trace_run_ptrace(t);
	if (t->capture) {
		struct strobe_error *err = trace_events_read(t->events, t->session.source);
		t->ended = true;
		return err;
	}
	while (!t->ended) {
		TRY(live_trace_wait(t, t->tracer ? TICK_MS : -1));
		if (t->ended || !t->tracer)
			continue;
		live_trace_drain_stream(t);
		t->ended = trace_lines_ended(t->lines);
	}
	return NULL;
}

struct strobe_error *live_trace_finish(struct live_trace *t, const struct syscall_stats **ret_stats)
{
	*ret_stats = NULL;
	if (t->tracer)
		stream_tracer_stop(t->tracer);
	if (t->capture) {
		TRY(live_trace_finish_rings(t));
	} else if (t->tracer) {
		live_trace_drain_stream(t);
		live_trace_say_lost(t, 0);
	}
	if (t->bpf_calls.funcs)
		func_calls_finish(t->bpf_calls.funcs);
	trace_lines_finish(t->lines);
	if (t->summary) {
		TRY(live_trace_read_summary(t));
		*ret_stats = &t->stats;
	} else if (t->q.summary->only || t->q.summary->with_lines) {
		*ret_stats = trace_lines_stats(t->lines);
	}
	return NULL;
}

void live_trace_destroy(struct live_trace *t)
{
	if (!t)
		return;
	close_sources(t);
	syscall_stats_deinit(&t->stats);
	arena_deinit(&t->names);
	target_map_deinit(&t->map);
	path_choice_deinit(&t->path);
	call_choice_deinit(&t->calls);
	call_filter_deinit(&t->filter);
	func_choice_deinit(&t->funcs);
	func_filter_destroy(t->func_filter);
	free(t->cgroup);
	free(t);
}

/* --- what is known --- */

struct trace_tasks *live_trace_tasks(struct live_trace *t)
{
	return trace_lines_tasks(t->lines);
}

bool live_trace_follows_command(const struct live_trace *t)
{
	return t->follows_command;
}

bool live_trace_has_one_task(const struct live_trace *t)
{
	return t->q.options->no_inherit && !t->map.system_wide && t->map.threads.len == 1;
}

struct live_trace_totals live_trace_totals(struct live_trace *t)
{
	const struct trace_tasks *tasks = trace_lines_tasks(t->lines);
	struct stream_losses l = t->tracer ? stream_tracer_losses(t->tracer) : (struct stream_losses){};
	return (struct live_trace_totals){
		.lines = trace_lines_count(t->lines),
		.tasks = tasks->all.len,
		.name_lookups = tasks->name_lookups,
		.fd_lookups = tasks->files.lookups,
		.lost = l.events + l.missed,
		.has_delayed = t->tracer != NULL,
		.delayed = t->tracer ? stream_tracer_waits(t->tracer) : 0,
	};
}

void live_trace_dump(const struct live_trace *t, struct out *out)
{
	const char *map = t->q.options->map_dump;
	if (t->tracer)
		stream_tracer_dump(t->tracer, map, out);
	else if (t->summary)
		summary_tracer_dump(t->summary, map, out);
}
