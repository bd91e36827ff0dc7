/*
 * The kernel's rings in a live trace: tracepoints, page faults, and without BPF system calls by their tracepoints, in which
 * pointers are shown as addresses.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "record/order.h"
#include "tracing/live/priv.h"

#define RINGS_TICK_MS  100 /* lines appear this soon, however slowly a ring fills */
#define EVENTS_TICK_MS 5
#define RINGS_PAGES    1024

struct strobe_error *live_trace_check_rings(const struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	if (t->q.summary->by == SYSCALL_STATS_BY_CGROUP)
		return error_create(ERROR_UNSUPPORTED, "--summary-mode cgroup requires BPF");
	if ((s->signals_set && s->signals) || (s->processes_set && s->processes))
		return error_create(ERROR_UNSUPPORTED, "--signals and --processes require BPF");
	if (t->q.summary->sched)
		return error_create(ERROR_UNSUPPORTED, "--sched requires BPF");
	if (s->path)
		return error_create(ERROR_UNSUPPORTED, "-P requires BPF: tracepoints have no paths");
	return NULL;
}

static bool pairs_calls(const struct live_trace *t)
{
	return t->by_rings && trace_selects_calls(t->q.selection);
}

/* --- which events --- */

static void set_filter(struct event_list *list, struct event *e, const struct syscall_set *calls)
{
	_cleanup_free_ char *filter = call_choice_filter(calls);
	e->filter = arena_strdup(&list->arena, filter);
}

/* On x86 execveat ends with the number of execve. */
static void add_ends_of_execs(const struct call_choice *c, struct syscall_set *calls)
{
	const struct syscall_desc *at = syscall_table_find(c->native, "execveat"), *plain = syscall_table_find(c->native, "execve");
	if (at && plain && syscall_set_has(&c->chosen, at->number))
		calls->bits[plain->number / 64] |= 1ULL << plain->number % 64;
}

/* Adds the tracepoints of the selected calls. */
static struct strobe_error *add_calls(const struct live_trace *t, struct event_list *list)
{
	size_t first = list->events.len;
	if (!pairs_calls(t))
		return NULL;
	TRY(event_parse(list, t->q.sys, "raw_syscalls:sys_enter,raw_syscalls:sys_exit"));
	if (t->calls.all)
		return NULL;
	/* The width of a call is known only from its sample. */
	struct syscall_set either = t->calls.chosen;
	for (size_t i = 0; i < SYSCALL_NUMBERS / 64; i++)
		either.bits[i] |= t->calls.compat_chosen.bits[i];
	set_filter(list, &list->events.data[first], &either);
	add_ends_of_execs(&t->calls, &either);
	set_filter(list, &list->events.data[first + 1], &either);
	return NULL;
}

static bool is_switch(const struct trace_selection *s, const char *name)
{
	return (s->switch_on && !strcmp(name, s->switch_on)) || (s->switch_off && !strcmp(name, s->switch_off));
}

/*
 * BPF programs handle entries of calls, since they can read the memory of arguments, except events with filters, terms or
 * switching, for which the tracepoint itself is used.
 */
static bool take_as_entry(struct live_trace *t, const struct event *e)
{
	_cleanup_error_ struct strobe_error *missing = trace_targets_check(t->q.sys);
	bool is_entry = e->system && !strcmp(e->system, "syscalls") && !strncmp(e->tracepoint, "sys_enter_", 10);
	const struct syscall_desc *d = is_entry ? syscall_table_find(t->calls.native, e->tracepoint + 10) : NULL;
	if (missing || t->by_rings || !d || e->filter || e->terms.set || is_switch(t->q.selection, e->name))
		return false;
	t->targets.points[d->number / 64] |= 1ULL << d->number % 64;
	return true;
}

static void add_selected(struct live_trace *t, struct event_list *list)
{
	const struct event_list *from = &t->q.selection->events;
	for (size_t i = 0; i < from->events.len; i++) {
		if (take_as_entry(t, &from->events.data[i]))
			continue;
		vec_push(&list->events, from->events.data[i]);
		struct event *last = &vec_last(&list->events);
		last->leader = (uint32_t)list->events.len - 1;
		if (last->kind == EVENT_SOFTWARE && !last->attr.sample_period)
			last->attr.sample_period = 1;
	}
}

static void add_fault_event(struct event_list *list, uint64_t config, const char *name)
{
	struct event *e = event_list_add(list, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, config, name);
	e->attr.sample_period = 1;
}

/* Excludes tasks in filters of tracepoints, by common_pid, the thread ID. */
static void exclude_pids(struct event_list *list, const struct trace_selection *s)
{
	if (!s->excluded.len)
		return;
	_cleanup_strbuf_ struct strbuf pids = {};
	for (size_t i = 0; i < s->excluded.len; i++)
		strbuf_addf(&pids, "%scommon_pid != %d", i ? " && " : "", (int)s->excluded.data[i]);
	for (size_t i = 0; i < list->events.len; i++) {
		struct event *e = &list->events.data[i];
		if (e->kind == EVENT_TRACEPOINT)
			e->filter = e->filter ? arena_printf(&list->arena, "(%s) && (%s)", e->filter, strbuf_str(&pids)) :
						arena_strdup(&list->arena, strbuf_str(&pids));
	}
}

static struct strobe_error *make_events(struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	struct event_list list;
	event_list_init(&list);
	add_selected(t, &list);
	if (s->major_faults)
		add_fault_event(&list, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults");
	if (s->minor_faults)
		add_fault_event(&list, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults");
	struct strobe_error *err = add_calls(t, &list);
	exclude_pids(&list, s);
	if (!err && t->q.options->cgroup)
		err = event_list_set_cgroups(&list, t->q.options->cgroup);
	event_set_init(&t->set, t->q.sys);
	event_set_add_list(&t->set, &list);
	if (!list.events.len)
		event_set_add_dummy(&t->set);
	event_list_deinit(&list);
	if (err)
		event_set_deinit(&t->set);
	return err;
}

/* --- the capture --- */

static struct capture_options options_of_both(const struct live_trace *t)
{
	const struct live_trace_options *o = t->q.options;
	struct capture_options c;
	capture_options_init(&c);
	c.target = t->target;
	c.no_inherit = o->no_inherit;
	c.mmap_pages = o->ring_bytes_set ? o->ring_bytes >> 12 : 0;
	c.delay_ms = o->delay_ms ? -1 : 0;
	if (pairs_calls(t))
		c.user_regs = call_choice_registers();
	return c;
}

static struct capture_options options_of_rings(const struct live_trace *t)
{
	struct capture_options c = options_of_both(t);
	c.freq_hz = 0;
	c.period = 1;
	c.period_set = true;
	c.raw_samples = true;
	c.no_bpf_event = true;
	if (!c.mmap_pages)
		c.mmap_pages = RINGS_PAGES;
	return c;
}

static bool needs_symbols(const struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	if (t->q.options->callgraph.mode != CALLGRAPH_NONE || t->q.options->kernel_graph || trace_selects_faults(s))
		return true;
	for (size_t i = 0; i < s->events.events.len; i++)
		if (s->events.events.data[i].terms.set & (EVENT_TERM_CALL_GRAPH | EVENT_TERM_MAX_STACK))
			return true;
	return false;
}

static struct capture_options options_of_events(const struct live_trace *t)
{
	const struct live_trace_options *o = t->q.options;
	struct capture_options c = options_of_both(t);
	c.callgraph = o->callgraph;
	c.sample_address = trace_selects_faults(t->q.selection);
	c.sample_cpu = c.sample_identifier = c.exclude_self = true;
	c.kernel_maps = o->kernel_graph;
	c.use_clockid = true;
	c.clockid = CLOCK_MONOTONIC;
	c.proc_map_timeout_ms = o->proc_map_timeout_ms;
	if (!needs_symbols(t))
		c.synth_parts = SYNTH_NONE;
	return c;
}

static struct strobe_error *open_capture(struct live_trace *t, const struct capture_options *options, pid_t command, pid_t self)
{
	const struct probe_samples_options probes = { .sys = t->q.sys, .events = &t->set, .capture = options, .has_command = command != 0 };
	struct strobe_error *err = probe_samples_open(&probes, &t->probes);
	if (err) { /* no capture has taken them */
		event_set_deinit(&t->set);
		return err;
	}
	TRY(capture_open(t->q.sys, options, &t->set, command, &t->capture));
	if (t->probes)
		TRY(probe_samples_attach(t->probes, t->capture));
	capture_exclude_thread(t->capture, self);
	return capture_apply_filters(t->capture);
}

/* --- records as lines --- */

static struct trace_event_choice choice_of(void *ctx, const struct env_event *e, size_t i)
{
	const struct live_trace *t = ctx;
	const struct trace_selection *s = t->q.selection;
	const struct capture_event *c = i < t->set.events.len ? &t->set.events.data[i] : NULL;
	if (!c)
		return (struct trace_event_choice){};
	struct trace_event_choice choice = {
		.is_shown = !c->is_dummy,
		.switches_on = s->switch_on && !strcmp(e->name, s->switch_on),
		.switches_off = s->switch_off && !strcmp(e->name, s->switch_off),
		.is_hidden = !s->show_switches && is_switch(s, e->name),
		.max = c->terms.set & EVENT_TERM_MAX_EVENTS ? c->terms.max_events : 0,
	};
	choice.only_switches = choice.is_hidden && choice.switches_on && s->switch_on_added;
	return choice;
}

static void make_reader(struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	struct call_pairs_setup pairs = call_choice_pairs(&t->calls, t->lines);
	pairs.user_frames = !t->q.options->kernel_graph;
	struct trace_events_setup setup = {
		.env = capture_env(t->capture),
		.resolver = t->session.resolver,
		.lines = t->lines,
		.native = t->calls.native,
		.pairs = pairs_calls(t) ? &pairs : NULL,
		.tracer = t->tracer,
		.calls = &t->bpf_calls,
		.choice = choice_of,
		.starts_off = s->switch_on != NULL,
		.min_stack = s->min_stack,
		.stacks = t->stacks,
		.dump_bytes = t->q.options->callgraph.dump_bytes,
		.self = getpid(),
		.excluded = s->excluded.data,
		.excluded_nr = s->excluded.len,
		.prints_samples = t->q.options->print_sample,
		.ctx = t,
	};
	t->events = trace_events_create(&setup);
}

static struct strobe_error *wait_for_more(void *ctx, bool *ret_end)
{
	struct live_trace *t = ctx;
	live_trace_tick(t);
	TRY(live_trace_wait(t, t->session.resolver ? EVENTS_TICK_MS : RINGS_TICK_MS));
	/* Without this the poll descriptor stays readable. */
	if (!t->session.resolver)
		capture_tasks_gone(t->capture, 0);
	*ret_end = t->ended;
	if (!t->ended)
		return NULL;
	capture_disable(t->capture);
	if (t->tracer)
		stream_tracer_stop(t->tracer);
	return NULL;
}

static void executes(void *ctx, uint32_t pid)
{
	live_trace_follow_exec(ctx, pid);
}

static struct trace_live live_of(struct live_trace *t)
{
	return (struct trace_live){ .rings = capture_source(t->capture), .tracer = t->tracer, .drain = stream_tracer_drain,
				    .wait = wait_for_more, .executes = executes, .ctx = t };
}

struct strobe_error *live_trace_open_rings(struct live_trace *t)
{
	TRY(live_trace_check_rings(t));
	TRY(make_events(t));
	struct capture_options options = options_of_rings(t);
	TRY(open_capture(t, &options, t->follows_command ? t->command : 0, (pid_t)syscall(SYS_gettid)));
	t->live = live_of(t);
	session_open_source(&t->session, t->q.host, order_create(trace_live_source(&t->live, NULL, 0)), false);
	live_trace_make_lines(t);
	make_reader(t);
	t->wake_fd = capture_poll_fd(t->capture, 0);
	live_trace_raise_priority();
	capture_start(t->capture);
	return NULL;
}

struct memory_sink {
	struct record_sink sink;
	VEC(uint8_t) bytes;
};

static struct strobe_error *keep_records(struct record_sink *sink, const void *records, size_t bytes)
{
	struct memory_sink *m = (struct memory_sink *)sink;
	memcpy(vec_extend(&m->bytes, bytes), records, bytes);
	return NULL;
}

/* Opens the BPF programs for calls, points and tasks. */
static bool needs_stream(const struct live_trace *t)
{
	const struct trace_selection *s = t->q.selection;
	bool points = false;
	for (size_t i = 0; i < TRACE_CALLS / 64; i++)
		points |= t->targets.points[i] != 0;
	return points || s->functions.len || trace_selects_calls(s) ||
	       trace_selects_signals(s, t->q.summary) || trace_selects_processes(s, t->q.summary);
}

static struct strobe_error *make_resolver(struct live_trace *t, bool with_symbols)
{
	struct session_request request = {
		.filter = &(struct resolve_filter){},
		.resolve = { .with_chains = with_symbols, .with_inlines = with_symbols,
			     .max_stack = (uint32_t)t->q.selection->max_stack },
	};
	return session_resolve(&t->session, &request);
}

struct strobe_error *live_trace_open_events(struct live_trace *t)
{
	struct memory_sink before = { .sink.write = keep_records };
	const char *const *notes;
	if (t->by_rings)
		TRY(live_trace_check_rings(t));
	TRY(make_events(t));
	struct capture_options options = options_of_events(t);
	TRY(open_capture(t, &options, t->command, getpid()));
	for (size_t i = 0, n = capture_notes(t->capture, &notes); i < n; i++)
		session_say(t->q.host, "%s", notes[i]);
	live_trace_make_lines(t);
	if (!t->by_rings && needs_stream(t))
		TRY(live_trace_open_stream(t));
	if (t->q.summary->with_lines && t->q.summary->by == SYSCALL_STATS_BY_CGROUP)
		TRY(live_trace_open_summary(t));
	struct strobe_error *err = NULL;
	if (options.synth_parts != SYNTH_NONE)
		err = capture_synthesize(t->capture, &before.sink, false);
	t->live = live_of(t);
	session_open_source(&t->session, t->q.host, trace_live_source(&t->live, before.bytes.data, before.bytes.len), false);
	if (err)
		return err;
	TRY(make_resolver(t, needs_symbols(t)));
	make_reader(t);
	capture_start(t->capture);
	return NULL;
}

/* --- the end --- */

static struct strobe_error *sink_nothing(struct record_sink *sink, const void *records, size_t bytes)
{
	return NULL;
}

/* Without BPF programs only the rings count losses. */
static struct strobe_error *say_lost_of_rings(struct live_trace *t)
{
	struct record_sink nothing = { .write = sink_nothing };
	TRY(capture_finish(t->capture, &nothing));
	struct capture_totals totals = capture_totals(t->capture);
	uint64_t lost = totals.lost_samples > totals.lost_events ? totals.lost_samples : totals.lost_events;
	if (lost)
		session_say(t->q.host, "%llu events were lost: the buffers were full (use larger ones, -m, or select system calls, -e)",
			    (unsigned long long)lost);
	return NULL;
}

struct strobe_error *live_trace_finish_rings(struct live_trace *t)
{
	if (!t->session.resolver)
		capture_disable(t->capture);
	trace_events_finish(t->events);
	if (t->session.resolver)
		live_trace_say_lost(t, trace_events_lost(t->events) + t->live.lost);
	else
		TRY(say_lost_of_rings(t));
	trace_events_say_damaged(t->events, t->q.host);
	_cleanup_free_ char *of_probes = probe_samples_losses(t->probes);
	if (of_probes)
		session_say(t->q.host, "%s", of_probes);
	return NULL;
}

void live_trace_close_rings(struct live_trace *t)
{
	trace_events_destroy(take_ptr(t->events));
	if (t->session.source)
		session_close(&t->session);
	if (t->capture) {
		capture_close_later(t->capture);
		capture_close(take_ptr(t->capture));
	}
	probe_samples_close(take_ptr(t->probes));
}
