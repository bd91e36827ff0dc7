/* Arguments of handlers in Python. */
#include <ctype.h>
#include <string.h>

#include "scripting/event_values.h"

#define COMMON_ARGUMENTS 8 /* event_name … common_callchain */
#define UNHANDLED_ARGUMENTS 3

static void choose(struct event_values *e, const struct script_handlers *h)
{
	unsigned arguments;
	if (!e->tp) {
		e->handler = script_handlers_find(h, "process_event", NULL) ? "process_event" : NULL;
	} else if (script_handlers_find(h, e->event_name, &arguments)) {
		e->handler = e->event_name;
		e->with_sample = arguments == COMMON_ARGUMENTS + e->tp->fields_nr - e->tp->common_nr + 1;
	} else if (script_handlers_find(h, "trace_unhandled", &arguments)) {
		e->handler = "trace_unhandled";
		e->as_dict = true;
		e->with_sample = arguments == UNHANDLED_ARGUMENTS + 1;
	}
}

static bool needs_frames(const struct event_values *e, const struct resolved_sample *s)
{
	return e->handler && (!e->tp || e->with_sample || s->sample.callchain);
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

/* Char arrays are text if printable, other arrays are bytes. */
static void put_field(struct event_stream *to, const struct tracepoint_field *f, const struct sample *x)
{
	if (f->kind == FIELD_NUMBER) {
		event_put_number(to, f, x);
		return;
	}
	struct field_span span = field_bytes(to->tracepoints, f, x->raw, x->raw_bytes);
	if (f->is_string && is_printable(span))
		value_text(to->values.to, (const char *)span.data, strlen((const char *)span.data));
	else
		value_buffer(to->values.to, span.data, span.bytes);
}

static void put_key(const struct event_values *e, struct value_stream *to, const char *key)
{
	if (e->as_dict)
		value_name(to, key);
}

static void put_common(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s)
{
	struct value_stream *v = to->values.to;
	put_key(e, v, "common_cpu");
	value_i64(v, (int32_t)s->sample.cpu);
	put_key(e, v, "common_s");
	value_u64(v, s->sample.time / 1000000000);
	put_key(e, v, "common_ns");
	value_u64(v, s->sample.time % 1000000000);
	put_key(e, v, "common_pid");
	value_i64(v, (int32_t)event_number(to->tracepoints, e->pid, &s->sample));
	put_key(e, v, "common_comm");
	value_name(v, s->comm);
	put_key(e, v, "common_callchain");
	sample_values_chain(&to->values, s);
}

static void put_tracepoint(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s)
{
	struct value_stream *v = to->values.to;
	value_name(v, e->event_name);
	value_context(v);
	if (e->as_dict)
		value_begin(v, VALUE_DICT);
	put_common(e, to, s);
	for (uint32_t i = e->tp->common_nr; i < e->tp->fields_nr; i++) {
		put_key(e, v, e->tp->fields[i].name);
		put_field(to, &e->tp->fields[i], &s->sample);
	}
	if (e->as_dict)
		value_end(v, VALUE_DICT);
	if (e->with_sample)
		sample_values_dict(&to->values, s);
}

static void put(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s)
{
	event_call_begin(e, to, e->handler, &s->sample);
	if (e->tp)
		put_tracepoint(e, to, s);
	else
		sample_values_dict(&to->values, s);
	event_call_end(to);
}

const struct event_form python_events = {
	.joint = "__",
	.has_symbol_offset = true,
	.choose = choose,
	.put = put,
	.needs_frames = needs_frames,
};
