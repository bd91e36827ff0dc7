#include "scripting/event_values.h"

#include "decode/value_names.h"

struct event_values event_values_find(const struct event_form *form, const struct env_event *event, const struct tracepoints *tps,
				      const struct script_handlers *h, struct arena *arena)
{
	struct event_values e = { .is_ready = true, .form = form };
	bool is_tracepoint = event->attr.type == PERF_TYPE_TRACEPOINT;
	e.tp = tracepoints_of_event(tps, event);
	if (is_tracepoint && !e.tp)
		return e;
	if (e.tp) {
		e.event_name = arena_printf(arena, "%s%s%s", e.tp->system, form->joint, e.tp->name);
		e.pid = tracepoint_field(e.tp, "common_pid");
		e.preempt_count = tracepoint_field(e.tp, "common_preempt_count");
		e.flags = tracepoint_field(e.tp, "common_flags");
		e.lock_depth = tracepoint_field(e.tp, "common_lock_depth");
	}
	form->choose(&e, h);
	return e;
}

bool event_values_has_handler(const struct event_values *e)
{
	return e->handler || e->general_handler;
}

uint64_t event_number(const struct tracepoints *tps, const struct tracepoint_field *f, const struct sample *x)
{
	uint64_t v = f ? field_number(tps, f, x->raw, x->raw_bytes) : 0;
	return f && f->bytes < 8 ? v & (((uint64_t)1 << 8 * f->bytes) - 1) : v; /* perf does not sign-extend */
}

void event_put_number(struct event_stream *to, const struct tracepoint_field *f, const struct sample *x)
{
	uint64_t v = event_number(to->tracepoints, f, x);
	if (f->is_signed)
		value_i64(to->values.to, (int64_t)v);
	else
		value_u64(to->values.to, v);
}

void event_call_begin(const struct event_values *e, struct event_stream *to, const char *handler, const struct sample *x)
{
	const struct tracepoint_field *common[] = { e->preempt_count, e->flags, e->lock_depth };
	struct value_stream *s = to->values.to;
	value_begin(s, VALUE_TUPLE);
	value_name(s, handler);
	value_begin(s, VALUE_TUPLE);
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		value_i64(s, (int64_t)event_number(to->tracepoints, common[i], x));
	value_end(s, VALUE_TUPLE);
	value_begin(s, VALUE_TUPLE);
}

void event_call_end(struct event_stream *to)
{
	value_end(to->values.to, VALUE_TUPLE);
	value_end(to->values.to, VALUE_TUPLE);
}

/* ---- names of values ---- */

struct definitions {
	const struct event_values *e;
	struct event_stream *to;
	const struct script_handlers *handlers;
};

/* For flags, and for values. */
static const char *const define_field[] = { "define_flag_field", "define_symbolic_field" };
static const char *const define_value[] = { "define_flag_value", "define_symbolic_value" };

/* False: the script does not define the function. */
static bool begin_definition(const struct definitions *d, const char *function, const struct value_names_field *f)
{
	static const struct sample no_sample;
	if (!script_handlers_find(d->handlers, function, NULL))
		return false;
	event_call_begin(d->e, d->to, function, &no_sample);
	value_name(d->to->values.to, d->e->event_name);
	value_name(d->to->values.to, f->name);
	return true;
}

static void put_field_definition(void *ctx, const struct value_names_field *f)
{
	const struct definitions *d = ctx;
	if (!begin_definition(d, define_field[!f->delimiter], f))
		return;
	if (f->delimiter)
		value_name(d->to->values.to, f->delimiter);
	event_call_end(d->to);
}

static void put_value_definition(void *ctx, const struct value_names_field *f, uint64_t value, const char *name)
{
	const struct definitions *d = ctx;
	if (!begin_definition(d, define_value[!f->delimiter], f))
		return;
	value_u64(d->to->values.to, value);
	value_name(d->to->values.to, name);
	event_call_end(d->to);
}

void event_values_put_names(struct event_values *e, struct event_stream *to, const struct script_handlers *h)
{
	struct definitions d = { .e = e, .to = to, .handlers = h };
	if (e->tp && !e->are_names_put)
		value_names_each(e->tp, &(struct value_names_callbacks){ put_field_definition, put_value_definition, &d });
	e->are_names_put = true;
}
