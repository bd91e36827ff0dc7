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
#include "record/sample.h"
#include "tracing/live.h"
#include "tracing/places.h"
#include "tracing/stack_sample.h"

#define TICK_MS 5

enum event_role { ROLE_POINT, ROLE_MINOR_FAULT, ROLE_MAJOR_FAULT, ROLE_NONE };

/* One for each event of the session. */
struct traced {
	enum event_role role;
	bool is_switch;                 /* not shown where it switches */
	bool switches_on_only;          /* nor elsewhere */
	uint64_t max, seen;             /* nr=; 0: no limit */
	const struct tracepoint *point; /* or NULL */
	const struct syscall_desc *call; /* of syscalls:sys_enter_* */
};

struct events {
	struct trace_run *run;
	struct event_set set; /* taken over by the session */
	struct capture_options capture_options;
	struct capture *capture;
	struct stream_tracer *tracer; /* NULL: no system calls, or no BPF */
	struct trace_samples *samples; /* in its place: calls from their tracepoints */
	struct trace_bpf bpf;
	struct trace_live live;
	struct record_source *source;
	struct resolver *resolver;
	struct tracepoints *formats;
	VEC(struct traced) traced;
	bool switched_off;
	uint64_t lost;
	enum trace_stacks stacks;
	struct trace_stack_words words; /* of the stack at hand */
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

static struct capture_options capture_options_of(const struct trace_run *r)
{
	const struct trace_options *o = r->o;
	struct capture_options c;
	capture_options_init(&c);
	c.target = r->target;
	c.callgraph = o->callgraph;
	c.no_inherit = o->no_inherit;
	c.sample_address = o->minor_faults || o->major_faults;
	c.sample_cpu = c.sample_identifier = c.exclude_self = true;
	c.kernel_maps = o->kernel_graph;
	if (r->by_rings && trace_wants_calls(o))
		c.user_regs = trace_samples_registers();
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
	if (o->callgraph.mode != CALLGRAPH_NONE || o->kernel_graph || o->minor_faults || o->major_faults)
		return true;
	for (size_t i = 0; i < o->events.events.len; i++)
		if (o->events.events.data[i].terms.set & (EVENT_TERM_CALL_GRAPH | EVENT_TERM_MAX_STACK))
			return true;
	return false;
}

/* --- samples --- */

static struct traced traced_of(const struct events *s, const struct env_event *e, size_t i)
{
	const struct trace_options *o = s->run->o;
	struct traced t = { .is_switch = !o->show_switches && is_switch(o, e->name) };
	t.switches_on_only = t.is_switch && o->switch_on_added && !strcmp(e->name, o->switch_on);
	if (i >= s->set.events.len || s->set.events.data[i].is_dummy) {
		t.role = ROLE_NONE;
		return t;
	}
	const struct capture_event *c = &s->set.events.data[i];
	if (s->run->by_rings && trace_wants_calls(o) && !strncmp(e->name, "raw_syscalls:", 13)) {
		t.role = ROLE_NONE; /* the lines are made of pairs of them */
		return t;
	}
	if (c->terms.set & EVENT_TERM_MAX_EVENTS)
		t.max = c->terms.max_events;
	/* Without the right to see the kernel's own a modifier follows the name. */
	if (e->attr.type == PERF_TYPE_SOFTWARE && o->minor_faults && !strncmp(e->name, "minor-faults", 12))
		t.role = ROLE_MINOR_FAULT;
	else if (e->attr.type == PERF_TYPE_SOFTWARE && o->major_faults && !strncmp(e->name, "major-faults", 12))
		t.role = ROLE_MAJOR_FAULT;
	if (e->attr.type != PERF_TYPE_TRACEPOINT)
		return t;
	t.point = tracepoints_by_id(s->formats, (uint32_t)e->attr.config);
	if (t.point && !strcmp(t.point->system, "syscalls") && !strncmp(t.point->name, "sys_enter_", 10))
		t.call = syscall_table_find(s->run->native, t.point->name + 10);
	return t;
}

/* Its arguments, as far as a sample holds them: pointers stay addresses. */
static struct syscall_event call_of(const struct events *s, const struct traced *t, const struct sample *x)
{
	struct syscall_event call = { .desc = t->call, .pid = x->pid };
	uint32_t from = t->point->common_nr + 1;
	for (uint32_t i = 0; i < SYSCALL_ARGS && from + i < t->point->fields_nr; i++)
		call.arg[i] = field_number(s->formats, &t->point->fields[from + i], x->raw, x->raw_bytes);
	return call;
}

/* From here on, up to there. True where the event only switches. */
static bool switches(struct events *s, const struct resolved_sample *r, const struct traced *t)
{
	const struct trace_options *o = s->run->o;
	bool on = o->switch_on && !strcmp(r->event->name, o->switch_on);
	bool off = o->switch_off && !strcmp(r->event->name, o->switch_off);
	if (s->switched_off) {
		if (!on)
			return true;
		s->switched_off = false;
		return t->is_switch;
	}
	if (off) {
		s->switched_off = true;
		return t->is_switch;
	}
	return t->switches_on_only;
}

static bool is_excluded(const struct events *s, const struct sample *x)
{
	const struct trace_options *o = s->run->o;
	if ((pid_t)x->pid == getpid())
		return true;
	for (size_t i = 0; i < o->excluded.len; i++)
		if (o->excluded.data[i] == (pid_t)x->pid || o->excluded.data[i] == (pid_t)x->tid)
			return true;
	return false;
}

static bool is_in_bpf(const struct resolved_frame *f)
{
	static const char *const prefixes[] = { "bpf_", "__bpf_", "__traceiter_", "perf_", "trace_call_bpf" };
	if (!f->symbol || !f->map || f->map->file->kind == MAPPED_FILE)
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(f->symbol->raw_name, prefixes[i], strlen(prefixes[i])))
			return true;
	return f->map->file->kind == MAPPED_BPF;
}

struct frames {
	const struct resolved_frame *first; /* NULL: none */
	uint32_t nr;
};

static struct frames frames_of(const struct resolved_sample *r)
{
	return (struct frames){ .first = r->chain_nr ? r->chain : NULL, .nr = r->chain_nr };
}

/* The kernel's way to the program that took the stack is left out. */
static struct frames frames_outside_bpf(const struct resolved_sample *r)
{
	struct frames f = frames_of(r);
	while (f.nr && is_in_bpf(f.first)) {
		f.first++;
		f.nr--;
	}
	return f.nr ? f : (struct frames){};
}

static void print_sample(struct events *s, const struct resolved_sample *r, const char *event)
{
	struct out *out = &s->run->out;
	out_text_str(out, event);
	out_f(out, " %.3f ", (double)r->sample.time / 1e6);
	out_text_str(out, r->comm);
	out_f(out, " %u/%u [%u]\n", r->sample.pid, r->sample.tid, r->sample.cpu);
}

/* What it would be as a sample: with its call chain. */
static void resolve_bpf(struct events *s, const struct trace_live_record *m, struct resolved_sample *ret)
{
	const struct trace_event *ev = trace_live_event(m);
	struct sample x = { .time = ev->time_ns, .pid = ev->pid, .tid = ev->tid, .cpu = ev->cpu, .misc = PERF_RECORD_MISC_USER };
	size_t bytes;
	const struct trace_stack *stack = trace_live_stack(m, &bytes);
	if (bytes)
		trace_stack_sample(stack, bytes, s->stacks, s->run->o->callgraph.dump_bytes, &s->words, &x);
	resolver_look_up(s->resolver, &x, ret);
}

static void take_bpf(struct events *s, const struct trace_live_record *m)
{
	const struct trace_event *ev = trace_live_event(m);
	bool is_line = ev->type == TRACE_EVENT_CALL || ev->type == TRACE_EVENT_ENTERED || ev->type == TRACE_EVENT_POINT ||
		       ev->type == TRACE_EVENT_SIGNAL;
	struct resolved_sample resolved;
	struct frames frames = {};
	bool prints = is_line && s->run->o->print_sample;
	if (is_line && s->switched_off)
		return;
	if (m->stack_bytes || prints) {
		resolve_bpf(s, m, &resolved);
		frames = frames_outside_bpf(&resolved);
	}
	if (is_line && frames.nr < s->run->o->min_stack)
		return;
	if (prints)
		print_sample(s, &resolved, "bpf");
	trace_calls_take(&s->bpf.calls, ev, m->event_bytes, frames.first, frames.nr);
}

static void begin_lines(struct events *s)
{
	if (s->tracer && !s->run->o->switch_on)
		trace_lines_begin_at(s->run->lines, stream_tracer_began_ns(s->tracer));
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *r)
{
	struct events *s = ctx;
	if (trace_lines_ended(s->run->lines))
		return error_create(ERROR_STOPPED, "enough");
	begin_lines(s);
	if (s->samples && !s->switched_off)
		TRY(trace_samples_take_resolved(s->samples, r));
	struct traced *t = r->sample.event < s->traced.len ? &s->traced.data[r->sample.event] : NULL;
	if (!t || t->role == ROLE_NONE || is_excluded(s, &r->sample) || switches(s, r, t))
		return NULL;
	struct trace_line line = { .kind = TRACE_LINE_POINT, .time_ns = r->sample.time, .tid = r->sample.tid, .pid = r->sample.pid,
				   .cpu = r->sample.cpu, .event = r->event->name, .points = s->formats, .point = t->point,
				   .raw = r->sample.raw, .raw_bytes = r->sample.raw_bytes };
	struct syscall_event call;
	struct trace_fault fault;
	struct frames frames = frames_of(r);
	if (frames.nr < s->run->o->min_stack || (t->max && t->seen++ >= t->max))
		return NULL;
	line.frames = frames.first;
	line.frames_nr = frames.nr;
	if (t->role == ROLE_MINOR_FAULT || t->role == ROLE_MAJOR_FAULT) {
		line.kind = TRACE_LINE_FAULT;
		line.fault = &fault;
		fault.major = t->role == ROLE_MAJOR_FAULT;
		trace_fault_places(resolver_machine(s->resolver), resolver_symbols(s->resolver), r, &fault);
	} else if (t->call) {
		call = call_of(s, t, &r->sample);
		line.call = &call;
	}
	if (s->run->o->print_sample)
		print_sample(s, r, r->event->name);
	if (r->comm[0] && r->comm[0] != ':')
		line.comm = r->comm;
	trace_lines_other(s->run->lines, &line);
	return NULL;
}

/* Events of the BPF programs; names of tasks, where there are none. */
static struct strobe_error *take_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct events *s = ctx;
	const uint32_t *ids = (const uint32_t *)(r.hdr + 1);
	const uint64_t *words = (const uint64_t *)(r.hdr + 1);
	struct trace_tasks *tasks = trace_lines_tasks(s->run->lines);
	if (r.hdr->type == RECORD_TIMED) {
		if (trace_lines_ended(s->run->lines))
			return error_create(ERROR_STOPPED, "enough");
		begin_lines(s);
		take_bpf(s, (const struct trace_live_record *)r.hdr);
		return NULL;
	}
	if (r.hdr->type == PERF_RECORD_LOST && r.hdr->size >= sizeof(*r.hdr) + 16)
		s->lost += words[1];
	if (s->samples) {
		TRY(trace_samples_take(s->samples, r));
		return trace_lines_ended(s->run->lines) ? error_create(ERROR_STOPPED, "enough") : NULL;
	}
	if (r.hdr->type == PERF_RECORD_FORK && !s->tracer && r.hdr->size >= sizeof(*r.hdr) + 16) {
		char comm[17];
		memcpy(comm, trace_task(tasks, ids[3], ids[1])->comm, sizeof(comm));
		trace_task_name(trace_task_new(tasks, ids[2], ids[0]), comm, sizeof(comm) - 1);
	}
	if (r.hdr->type == PERF_RECORD_COMM && !s->tracer && r.hdr->size > sizeof(*r.hdr) + 8)
		trace_lines_rename(s->run->lines, ids[1], ids[0], (const char *)(ids + 2), r.hdr->size - sizeof(*r.hdr) - 8);
	return trace_lines_ended(s->run->lines) ? error_create(ERROR_STOPPED, "enough") : NULL;
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
	TRY(cmd_symbols_options(s->run->ctx, env, false, &files));
	s->resolver = resolver_create(s->source, files, options);
	TRY(tracepoints_read(env, &s->formats));
	for (size_t i = 0; i < env->events.len; i++)
		vec_push(&s->traced, traced_of(s, &env->events.data[i], i));
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
	s->switched_off = r->o->switch_on != NULL;
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
	if (r->by_rings && trace_wants_calls(r->o))
		s->samples = trace_rings_samples(r, capture_env(s->capture), s->run->lines);
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
	struct resolve_callbacks callbacks = { .sample = take_sample, .record = take_record, .ctx = s };
	struct strobe_error *err = resolve_stream(s->resolver, callbacks);
	r->ended = true;
	return err;
}

static struct strobe_error *events_finish(struct trace_run *r)
{
	struct events *s = r->state;
	if (s->tracer)
		stream_tracer_stop(s->tracer);
	if (s->samples) {
		trace_samples_finish(s->samples);
		trace_say_damaged(r, s->samples);
	}
	trace_say_lost(r, s->lost + s->live.lost, s->tracer);
	return trace_bpf_finish(&s->bpf, r, s->tracer);
}

static void events_close(struct trace_run *r)
{
	struct events *s = r->state;
	trace_bpf_deinit(&s->bpf);
	trace_samples_destroy(s->samples);
	resolver_destroy(s->resolver);
	source_destroy(s->source);
	tracepoints_destroy(s->formats);
	stream_tracer_leave_behind(s->tracer);
	stream_tracer_close(s->tracer);
	vec_deinit(&s->traced);
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
