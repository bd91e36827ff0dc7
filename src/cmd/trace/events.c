/*
 * `trace` with tracepoints, page faults or call graphs: what comes out of rings and from the BPF programs, in order of time,
 * with symbols.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "capture/session.h"
#include "cmd/trace/bpf.h"
#include "cmd/trace/rings.h"
#include "cmd/trace/show.h"
#include "session/symbols.h"
#include "tracing/events.h"
#include "tracing/live.h"

#define TICK_MS 5

struct events {
	struct trace_run *run;
	struct event_set set; /* taken over by the session */
	struct capture_options capture_options;
	struct capture *capture;
	struct stream_tracer *tracer; /* NULL: no system calls, or no BPF */
	struct trace_bpf bpf;
	struct trace_live live;
	struct record_source *source;
	struct resolver *resolver;
	struct foreign_files *foreign; /* of the resolver */
	struct trace_events *events;
	enum trace_stacks stacks;
};

/* --- what to open --- */

static const char *entry_of(const struct event *e)
{
	bool is_entry = e->system && !strcmp(e->system, "syscalls") && !strncmp(e->tracepoint, "sys_enter_", 10);
	return is_entry ? e->tracepoint + 10 : NULL;
}

static bool is_switch(const struct trace_options *o, const char *name)
{
	return (o->switch_on && !strcmp(name, o->switch_on)) || (o->switch_off && !strcmp(name, o->switch_off));
}

/*
 * The entry of a call is told by the BPF programs, which can read what its arguments point at. What they cannot do is left to
 * the tracepoint itself: filters and terms, and to be one that switches.
 */
static bool take_as_entry(struct events *s, const struct event *e)
{
	/* Without BPF the tracepoint tells it, with addresses. */
	_cleanup_error_ struct strobe_error *missing = trace_whom_check(s->run->sys);
	const char *name = entry_of(e);
	const struct syscall_desc *d = name ? syscall_table_find(s->run->native, name) : NULL;
	if (missing || s->run->by_rings || !d || e->filter || e->terms.set || is_switch(s->run->o, e->name))
		return false;
	s->run->whom.points[d->number / 64] |= 1ULL << d->number % 64;
	return true;
}

static void add_fault_event(struct event_list *list, uint64_t config, const char *name)
{
	struct event *e = event_list_add(list, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, config, name);
	e->attr.sample_period = 1;
}

/* --filter-pids, for the tracepoints: the kernel knows a thread by common_pid. */
static void exclude_pids(struct event_list *list, const struct trace_options *o)
{
	if (!o->excluded.len)
		return;
	_cleanup_strbuf_ struct strbuf pids = {};
	for (size_t i = 0; i < o->excluded.len; i++)
		strbuf_addf(&pids, "%scommon_pid != %d", i ? " && " : "", (int)o->excluded.data[i]);
	for (size_t i = 0; i < list->events.len; i++) {
		struct event *e = &list->events.data[i];
		if (e->kind == EVENT_TRACEPOINT)
			e->filter = e->filter ? arena_printf(&list->arena, "(%s) && (%s)", e->filter, strbuf_str(&pids)) :
						arena_strdup(&list->arena, strbuf_str(&pids));
	}
}

static struct strobe_error *make_events(struct events *s)
{
	const struct trace_options *o = s->run->o;
	struct event_list list;
	event_list_init(&list);
	for (size_t i = 0; i < o->events.events.len; i++) {
		const struct event *e = &o->events.events.data[i];
		if (take_as_entry(s, e))
			continue;
		vec_push(&list.events, *e);
		struct event *last = &vec_last(&list.events);
		last->leader = (uint32_t)list.events.len - 1;
		if (last->kind == EVENT_SOFTWARE && !last->attr.sample_period)
			last->attr.sample_period = 1;
	}
	if (o->major_faults)
		add_fault_event(&list, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults");
	if (o->minor_faults)
		add_fault_event(&list, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults");
	struct strobe_error *calls = s->run->by_rings && trace_wants_calls(o) ? trace_rings_add_calls(s->run, &list) : NULL;
	exclude_pids(&list, o);
	struct strobe_error *err = calls ? calls : o->cgroup ? event_list_set_cgroups(&list, o->cgroup) : NULL;
	event_set_init(&s->set, s->run->sys);
	event_set_add_list(&s->set, &list);
	if (!list.events.len)
		event_set_add_dummy(&s->set);
	event_list_deinit(&list);
	return err;
}

static bool has_faults(const struct trace_options *o)
{
	for (size_t i = 0; i < o->events.events.len; i++)
		if (trace_fault_role(&o->events.events.data[i].attr) != TRACE_ROLE_NONE)
			return true;
	return o->minor_faults || o->major_faults;
}

static struct capture_options capture_options_of(const struct trace_run *r)
{
	const struct trace_options *o = r->o;
	struct capture_options c;
	capture_options_init(&c);
	c.target = r->target;
	c.callgraph = o->callgraph;
	c.no_inherit = o->no_inherit;
	c.sample_address = has_faults(o);
	c.sample_cpu = c.sample_identifier = c.exclude_self = true;
	c.kernel_maps = o->kernel_graph;
	if (r->by_rings && trace_wants_calls(o))
		c.user_regs = trace_call_registers();
	c.use_clockid = true;
	c.clockid = CLOCK_MONOTONIC;
	c.delay_ms = o->delay_ms ? -1 : 0;
	c.mmap_pages = o->ring_bytes_set ? o->ring_bytes >> 12 : 0;
	c.proc_map_timeout_ms = o->proc_map_timeout_ms;
	return c;
}

/* --- what existed before --- */

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

static bool wants_symbols(const struct trace_options *o)
{
	if (o->callgraph.mode != CALLGRAPH_NONE || o->kernel_graph || has_faults(o))
		return true;
	for (size_t i = 0; i < o->events.events.len; i++)
		if (o->events.events.data[i].terms.set & (EVENT_TERM_CALL_GRAPH | EVENT_TERM_MAX_STACK))
			return true;
	return false;
}

/* --- what has lines --- */

static struct trace_event_choice choice_of(void *ctx, const struct env_event *e, size_t i)
{
	const struct events *s = ctx;
	if (i >= s->set.events.len)
		return (struct trace_event_choice){};
	const struct trace_options *o = s->run->o;
	const struct capture_event *c = &s->set.events.data[i];
	struct trace_event_choice t = {
		.is_shown = !c->is_dummy,
		.switches_on = o->switch_on && !strcmp(e->name, o->switch_on),
		.switches_off = o->switch_off && !strcmp(e->name, o->switch_off),
		.is_hidden = !o->show_switches && is_switch(o, e->name),
		.max = c->terms.set & EVENT_TERM_MAX_EVENTS ? c->terms.max_events : 0,
	};
	t.only_switches = t.is_hidden && t.switches_on && o->switch_on_added;
	return t;
}

static void print_sample(void *ctx, const struct resolved_sample *r, const char *event)
{
	struct out *out = &((struct events *)ctx)->run->out;
	out_text_str(out, event);
	out_f(out, " %.3f ", (double)r->sample.time / 1e6);
	out_text_str(out, r->comm);
	out_f(out, " %u/%u [%u]\n", r->sample.pid, r->sample.tid, r->sample.cpu);
}

/* --- the run --- */

static struct strobe_error *open_tracer(struct events *s)
{
	const struct trace_options *o = s->run->o;
	struct stream_options options = trace_stream_options(s->run);
	bool points = false;
	if (s->run->by_rings)
		return NULL;
	for (size_t i = 0; i < TRACE_CALLS / 64; i++)
		points |= s->run->whom.points[i] != 0;
	if (!points && !trace_wants_calls(o) && !options.signals && !trace_shows_processes(o))
		return NULL;
	options.stacks = o->callgraph.mode == CALLGRAPH_FP ? TRACE_STACKS_FP :
			 o->callgraph.mode == CALLGRAPH_DWARF ? TRACE_STACKS_DUMP : TRACE_STACKS_NONE;
	options.kernel_stacks = o->kernel_graph;
	options.stack_bytes = o->callgraph.dump_bytes;
	s->stacks = options.stacks;
	TRY(stream_tracer_open(&s->run->whom, &options, &s->tracer));
	s->run->wake_fd = stream_tracer_wake_fd(s->tracer);
	trace_raise_priority();
	return NULL;
}

static void make_lines(struct events *s, const struct env *env)
{
	const struct trace_options *o = s->run->o;
	bool pairs = s->run->by_rings && trace_wants_calls(o);
	struct call_pairs_setup of_rings = trace_rings_pairs(s->run);
	struct trace_events_setup setup = {
		.env = env,
		.resolver = s->resolver,
		.lines = s->run->lines,
		.calls = &s->bpf.calls,
		.pairs = pairs ? &of_rings : NULL,
		.tracer = s->tracer,
		.native = s->run->native,
		.choice = choice_of,
		.starts_off = o->switch_on != NULL,
		.min_stack = o->min_stack,
		.stacks = s->stacks,
		.dump_bytes = o->callgraph.dump_bytes,
		.self = getpid(),
		.excluded = o->excluded.data,
		.excluded_nr = o->excluded.len,
		.sample = o->print_sample ? print_sample : NULL,
		.ctx = s,
	};
	s->events = trace_events_create(&setup);
}

static struct strobe_error *make_resolver(struct events *s)
{
	const struct trace_options *o = s->run->o;
	bool symbols = wants_symbols(o);
	struct resolve_options options = {
		.with_chains = symbols,
		.with_inlines = symbols,
		.max_stack = o->max_stack ? (uint32_t)o->max_stack : 0,
	};
	const struct env *env = capture_env(s->capture);
	struct symbols_options files = {};
	TRY(session_symbols(cmd_host(s->run->ctx), env, false, &files, &s->foreign));
	s->resolver = resolver_create(s->source, files, options);
	make_lines(s, env);
	return NULL;
}

static struct strobe_error *wait_for_more(void *ctx, bool *ret_end)
{
	struct events *s = ctx;
	out_flush(&s->run->out);
	TRY(trace_wait(s->run, TICK_MS));
	*ret_end = s->run->ended;
	if (!s->run->ended)
		return NULL;
	capture_disable(s->capture);
	if (s->tracer)
		stream_tracer_stop(s->tracer);
	return NULL;
}

static void executes(void *ctx, uint32_t pid)
{
	trace_follow_exec(((struct events *)ctx)->run, pid);
}

static struct strobe_error *events_open(struct trace_run *r)
{
	struct events *s = xcalloc(1, sizeof(*s));
	struct memory_sink before = { .sink.write = keep_records };
	const char *const *notes;
	s->run = r;
	r->state = s;
	if (r->by_rings)
		TRY(trace_rings_check(r));
	struct strobe_error *err = make_events(s);
	s->capture_options = capture_options_of(r);
	if (!wants_symbols(r->o))
		s->capture_options.synth_parts = SYNTH_NONE;
	if (err) {
		event_set_deinit(&s->set);
		return err;
	}
	TRY(capture_open(r->sys, &s->capture_options, &s->set, r->workload.pid, &s->capture));
	for (size_t i = 0, n = capture_notes(s->capture, &notes); i < n; i++)
		cmd_say(r->ctx, "%s", notes[i]);
	capture_exclude_thread(s->capture, getpid());
	TRY(capture_apply_filters(s->capture));
	TRY(open_tracer(s));
	trace_bpf_init(&s->bpf, r);
	TRY(trace_bpf_open_summary(&s->bpf, r));
	if (s->capture_options.synth_parts != SYNTH_NONE)
		err = capture_synthesize(s->capture, &before.sink, false);
	s->live = (struct trace_live){ .rings = capture_source(s->capture), .tracer = s->tracer, .drain = stream_tracer_drain,
				       .wait = wait_for_more, .executes = executes, .ctx = s };
	s->source = trace_live_source(&s->live, before.bytes.data, before.bytes.len);
	if (err)
		return err;
	TRY(make_resolver(s));
	capture_start(s->capture);
	return NULL;
}

static void events_enable(struct trace_run *r, bool on)
{
	struct events *s = r->state;
	if (s->tracer)
		stream_tracer_enable(s->tracer, on);
	trace_bpf_enable(&s->bpf, on);
	if (on)
		capture_enable(s->capture);
	else
		capture_disable(s->capture);
}

static struct strobe_error *events_run(struct trace_run *r)
{
	struct events *s = r->state;
	struct strobe_error *err = trace_events_read(s->events, NULL);
	r->ended = true;
	return err;
}

static struct strobe_error *events_finish(struct trace_run *r)
{
	struct events *s = r->state;
	if (s->tracer)
		stream_tracer_stop(s->tracer);
	trace_events_finish(s->events);
	trace_say_lost(r, trace_events_lost(s->events) + s->live.lost, s->tracer);
	trace_say_damaged(r, s->events);
	return trace_bpf_finish(&s->bpf, r, s->tracer);
}

static void events_close(struct trace_run *r)
{
	struct events *s = r->state;
	trace_events_destroy(s->events);
	trace_bpf_deinit(&s->bpf);
	resolver_destroy(s->resolver);
	foreign_files_destroy(s->foreign);
	source_destroy(s->source);
	stream_tracer_leave_behind(s->tracer);
	stream_tracer_close(s->tracer);
	if (s->capture) {
		capture_close_behind(s->capture);
		capture_close(s->capture);
	}
	free(s);
}

const struct trace_hooks trace_events_hooks = {
	.open = events_open,
	.enable = events_enable,
	.run = events_run,
	.finish = events_finish,
	.close = events_close,
};
