#include "analysis/sched/sched_source.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/task_states.h"
#include "base/hash.h"
#include "base/mem.h"
#include "record/order.h"
#include "session/input.h"
#include "session/session.h"

#define KNOWN_IDS 64
#define NUMBERS 5
#define TEXTS   2

/* The fields read of each kind of event, in the order of take_numbers(). */
static const struct kind {
	const char *name;
	struct {
		const char *name;
		uint8_t bytes; /* size in 64-bit kernels */
	} numbers[NUMBERS];
	const char *texts[TEXTS];
} kinds[SCHED_KINDS] = {
	[SCHED_SWITCH] = { "sched_switch",
			   { { "prev_pid", 4 }, { "next_pid", 4 }, { "prev_prio", 4 }, { "next_prio", 4 }, { "prev_state", 8 } },
			   { "prev_comm", "next_comm" } },
	[SCHED_WAKING] = { "sched_waking", { { "pid", 4 }, { "prio", 4 }, { "common_flags", 1 } }, { "comm" } },
	[SCHED_WAKEUP] = { "sched_wakeup", { { "pid", 4 }, { "prio", 4 }, { "common_flags", 1 } }, { "comm" } },
	[SCHED_WAKEUP_NEW] = { "sched_wakeup_new", { { "pid", 4 }, { "prio", 4 }, { "common_flags", 1 } }, { "comm" } },
	[SCHED_MIGRATE] = { "sched_migrate_task", { { "pid", 4 }, { "orig_cpu", 4 }, { "dest_cpu", 4 } }, {} },
	[SCHED_RUNTIME] = { "sched_stat_runtime", { { "pid", 4 }, { "runtime", 8 } }, {} },
	[SCHED_FORK] = { "sched_process_fork", { { "child_pid", 4 } }, {} },
};

/* include/linux/trace_events.h: TRACE_FLAG_HARDIRQ, _SOFTIRQ */
#define FLAGS_INTERRUPT 0x18

#define STATE_BITS 64

/* An event of the recording, and the offsets of its fields. */
struct reader {
	enum sched_kind kind;
	bool has_chain, is_skipped;
	/* raw data directly follow the fixed fields, and have all fields, with the usual sizes, at the offsets in `places` */
	bool is_plain;
	uint16_t time, tid, cpu, raw; /* offsets in a plain sample; raw: first byte of the raw data */
	uint32_t end; /* of the last field in the raw data */
	uint16_t number_places[NUMBERS], text_places[TEXTS], text_bytes[TEXTS];
	const struct tracepoint_field *numbers[NUMBERS], *texts[TEXTS];
	char letters[STATE_BITS + 1]; /* by the lowest bit set in prev_state; the last: no bit */
};

struct sched_source {
	struct sched_source_request q;
	struct session session;
	struct record_source *ordered; /* the session's source if it is ordered by time, else NULL */
	struct tracepoints *formats;
	VEC(struct reader) readers; /* by event */
	const struct sched_source_callbacks *callbacks;
	struct sched_source_counts counts;
	uint16_t id_offset; /* of samples; SAMPLE_NO_OFFSET: no fixed offset */
	struct known_id {
		uint64_t id; /* 0: none */
		uint32_t event;
	} known_ids[KNOWN_IDS]; /* by their last bits: IDs of an event on several CPUs are consecutive */
};

/* ---- the recording's events ---- */

static enum sched_kind kind_of(const struct tracepoint *point)
{
	if (!point || strcmp(point->system, "sched") != 0)
		return SCHED_UNRELATED;
	for (int i = SCHED_UNRELATED + 1; i < SCHED_KINDS; i++)
		if (!strcmp(point->name, kinds[i].name))
			return (enum sched_kind)i;
	return SCHED_UNRELATED;
}

static uint16_t place_of(const struct tracepoint_field *f, struct reader *d)
{
	uint64_t end = (uint64_t)f->offset + f->bytes;
	d->is_plain &= end <= UINT16_MAX;
	d->end = d->end < end ? (uint32_t)end : d->end;
	return (uint16_t)f->offset;
}

/* Raw data directly after the fixed fields, which include those of the event. */
static bool has_plain_raw(const struct sample_layout *l)
{
	return l->sample_type & PERF_SAMPLE_RAW && !(l->sample_type & (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)) &&
		l->time != SAMPLE_NO_OFFSET && l->tid != SAMPLE_NO_OFFSET && l->cpu != SAMPLE_NO_OFFSET;
}

/* Numbers of unusual sizes, strings elsewhere, and events without some field are read by field descriptions. */
static void compile(struct reader *d, const struct sample_layout *l, bool is_swapped)
{
	d->is_plain = d->kind && !is_swapped && has_plain_raw(l);
	d->time = l->time;
	d->tid = l->tid;
	d->cpu = l->cpu;
	d->raw = (uint16_t)(l->variable + sizeof(uint32_t));
	for (size_t i = 0; d->is_plain && i < NUMBERS && kinds[d->kind].numbers[i].name; i++) {
		const struct tracepoint_field *f = d->numbers[i];
		d->is_plain = f && f->kind == FIELD_NUMBER && f->bytes == kinds[d->kind].numbers[i].bytes;
		if (d->is_plain)
			d->number_places[i] = place_of(f, d);
	}
	for (size_t i = 0; d->is_plain && i < TEXTS && kinds[d->kind].texts[i]; i++) {
		const struct tracepoint_field *f = d->texts[i];
		d->is_plain = f && f->kind == FIELD_ARRAY && f->bytes;
		if (!d->is_plain)
			break;
		d->text_places[i] = place_of(f, d);
		d->text_bytes[i] = (uint16_t)f->bytes;
	}
}

/* A letter for each bit, and for none. */
static void take_letters(struct reader *d, const char *print_fmt)
{
	char known[16];
	task_state_letters(print_fmt, known, sizeof(known));
	for (size_t i = 0; i <= STATE_BITS; i++)
		d->letters[i] = task_state_letter(known, i < STATE_BITS ? UINT64_C(1) << i : 0);
}

static void add_reader(void *ctx, const struct env_event *e)
{
	struct sched_source *s = ctx;
	const struct tracepoint *point = tracepoints_of_event(s->formats, e);
	struct reader d = { .kind = kind_of(point), .has_chain = e->layout.sample_type & PERF_SAMPLE_CALLCHAIN };
	d.is_skipped = s->q.skipped_kinds & SCHED_BIT(d.kind);
	if (d.kind == SCHED_SWITCH)
		take_letters(&d, point->print_fmt);
	for (size_t i = 0; d.kind && i < NUMBERS && kinds[d.kind].numbers[i].name; i++)
		d.numbers[i] = tracepoint_field(point, kinds[d.kind].numbers[i].name);
	for (size_t i = 0; d.kind && i < TEXTS && kinds[d.kind].texts[i]; i++)
		d.texts[i] = tracepoint_field(point, kinds[d.kind].texts[i]);
	compile(&d, &e->layout, s->session.env->swapped);
	vec_push(&s->readers, d);
}

static struct strobe_error *read_events(struct sched_source *s)
{
	const struct env *env = s->session.env;
	TRY(tracepoints_learn_events(&s->formats, env, s->readers.len, add_reader, s));
	s->id_offset = env->events.len ? env->events.data[0].layout.identifier : SAMPLE_NO_OFFSET;
	return NULL;
}

bool sched_source_has(const struct sched_source *s, enum sched_kind kind)
{
	for (size_t i = 0; i < s->readers.len; i++)
		if (s->readers.data[i].kind == kind)
			return true;
	return false;
}

bool sched_source_has_chains(const struct sched_source *s)
{
	for (size_t i = 0; i < s->readers.len; i++)
		if (s->readers.data[i].kind == SCHED_SWITCH)
			return s->readers.data[i].has_chain;
	return false;
}

/* ---- fields ---- */

static uint32_t load_u32(const uint8_t *at)
{
	uint32_t v;
	memcpy(&v, at, sizeof(v));
	return v;
}

static uint64_t load_u64(const uint8_t *at)
{
	uint64_t v;
	memcpy(&v, at, sizeof(v));
	return v;
}

/* Numbers of the usual sizes, at these places. */
static void take_numbers(struct sched_event *e, const struct reader *d, const uint8_t *raw, const uint16_t *places)
{
	uint64_t state;
	e->kind = d->kind;
	switch (d->kind) {
	case SCHED_SWITCH:
		e->prev_pid = load_u32(raw + places[0]);
		e->next_pid = load_u32(raw + places[1]);
		e->prev_prio = (int32_t)load_u32(raw + places[2]);
		e->next_prio = (int32_t)load_u32(raw + places[3]);
		state = load_u64(raw + places[4]);
		e->letter = d->letters[state ? __builtin_ctzll(state) : STATE_BITS];
		break;
	case SCHED_WAKING:
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		e->wakee = load_u32(raw + places[0]);
		e->prio = (int32_t)load_u32(raw + places[1]);
		e->in_interrupt = raw[places[2]] & FLAGS_INTERRUPT;
		break;
	case SCHED_MIGRATE:
		e->migrant = load_u32(raw + places[0]);
		e->from_cpu = load_u32(raw + places[1]);
		e->to_cpu = load_u32(raw + places[2]);
		break;
	case SCHED_RUNTIME:
		e->runner = load_u32(raw + places[0]);
		e->runtime_ns = load_u64(raw + places[1]);
		break;
	default:
		e->child = load_u32(raw + places[0]);
	}
}

static void put_number(uint8_t *to, uint8_t bytes, uint64_t number)
{
	uint32_t half = (uint32_t)number;
	if (bytes == sizeof(number))
		memcpy(to, &number, sizeof(number));
	else if (bytes == sizeof(half))
		memcpy(to, &half, sizeof(half));
	else
		*to = (uint8_t)number;
}

/* Reads fields by their descriptions, and converts numbers to the usual sizes. Missing fields are 0. */
static void take_fields(const struct sched_source *s, const struct reader *d, struct sched_event *e, const uint8_t *raw, uint32_t raw_bytes)
{
	static const uint16_t places[NUMBERS] = { 0, 8, 16, 24, 32 };
	uint8_t numbers[NUMBERS * sizeof(uint64_t)] = {};
	struct field_span texts[TEXTS] = {};
	for (size_t i = 0; i < NUMBERS; i++)
		if (d->numbers[i])
			put_number(numbers + places[i], kinds[d->kind].numbers[i].bytes,
				   field_number(s->formats, d->numbers[i], raw, raw_bytes));
	for (size_t i = 0; i < TEXTS; i++)
		if (d->texts[i])
			texts[i] = field_bytes(s->formats, d->texts[i], raw, raw_bytes);
	take_numbers(e, d, numbers, places);
	e->comm = texts[0];
	e->next_comm = texts[1];
}

/* ---- records ---- */

/* Whether a sample is long enough for the offsets of its reader. */
static bool is_plain(const struct reader *d, struct record r)
{
	if (!d->is_plain || r.hdr->size < d->raw + d->end)
		return false;
	uint32_t raw_bytes = load_u32((const uint8_t *)r.hdr + d->raw - sizeof(raw_bytes));
	return raw_bytes >= d->end && raw_bytes <= (uint32_t)(r.hdr->size - d->raw);
}

static void take_plain(const struct reader *d, struct record r, struct sched_event *e)
{
	const uint8_t *at = (const uint8_t *)r.hdr, *raw = at + d->raw;
	e->time_ns = sample_word(r, d->time);
	e->pid = load_u32(at + d->tid);
	e->tid = load_u32(at + d->tid + sizeof(e->pid));
	e->cpu = load_u32(at + d->cpu);
	take_numbers(e, d, raw, d->number_places);
	if (!d->text_bytes[0])
		return;
	e->comm = (struct field_span){ raw + d->text_places[0], d->text_bytes[0] };
	e->next_comm = (struct field_span){ raw + d->text_places[1], d->text_bytes[1] };
}

/* Any other sample; false: shorter than its layout. */
static bool take_any(const struct sched_source *s, const struct reader *d, const struct sample_layout *l, struct record r,
		     struct sched_event *e)
{
	struct sample_hot hot;
	struct sample full;
	if (!sample_decode_hot(l, r, &hot) || (d->kind && !sample_decode(l, r, &full)))
		return false;
	e->time_ns = hot.time;
	e->cpu = hot.cpu;
	e->pid = hot.pid;
	e->tid = hot.tid;
	if (d->kind)
		take_fields(s, d, e, full.raw, full.raw_bytes);
	return true;
}

static struct known_id *known_slot(struct sched_source *s, uint64_t id)
{
	return &s->known_ids[id % KNOWN_IDS];
}

static uint64_t id_of(const struct sched_source *s, struct record r)
{
	return r.hdr->size >= s->id_offset + sizeof(uint64_t) ? sample_word(r, s->id_offset) : 0;
}

/* The reader of a sample with a cached ID; NULL: it has to be looked up. */
static const struct reader *known_reader(struct sched_source *s, struct record r)
{
	uint64_t id = id_of(s, r);
	const struct known_id *known = known_slot(s, id);
	return id && known->id == id ? &s->readers.data[known->event] : NULL;
}

static struct strobe_error *take_new(struct sched_source *s, struct record r, struct sched_event *e)
{
	const struct env *env = s->session.env;
	if (s->readers.len < env->events.len || !s->formats)
		TRY(read_events(s));
	uint32_t event = env_event_of_sample(env, r);
	if (event >= s->readers.len) {
		s->counts.bad_samples++;
		return NULL;
	}
	uint64_t id = id_of(s, r);
	if (id)
		*known_slot(s, id) = (struct known_id){ .id = id, .event = event };
	e->kind = s->readers.data[event].kind;
	if (!take_any(s, &s->readers.data[event], &env->events.data[event].layout, r, e)) {
		s->counts.bad_samples++;
		return NULL;
	}
	return s->readers.data[event].is_skipped ? NULL : s->callbacks->event(s->callbacks->ctx, e);
}

static struct strobe_error *take_sample(struct sched_source *s, struct record r, struct sched_event *e)
{
	const struct reader *d = known_reader(s, r);
	if (!d || !is_plain(d, r))
		return take_new(s, r, e);
	if (d->is_skipped)
		return NULL;
	take_plain(d, r, e);
	return s->callbacks->event(s->callbacks->ctx, e);
}

static struct strobe_error *take_other(struct sched_source *s, struct record r)
{
	struct sample_tail tail = {};
	struct record_lost lost;
	if (r.hdr->type == PERF_RECORD_LOST && record_decode_lost(r, &lost)) {
		s->counts.lost_records++;
		s->counts.lost += lost.lost;
	}
	if (!s->callbacks->record)
		return NULL;
	if (r.hdr->type < RECORD_USER_FIRST && s->session.env->events.len)
		sample_tail_decode(env_tail_layout(s->session.env), r, &tail);
	return s->callbacks->record(s->callbacks->ctx, r, &tail);
}

/* ---- without chains: records as they are ---- */

/* A plain sample at the start of a window; NULL: another record, or not the next one in order of time. */
static const struct reader *next_plain(struct sched_source *s, struct record r, const struct record_window *w)
{
	if (!record_is_whole(r.hdr, (size_t)(w->end - (const char *)r.hdr)) || r.hdr->type != PERF_RECORD_SAMPLE)
		return NULL;
	const struct reader *d = known_reader(s, r);
	return d && is_plain(d, r) && sample_word(r, d->time) <= w->limit_ns ? d : NULL;
}

/* Reads consecutive plain samples in memory without a call for each. */
static struct strobe_error *take_window(struct sched_source *s, struct sched_event *e)
{
	struct record_source *input = s->session.source;
	struct record_window w;
	struct strobe_error *err = NULL;
	uint64_t records = 0, last_ns = 0;
	if (!input->ops->window(input, &w))
		return NULL;
	const char *at = w.at;
	while (!err && w.end - at >= (ptrdiff_t)sizeof(struct perf_event_header)) {
		struct record r = { .hdr = (const void *)at };
		record_prefetch(at);
		const struct reader *d = next_plain(s, r, &w);
		if (!d)
			break;
		last_ns = sample_word(r, d->time);
		at += r.hdr->size;
		records++;
		if (d->is_skipped)
			continue;
		take_plain(d, r, e);
		err = s->callbacks->event(s->callbacks->ctx, e);
	}
	s->counts.records += records;
	input->ops->take(input, (size_t)(at - w.at), records, last_ns);
	return err;
}

static struct strobe_error *walk(struct sched_source *s)
{
	struct sched_event e = {};
	struct record r;
	bool is_end = false;
	for (;;) {
		TRY(take_window(s, &e));
		TRY(source_next(s->session.source, &r, &is_end));
		if (is_end)
			return NULL;
		s->counts.records++;
		if (r.hdr->type == PERF_RECORD_SAMPLE)
			TRY(take_sample(s, r, &e));
		else
			TRY(take_other(s, r));
	}
}

/* ---- with chains: the resolver walks ---- */

static struct strobe_error *take_resolved(void *ctx, const struct resolved_sample *r)
{
	struct sched_source *s = ctx;
	struct sched_event e = { .chain = r->chain, .chain_nr = r->chain_nr };
	s->counts.records++;
	if (r->chain_nr)
		e.chain_key = hash_u64s(r->sample.callchain, r->sample.callchain_nr, hash_u64(r->chain_space)) | 1;
	return take_sample(s, r->record, &e);
}

static struct strobe_error *take_resolved_other(void *ctx, struct record r, uint64_t time_ns)
{
	struct sched_source *s = ctx;
	(void)time_ns;
	s->counts.records++;
	return take_other(s, r);
}

static struct strobe_error *walk_resolved(struct sched_source *s)
{
	struct session_request request = { .symbols = s->q.symbols, .resolve = { .with_chains = true, .with_inlines = true } };
	struct resolve_callbacks callbacks = { .sample = take_resolved, .record = take_resolved_other, .ctx = s };
	TRY(session_resolve(&s->session, &request));
	return resolve_stream(s->session.resolver, callbacks);
}

/* ---- the whole ---- */

struct strobe_error *sched_source_open(const struct sched_source_request *q, struct sched_source **ret)
{
	struct sched_source *s = *ret = xcalloc(1, sizeof(*s));
	s->q = *q;
	TRY(session_open(&s->session, q->host, q->input, q->force));
	return read_events(s);
}

struct strobe_error *sched_source_run(struct sched_source *s, const struct sched_source_callbacks *c)
{
	struct strobe_error *err;
	s->callbacks = c;
	if (s->q.with_chains && sched_source_has_chains(s)) {
		err = walk_resolved(s);
	} else {
		s->ordered = s->session.source = order_create(s->session.source);
		order_release_given(s->session.source);
		err = walk(s);
	}
	err = error_first(err, read_events(s));
	if (!err && !sched_source_has(s, SCHED_SWITCH))
		return error_create(ERROR_NOT_FOUND, "this recording has no sched_switch events: record them with 'sched record'");
	return err;
}

void sched_source_close(struct sched_source *s)
{
	if (!s)
		return;
	tracepoints_destroy(s->formats);
	vec_deinit(&s->readers);
	session_close(&s->session);
	free(s);
}

const struct env *sched_source_env(const struct sched_source *s)
{
	return s->session.env;
}

const struct sched_source_counts *sched_source_counts(const struct sched_source *s)
{
	return &s->counts;
}

void sched_source_remarks(const struct sched_source *s)
{
	session_remarks(&s->session, false);
	if (!s->ordered)
		return;
	input_say_lost(s->q.host, s->counts.lost, 0);
	input_say_untimely(s->q.host, order_late(s->ordered), order_misdated(s->ordered));
}
