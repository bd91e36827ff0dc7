/* Arguments of handlers in Perl. */
#include <string.h>

#include "scripting/event_values.h"

/* The struct that scripts unpack: the beginning of perf 6.1's own struct perf_sample. */
struct perl_sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr, id, stream_id, period, weight, transaction, insn_cnt, cyc_cnt;
	uint32_t cpu, raw_bytes;
	uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
};

static void choose(struct event_values *e, const struct script_handlers *h)
{
	e->general_handler = script_handlers_find(h, "process_event", NULL) ? "process_event" : NULL;
	if (e->tp && script_handlers_find(h, e->event_name, NULL))
		e->handler = e->event_name;
	else if (e->tp && script_handlers_find(h, "trace_unhandled", NULL))
		e->handler = "trace_unhandled";
}

static bool needs_frames(const struct event_values *e, const struct resolved_sample *s)
{
	return e->handler && s->sample.callchain;
}

/* Char arrays are text up to their NUL, other arrays are bytes. */
static void put_field(struct event_stream *to, const struct tracepoint_field *f, const struct sample *x)
{
	if (f->kind == FIELD_NUMBER) {
		event_put_number(to, f, x);
		return;
	}
	struct field_span span = field_bytes(to->tracepoints, f, x->raw, x->raw_bytes);
	value_text(to->values.to, (const char *)span.data, f->is_string ? strnlen((const char *)span.data, span.bytes) : span.bytes);
}

static void put_tracepoint(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s)
{
	struct value_stream *v = to->values.to;
	event_call_begin(e, to, e->handler, &s->sample);
	value_name(v, e->event_name);
	value_context(v);
	value_u64(v, s->sample.cpu);
	value_u64(v, s->sample.time / 1000000000);
	value_u64(v, s->sample.time % 1000000000);
	value_i64(v, (int32_t)event_number(to->tracepoints, e->pid, &s->sample));
	value_name(v, s->comm);
	sample_values_chain(&to->values, s);
	for (uint32_t i = e->tp->common_nr; i < e->tp->fields_nr; i++)
		put_field(to, &e->tp->fields[i], &s->sample);
	event_call_end(to);
}

static struct perl_sample make_sample(const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	uint64_t has = s->event->attr.sample_type;
	bool has_parts = has & PERF_SAMPLE_WEIGHT_STRUCT;
	return (struct perl_sample){
		.ip = x->ip,
		.pid = x->pid,
		.tid = x->tid,
		.time = x->time,
		.addr = x->addr,
		.id = has & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? x->id : UINT64_MAX,
		.stream_id = has & PERF_SAMPLE_STREAM_ID ? x->stream_id : UINT64_MAX,
		.period = x->period,
		.weight = has_parts ? x->weight1 : x->weight,
		.transaction = x->transaction,
		.cpu = x->cpu,
		.raw_bytes = x->raw_bytes,
		.data_src = has & PERF_SAMPLE_DATA_SRC ? x->data_src : SAMPLE_VALUES_NO_DATA_SRC,
		.phys_addr = x->phys_addr,
		.data_page_size = x->data_page_size,
		.code_page_size = x->code_page_size,
		.cgroup = x->cgroup,
	};
}

static void put_general(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s)
{
	struct value_stream *v = to->values.to;
	struct perl_sample sample = make_sample(s);
	event_call_begin(e, to, e->general_handler, &s->sample);
	value_bytes(v, s->record.hdr, s->record.hdr->size);
	value_bytes(v, &s->event->attr, sizeof(s->event->attr));
	value_bytes(v, &sample, sizeof(sample));
	if (s->sample.raw_bytes)
		value_bytes(v, s->sample.raw, s->sample.raw_bytes);
	else
		value_none(v);
	event_call_end(to);
}

static void put(const struct event_values *e, struct event_stream *to, const struct resolved_sample *s)
{
	if (e->handler)
		put_tracepoint(e, to, s);
	if (e->general_handler)
		put_general(e, to, s);
}

const struct event_form perl_events = {
	.joint = "::",
	.choose = choose,
	.put = put,
	.needs_frames = needs_frames,
};
