#include "tracing/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracing/live.h"
#include "tracing/places.h"
#include "tracing/stack_sample.h"

/* One for each event of the session. */
struct traced {
	struct trace_event_choice choice;
	uint64_t shown;
	const struct tracepoint *point;  /* or NULL */
	const struct syscall_desc *call; /* of syscalls:sys_enter_* */
};

struct trace_events {
	struct trace_events_setup setup;
	struct tracepoints *formats;
	VEC(struct traced) traced; /* by event */
	bool switched_off;
	uint64_t lost;
	struct trace_stack_words words; /* of the stack at hand */
};

static struct traced traced_of(const struct trace_events *e, size_t i)
{
	const struct env_event *event = &e->setup.env->events.data[i];
	struct traced t = { .choice.role = TRACE_ROLE_NONE };
	if (i < e->setup.choices_nr)
		t.choice = e->setup.choices[i];
	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return t;
	t.point = tracepoints_by_id(e->formats, (uint32_t)event->attr.config);
	if (t.point && !strcmp(t.point->system, "syscalls") && !strncmp(t.point->name, "sys_enter_", 10))
		t.call = syscall_table_find(e->setup.native, t.point->name + 10);
	return t;
}

struct strobe_error *trace_events_create(const struct trace_events_setup *setup, struct trace_events **ret)
{
	struct trace_events *e = xcalloc(1, sizeof(*e));
	e->setup = *setup;
	e->switched_off = setup->starts_off;
	struct strobe_error *err = tracepoints_read(setup->env, &e->formats);
	if (err) {
		trace_events_destroy(e);
		return err;
	}
	for (size_t i = 0; i < setup->env->events.len; i++)
		vec_push(&e->traced, traced_of(e, i));
	*ret = e;
	return NULL;
}

void trace_events_destroy(struct trace_events *e)
{
	if (!e)
		return;
	tracepoints_destroy(e->formats);
	vec_deinit(&e->traced);
	free(e);
}

uint64_t trace_events_lost(const struct trace_events *e)
{
	return e->lost;
}

/* Its arguments, as far as a sample holds them: pointers stay addresses. */
static struct syscall_event call_of(const struct trace_events *e, const struct traced *t, const struct sample *x)
{
	struct syscall_event call = { .desc = t->call, .pid = x->pid };
	uint32_t from = t->point->common_nr + 1;
	for (uint32_t i = 0; i < SYSCALL_ARGS && from + i < t->point->fields_nr; i++)
		call.arg[i] = field_number(e->formats, &t->point->fields[from + i], x->raw, x->raw_bytes);
	return call;
}

/* Switches the lines on or off where the event does that. True where it has no line itself. */
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
	if ((pid_t)x->pid == setup->self)
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

/* Without the kernel's frames above the event, which lead to the BPF program that copied the stack. */
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

static void take_bpf(struct trace_events *e, const struct trace_live_record *m)
{
	const struct trace_event *ev = trace_live_event(m);
	bool is_line = ev->type == TRACE_EVENT_CALL || ev->type == TRACE_EVENT_ENTERED || ev->type == TRACE_EVENT_POINT ||
		       ev->type == TRACE_EVENT_SIGNAL;
	struct resolved_sample resolved;
	struct frames frames = {};
	bool prints = is_line && e->setup.sample;
	if (is_line && e->switched_off)
		return;
	if (m->stack_bytes || prints) {
		resolve_bpf(e, m, &resolved);
		frames = frames_outside_bpf(&resolved);
	}
	if (is_line && frames.nr < e->setup.min_stack)
		return;
	if (prints)
		e->setup.sample(e->setup.ctx, &resolved, "bpf");
	trace_calls_take(e->setup.calls, ev, m->event_bytes, frames.first, frames.nr);
}

static void begin_lines(struct trace_events *e)
{
	if (e->setup.tracer && !e->setup.starts_off)
		trace_lines_begin_at(e->setup.lines, stream_tracer_began_ns(e->setup.tracer));
}

static void show(struct trace_events *e, const struct traced *t, const struct resolved_sample *r, struct frames frames)
{
	const struct sample *x = &r->sample;
	struct trace_line line = { .kind = TRACE_LINE_POINT, .time_ns = x->time, .tid = x->tid, .pid = x->pid, .cpu = x->cpu,
				   .event = r->event->name, .points = e->formats, .point = t->point, .raw = x->raw,
				   .raw_bytes = x->raw_bytes, .chain = frames.first, .chain_nr = frames.nr };
	struct syscall_event call;
	struct trace_fault fault;
	if (t->choice.role == TRACE_ROLE_MINOR_FAULT || t->choice.role == TRACE_ROLE_MAJOR_FAULT) {
		trace_fault_line(e->setup.resolver, r, t->choice.role == TRACE_ROLE_MAJOR_FAULT, &fault, &line);
	} else if (t->call) {
		call = call_of(e, t, x);
		line.call = &call;
	}
	if (e->setup.sample)
		e->setup.sample(e->setup.ctx, r, r->event->name);
	if (r->comm[0] && r->comm[0] != ':')
		line.comm = r->comm;
	trace_lines_other(e->setup.lines, &line);
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *r)
{
	struct trace_events *e = ctx;
	if (trace_lines_ended(e->setup.lines))
		return error_create(ERROR_STOPPED, "enough");
	begin_lines(e);
	if (e->setup.samples && !e->switched_off)
		TRY(trace_samples_take_resolved(e->setup.samples, r));
	struct traced *t = r->sample.event < e->traced.len ? &e->traced.data[r->sample.event] : NULL;
	if (!t || t->choice.role == TRACE_ROLE_NONE || is_excluded(e, &r->sample) || switches(e, &t->choice))
		return NULL;
	struct frames frames = frames_of(r);
	if (frames.nr < e->setup.min_stack || (t->choice.max && t->shown++ >= t->choice.max))
		return NULL;
	show(e, t, r, frames);
	return NULL;
}

static struct strobe_error *take_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct trace_events *e = ctx;
	struct record_lost lost;
	if (r.hdr->type == PERF_RECORD_LOST && record_decode_lost(r, &lost))
		e->lost += lost.lost;
	if (r.hdr->type == RECORD_TIMED && !trace_lines_ended(e->setup.lines)) {
		begin_lines(e);
		take_bpf(e, (const struct trace_live_record *)r.hdr);
	} else if (e->setup.samples) {
		TRY(trace_samples_take(e->setup.samples, r));
	} else if (!e->setup.tracer) {
		trace_lines_take_task(e->setup.lines, r);
	}
	return trace_lines_ended(e->setup.lines) ? error_create(ERROR_STOPPED, "enough") : NULL;
}

struct strobe_error *trace_events_read(struct trace_events *e)
{
	return resolve_stream(e->setup.resolver, (struct resolve_callbacks){ .sample = take_sample, .record = take_record, .ctx = e });
}
