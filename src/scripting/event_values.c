#include "scripting/event_values.h"

#include <ctype.h>
#include <string.h>

#define COMMON_ARGUMENTS 8 /* event_name … common_callchain */
#define UNHANDLED_ARGUMENTS 3

static void choose_handler(struct event_values *e, const struct script_handlers *h)
{
	unsigned arguments, fields = e->tp->fields_nr - e->tp->common_nr;
	if (script_handlers_find(h, e->event_name, &arguments)) {
		e->handler = e->event_name;
		e->with_sample = arguments == COMMON_ARGUMENTS + fields + 1;
	} else if (script_handlers_find(h, "trace_unhandled", &arguments)) {
		e->handler = "trace_unhandled";
		e->as_dict = true;
		e->with_sample = arguments == UNHANDLED_ARGUMENTS + 1;
	}
}

struct event_values event_values_find(const struct env_event *event, const struct tracepoints *tps, const struct script_handlers *h,
				      struct arena *arena)
{
	struct event_values e = { .is_ready = true };
	if (event->attr.type != PERF_TYPE_TRACEPOINT) {
		e.handler = script_handlers_find(h, "process_event", NULL) ? "process_event" : NULL;
		return e;
	}
	e.tp = tracepoints_by_id(tps, (uint32_t)event->attr.config);
	if (!e.tp)
		return e;
	e.event_name = arena_printf(arena, "%s__%s", e.tp->system, e.tp->name);
	e.pid = tracepoint_field(e.tp, "common_pid");
	e.preempt_count = tracepoint_field(e.tp, "common_preempt_count");
	e.flags = tracepoint_field(e.tp, "common_flags");
	e.lock_depth = tracepoint_field(e.tp, "common_lock_depth");
	choose_handler(&e, h);
	return e;
}

bool event_values_need_frames(const struct event_values *e, const struct resolved_sample *s)
{
	return e->handler && (!e->tp || e->with_sample || s->sample.callchain);
}

/* ---- fields ---- */

static uint64_t number_of(const struct tracepoints *tps, const struct tracepoint_field *f, const struct sample *x)
{
	uint64_t v = f ? field_number(tps, f, x->raw, x->raw_bytes) : 0;
	return f && f->bytes < 8 ? v & (((uint64_t)1 << 8 * f->bytes) - 1) : v; /* perf does not extend the sign */
}

static bool is_printable(struct field_span s)
{
	if (!s.bytes || s.data[s.bytes - 1])
		return false;
	for (uint32_t i = 0; s.data[i]; i++)
		if (!isprint(s.data[i]) && !isspace(s.data[i]))
			return false;
	return true;
}

static void put_field(struct pickle *to, const struct tracepoints *tps, const struct tracepoint_field *f, const struct sample *x)
{
	if (f->kind == FIELD_NUMBER) {
		uint64_t v = number_of(tps, f, x);
		if (f->is_signed)
			pickle_i64(to, (int64_t)v);
		else
			pickle_u64(to, v);
		return;
	}
	struct field_span span = field_bytes(tps, f, x->raw, x->raw_bytes);
	if (f->is_string && is_printable(span))
		pickle_text(to, (const char *)span.data, strlen((const char *)span.data));
	else
		pickle_bytearray(to, span.data, span.bytes);
}

static void put_fields(const struct event_values *e, struct pickle *to, const struct tracepoints *tps, const struct sample *x)
{
	for (uint32_t i = e->tp->common_nr; i < e->tp->fields_nr; i++) {
		const struct tracepoint_field *f = &e->tp->fields[i];
		if (e->as_dict)
			pickle_name(to, f->name);
		put_field(to, tps, f, x);
	}
}

static void put_key(const struct event_values *e, struct pickle *to, const char *key)
{
	if (e->as_dict)
		pickle_name(to, key);
}

static void put_common(const struct event_values *e, const struct tracepoints *tps, struct sample_values *v,
		       const struct resolved_sample *s)
{
	struct pickle *to = v->to;
	put_key(e, to, "common_cpu");
	pickle_i64(to, (int32_t)s->sample.cpu);
	put_key(e, to, "common_s");
	pickle_u64(to, s->sample.time / 1000000000);
	put_key(e, to, "common_ns");
	pickle_u64(to, s->sample.time % 1000000000);
	put_key(e, to, "common_pid");
	pickle_i64(to, (int32_t)number_of(tps, e->pid, &s->sample));
	put_key(e, to, "common_comm");
	pickle_name(to, s->comm);
	put_key(e, to, "common_callchain");
	sample_values_chain(v, s);
}

static void put_tracepoint(const struct event_values *e, const struct tracepoints *tps, struct sample_values *v, const char *context,
			   const struct resolved_sample *s)
{
	struct pickle *to = v->to;
	pickle_begin_tuple(to);
	pickle_name(to, e->event_name);
	pickle_name(to, context);
	if (e->as_dict)
		pickle_begin_dict(to);
	put_common(e, tps, v, s);
	put_fields(e, to, tps, &s->sample);
	if (e->as_dict)
		pickle_end_dict(to);
	if (e->with_sample)
		sample_values_dict(v, s);
	pickle_end_tuple(to);
}

void event_values_put(const struct event_values *e, const struct tracepoints *tps, struct sample_values *v, const char *context,
		      const struct resolved_sample *s)
{
	struct pickle *to = v->to;
	pickle_begin_tuple(to);
	pickle_name(to, e->handler);
	pickle_begin_tuple(to);
	pickle_i64(to, (int64_t)number_of(tps, e->preempt_count, &s->sample));
	pickle_i64(to, (int64_t)number_of(tps, e->flags, &s->sample));
	pickle_i64(to, (int64_t)number_of(tps, e->lock_depth, &s->sample));
	pickle_end_tuple(to);
	if (e->tp) {
		put_tracepoint(e, tps, v, context, s);
	} else {
		pickle_begin_tuple(to);
		sample_values_dict(v, s);
		pickle_end_tuple(to);
	}
	pickle_end_tuple(to);
}
