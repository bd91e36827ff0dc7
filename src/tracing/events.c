#include "tracing/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracing/live_source.h"
#include "tracing/places.h"
#include "tracing/stack_sample.h"

/* One for each event. */
struct traced {
	enum trace_role role;
	struct trace_event_choice choice;
	uint64_t shown;
	const struct tracepoint *point;  /* or NULL */
	const struct syscall_desc *call; /* of syscalls:sys_enter_* with lines of its own */
	struct call_point pair;          /* of TRACE_ROLE_PAIR */
};

struct trace_events {
	struct trace_events_setup setup;
	struct tracepoints *formats;
	struct call_pairs *pairs; /* or NULL */
	VEC(struct traced) traced; /* by event */
	bool switched_off;
	uint64_t lost, damaged;
	struct trace_stack_words words; /* of the current stack */
};

static struct traced traced_of(const struct trace_events *e, size_t i)
{
	const struct env_event *event = &e->setup.env->events.data[i];
	struct traced t = { .choice = e->setup.choice ? e->setup.choice(e->setup.ctx, event, i) : (struct trace_event_choice){} };
	t.point = tracepoints_of_event(e->formats, event);
	t.role = trace_role_of(e->setup.env, i, e->pairs, e->setup.resolver, t.choice.is_shown);
	if (t.role == TRACE_ROLE_PAIR && !call_point_compile(t.point, &t.pair))
		t.role = t.choice.is_shown ? TRACE_ROLE_POINT : TRACE_ROLE_NONE;
	if (t.point && !strcmp(t.point->system, "syscalls") && !strncmp(t.point->name, "sys_enter_", 10))
		t.call = syscall_table_find(e->setup.native, t.point->name + 10);
	return t;
}

/* Events of a stream come as records: a new one is examined at its first sample. */
static struct strobe_error *find_roles(struct trace_events *e)
{
	const struct env *env = e->setup.env;
	if (e->traced.len == env->events.len)
		return NULL;
	tracepoints_destroy(e->formats);
	e->formats = NULL;
	TRY(tracepoints_read(env, &e->formats));
	size_t known = e->traced.len;
	for (size_t i = 0; i < env->events.len; i++) {
		struct traced t = traced_of(e, i);
		if (i >= known) {
			vec_push(&e->traced, t);
			continue;
		}
		t.shown = e->traced.data[i].shown;
		e->traced.data[i] = t;
	}
	return NULL;
}

struct trace_events *trace_events_create(const struct trace_events_setup *setup)
{
	struct trace_events *e = xcalloc(1, sizeof(*e));
	e->setup = *setup;
	e->switched_off = setup->starts_off;
	if (setup->pairs)
		e->pairs = call_pairs_create(setup->pairs);
	return e;
}

void trace_events_destroy(struct trace_events *e)
{
	if (!e)
		return;
	call_pairs_destroy(e->pairs);
	tracepoints_destroy(e->formats);
	vec_deinit(&e->traced);
	free(e);
}

void trace_events_finish(struct trace_events *e)
{
	if (e->pairs)
		call_pairs_finish(e->pairs);
}

uint64_t trace_events_lost(const struct trace_events *e)
{
	return e->lost;
}

uint64_t trace_events_damaged(const struct trace_events *e)
{
	return e->damaged + (e->pairs ? call_pairs_damaged(e->pairs) : 0);
}

void trace_events_say_damaged(const struct trace_events *e, const struct session_host *host)
{
	uint64_t n = trace_events_damaged(e);
	if (n)
		session_say(host, "%" PRIu64 " samples are shorter than their event's format and were skipped", n);
}

/* Its arguments, as far as a sample has them: pointers are shown as addresses. */
static struct syscall_event call_of(const struct trace_events *e, const struct traced *t, const struct sample *x)
{
	struct syscall_event call = { .desc = t->call, .pid = x->pid };
	uint32_t from = t->point->common_nr + 1;
	for (uint32_t i = 0; i < SYSCALL_ARGS && from + i < t->point->fields_nr; i++)
		call.arg[i] = field_number(e->formats, &t->point->fields[from + i], x->raw, x->raw_bytes);
	return call;
}

/* Switches lines on or off if the event does that. True if it has no line itself. */
static bool switches(struct trace_events *e, const struct trace_event_choice *c)
{
	if (e->switched_off) {
		if (!c->switches_on)
			return true;
		e->switched_off = false;
		return c->is_hidden;
	}
	if (c->switches_off) {
		e->switched_off = true;
		return c->is_hidden;
	}
	return c->only_switches;
}

static bool is_excluded(const struct trace_events *e, const struct sample *x)
{
	const struct trace_events_setup *setup = &e->setup;
	if (setup->self && (pid_t)x->pid == setup->self)
		return true;
	for (size_t i = 0; i < setup->excluded_nr; i++)
		if (setup->excluded[i] == (pid_t)x->pid || setup->excluded[i] == (pid_t)x->tid)
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

/* Drops the kernel frames inside of the event, which belong to the BPF program that copied the stack. */
static struct frames frames_outside_bpf(const struct resolved_sample *r)
{
	struct frames f = frames_of(r);
	while (f.nr && is_in_bpf(f.first)) {
		f.first++;
		f.nr--;
	}
	return f.nr ? f : (struct frames){};
}

/* The event as a sample with a call chain, resolved. */
static void resolve_bpf(struct trace_events *e, const struct trace_live_record *m, struct resolved_sample *ret)
{
	const struct trace_event *ev = trace_live_event(m);
	struct sample x = { .time = ev->time_ns, .pid = ev->pid, .tid = ev->tid, .cpu = ev->cpu, .misc = PERF_RECORD_MISC_USER };
	size_t bytes;
	const struct trace_stack *stack = trace_live_stack(m, &bytes);
	if (bytes)
		trace_stack_sample(stack, bytes, e->setup.stacks, e->setup.dump_bytes, &e->words, &x);
	resolver_look_up(e->setup.resolver, &x, ret);
}

static void print_sample(struct trace_events *e, const struct resolved_sample *r, const char *event)
{
	const struct sample *x = &r->sample;
	struct trace_line line = { .kind = TRACE_LINE_POINT, .time_ns = x->time, .tid = x->tid, .pid = x->pid, .cpu = x->cpu,
				   .comm = r->comm, .event = event };
	trace_lines_sample(e->setup.lines, &line);
}

static void take_bpf(struct trace_events *e, const struct trace_live_record *m)
{
	const struct trace_event *ev = trace_live_event(m);
	bool is_func = ev->type == TRACE_EVENT_FUNC || ev->type == TRACE_EVENT_FUNC_RETURN;
	bool is_line = is_func || ev->type == TRACE_EVENT_CALL || ev->type == TRACE_EVENT_ENTERED || ev->type == TRACE_EVENT_POINT ||
		       ev->type == TRACE_EVENT_SIGNAL;
	struct resolved_sample resolved;
	struct frames frames = {};
	bool prints = is_line && e->setup.prints_samples;
	if (is_line && e->switched_off)
		return;
	if (m->stack_bytes || prints) {
		resolve_bpf(e, m, &resolved);
		frames = frames_outside_bpf(&resolved);
	}
	if (is_line && !is_func && frames.nr < e->setup.min_stack)
		return;
	if (prints)
		print_sample(e, &resolved, "bpf");
	trace_calls_take(e->setup.calls, ev, m->event_bytes, frames.first, frames.nr);
}

static void begin_lines(struct trace_events *e)
{
	if (e->setup.tracer && !e->setup.starts_off)
		trace_lines_begin_at(e->setup.lines, stream_tracer_began_ns(e->setup.tracer));
}

/* resolved: NULL with no resolver. */
static void show(struct trace_events *e, const struct traced *t, const struct sample *x, const struct resolved_sample *resolved,
		 struct frames frames)
{
	const char *name = e->setup.env->events.data[x->event].name;
	struct trace_line line = { .kind = TRACE_LINE_POINT, .time_ns = x->time, .tid = x->tid, .pid = x->pid, .cpu = x->cpu,
				   .event = name, .points = e->formats, .point = t->point, .raw = x->raw,
				   .raw_bytes = x->raw_bytes, .chain = frames.first, .chain_nr = frames.nr };
	struct syscall_event call;
	struct trace_fault fault;
	if (t->role != TRACE_ROLE_POINT) {
		trace_fault_line(e->setup.resolver, resolved, t->role == TRACE_ROLE_MAJOR_FAULT, &fault, &line);
	} else if (t->call) {
		call = call_of(e, t, x);
		line.call = &call;
	}
	if (e->setup.prints_samples && resolved)
		print_sample(e, resolved, name);
	if (resolved && resolved->comm[0] && resolved->comm[0] != ':')
		line.comm = resolved->comm;
	trace_lines_other(e->setup.lines, &line);
}

static struct strobe_error *take_sample(struct trace_events *e, const struct sample *x, const struct resolved_sample *resolved)
{
	if (trace_lines_ended(e->setup.lines))
		return error_create(ERROR_STOPPED, "enough");
	begin_lines(e);
	TRY(find_roles(e));
	struct traced *t = x->event < e->traced.len ? &e->traced.data[x->event] : NULL;
	if (!t || t->role == TRACE_ROLE_NONE || is_excluded(e, x))
		return NULL;
	bool is_silent = switches(e, &t->choice);
	if (t->role == TRACE_ROLE_PAIR) {
		if (!e->switched_off)
			call_pairs_take(e->pairs, e->formats, &t->pair, x, resolved);
		return NULL;
	}
	struct frames frames = resolved ? frames_of(resolved) : (struct frames){};
	if (is_silent || frames.nr < e->setup.min_stack || (t->choice.max && t->shown++ >= t->choice.max))
		return NULL;
	show(e, t, x, resolved, frames);
	return NULL;
}

struct strobe_error *trace_events_take_resolved(struct trace_events *e, const struct resolved_sample *r)
{
	return take_sample(e, &r->sample, r);
}

static struct strobe_error *take_plain_sample(struct trace_events *e, struct record r)
{
	struct sample sample;
	if (env_decode_sample(e->setup.env, r, &sample))
		return take_sample(e, &sample, NULL);
	e->damaged++;
	return NULL;
}

/* Names of tasks, and calls that will not end, from records if there is no BPF program. */
static void take_task(struct trace_events *e, struct record r)
{
	struct record_task task;
	trace_lines_take_task(e->setup.lines, r);
	if (e->pairs && r.hdr->type == PERF_RECORD_EXIT && record_decode_task(r, &task))
		call_pairs_forget(e->pairs, task.tid);
}

struct strobe_error *trace_events_take(struct trace_events *e, struct record r)
{
	struct record_lost lost;
	if (trace_lines_ended(e->setup.lines))
		return error_create(ERROR_STOPPED, "enough");
	if (r.hdr->type == PERF_RECORD_SAMPLE)
		return take_plain_sample(e, r);
	if (r.hdr->type == PERF_RECORD_LOST && record_decode_lost(r, &lost))
		e->lost += lost.lost;
	/* In a recording the type is unknown, and ignored. */
	if (r.hdr->type == RECORD_TIMED && e->setup.calls) {
		begin_lines(e);
		take_bpf(e, (const struct trace_live_record *)r.hdr);
	} else if (!e->setup.tracer) {
		take_task(e, r);
	}
	return NULL;
}

static struct strobe_error *take_resolved(void *ctx, const struct resolved_sample *r)
{
	return trace_events_take_resolved(ctx, r);
}

static struct strobe_error *take_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct trace_events *e = ctx;
	TRY(trace_events_take(e, r));
	return trace_lines_ended(e->setup.lines) ? error_create(ERROR_STOPPED, "enough") : NULL;
}

struct strobe_error *trace_events_read(struct trace_events *e, struct record_source *source)
{
	if (e->setup.resolver)
		return resolve_stream(e->setup.resolver,
				      (struct resolve_callbacks){ .sample = take_resolved, .record = take_record, .ctx = e });
	while (!trace_lines_ended(e->setup.lines)) {
		struct record record;
		bool end;
		TRY(source_next(source, &record, &end));
		if (end)
			return NULL;
		TRY(trace_events_take(e, record));
	}
	return NULL;
}
