#include "dump/conversion/samples_ctf.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

/* The plain members of a sample: which bit of sample_type requests them, and what they are called. */
#define ROW(bits, name, kind, member)                                                                            \
	{                                                                                                        \
		bits, name, kind, sizeof(((struct sample *)0)->member), offsetof(struct sample, member)          \
	}
static const struct sample_row {
	uint64_t bits; /* any of them */
	const char *name;
	uint8_t kind, bytes;
	uint16_t offset;
} sample_rows[] = {
	ROW(PERF_SAMPLE_IP, "perf_ip", CTF_HEX, ip),
	ROW(PERF_SAMPLE_TID, "perf_tid", CTF_SIGNED, tid),
	ROW(PERF_SAMPLE_TID, "perf_pid", CTF_SIGNED, pid),
	ROW(PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, "perf_id", CTF_UNSIGNED, id),
	ROW(PERF_SAMPLE_STREAM_ID, "perf_stream_id", CTF_UNSIGNED, stream_id),
	ROW(PERF_SAMPLE_PERIOD, "perf_period", CTF_UNSIGNED, period),
	ROW(PERF_SAMPLE_WEIGHT, "perf_weight", CTF_UNSIGNED, weight),
	ROW(PERF_SAMPLE_WEIGHT_STRUCT, "perf_weight", CTF_UNSIGNED, weight1),
	ROW(PERF_SAMPLE_WEIGHT_STRUCT, "perf_ins_lat", CTF_UNSIGNED, weight2),
	ROW(PERF_SAMPLE_WEIGHT_STRUCT, "perf_p_stage_cyc", CTF_UNSIGNED, weight3),
	ROW(PERF_SAMPLE_DATA_SRC, "perf_data_src", CTF_UNSIGNED, data_src),
	ROW(PERF_SAMPLE_TRANSACTION, "perf_transaction", CTF_UNSIGNED, transaction),
	ROW(PERF_SAMPLE_ADDR, "perf_addr", CTF_HEX, addr),
	ROW(PERF_SAMPLE_PHYS_ADDR, "perf_phys_addr", CTF_HEX, phys_addr),
	ROW(PERF_SAMPLE_DATA_PAGE_SIZE, "perf_data_page_size", CTF_UNSIGNED, data_page_size),
	ROW(PERF_SAMPLE_CODE_PAGE_SIZE, "perf_code_page_size", CTF_UNSIGNED, code_page_size),
	ROW(PERF_SAMPLE_CGROUP, "perf_cgroup", CTF_UNSIGNED, cgroup),
};
#undef ROW
#define SAMPLE_ROWS (sizeof(sample_rows) / sizeof(*sample_rows))

struct strobe_error *samples_ctf_begin(struct samples_ctf *w, const struct env *env, bool wall_clock, const char *directory,
				       bool replace)
{
	*w = (struct samples_ctf){ .env = env };
	if (wall_clock)
		TRY(env_wall_offset(env, &w->offset_ns));
	return ctf_create(directory, replace, &w->trace);
}

/* ---- classes of samples ---- */

static const struct tracepoint *tracepoint_of(struct samples_ctf *w, uint32_t event)
{
	const struct env_event *e = &w->env->events.data[event];
	if (!(e->attr.sample_type & PERF_SAMPLE_RAW))
		return NULL;
	if (!w->tracepoints)
		w->tracepoints = tracepoints_read_whole(w->env);
	return tracepoints_of_event(w->tracepoints, e);
}

/* Whether a sample has all that the format promises. Of one that has not, the bytes are written as they are. */
static bool fits(const struct tracepoint *tp, const struct sample *x)
{
	for (uint32_t i = 0; i < tp->fields_nr; i++)
		if (tp->fields[i].offset + tp->fields[i].bytes > x->raw_bytes)
			return false;
	return true;
}

/* How a field of a tracepoint is written; elements of a size that is no number's are bytes. */
static struct ctf_field trace_field(const struct tracepoint_field *f)
{
	uint32_t bytes = f->kind == FIELD_NUMBER ? f->bytes : f->element_bytes;
	bool is_number = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
	struct ctf_field c = { .name = f->name, .kind = CTF_UNSIGNED, .bytes = is_number ? (uint8_t)bytes : 1 };
	if (f->is_pointer || (f->is_long && !f->is_signed))
		c.kind = CTF_HEX;
	else if (f->is_signed)
		c.kind = CTF_SIGNED;
	if (f->kind == FIELD_NUMBER)
		return c;
	if (f->is_string) {
		c.kind = CTF_STRING;
	} else if (f->kind == FIELD_ARRAY && f->bytes) {
		c.shape = CTF_ARRAY;
		c.count = f->bytes / c.bytes;
	} else {
		c.shape = CTF_SEQUENCE;
	}
	return c;
}

static uint32_t describe_event(struct samples_ctf *w, uint32_t event, const struct tracepoint *tp)
{
	const struct env_event *e = &w->env->events.data[event];
	uint64_t type = e->attr.sample_type;
	uint32_t id = ctf_class_begin(w->trace, e->name);
	for (size_t i = 0; i < SAMPLE_ROWS; i++) {
		const struct sample_row *row = &sample_rows[i];
		if (type & row->bits)
			ctf_class_field(w->trace, &(struct ctf_field){ row->name, row->kind, .bytes = row->bytes });
	}
	if (type & PERF_SAMPLE_CALLCHAIN)
		ctf_class_field(w->trace, &(struct ctf_field){ "perf_callchain", CTF_HEX, .bytes = 8, .shape = CTF_SEQUENCE });
	for (uint32_t i = 0; tp && i < tp->fields_nr; i++) {
		struct ctf_field f = trace_field(&tp->fields[i]);
		ctf_class_field(w->trace, &f);
	}
	static const struct ctf_field raw = { "raw_data", CTF_HEX, .bytes = 4, .shape = CTF_SEQUENCE, .size_name = "raw_len" };
	if (!tp && type & PERF_SAMPLE_RAW)
		ctf_class_field(w->trace, &raw);
	ctf_class_end(w->trace);
	return id;
}

static uint32_t class_of(struct samples_ctf *w, uint32_t event, const struct tracepoint *tp)
{
	if (w->events_nr < w->env->events.len) { /* a stream may bring more events as it goes */
		w->events = xreallocarray(w->events, w->env->events.len, sizeof(*w->events));
		memset(w->events + w->events_nr, 0, (w->env->events.len - w->events_nr) * sizeof(*w->events));
		w->events_nr = (uint32_t)w->env->events.len;
	}
	uint32_t *known = tp ? &w->events[event].fields : &w->events[event].raw;
	if (!*known)
		*known = describe_event(w, event, tp) + 1;
	return *known - 1;
}

/* ---- samples ---- */

static void put_trace_field(struct samples_ctf *w, struct out *out, const struct tracepoint_field *f, const struct sample *x)
{
	struct ctf_field c = trace_field(f);
	if (f->kind == FIELD_NUMBER) {
		ctf_put_number(out, field_number(w->tracepoints, f, x->raw, x->raw_bytes), c.bytes);
		return;
	}
	struct field_span span = field_bytes(w->tracepoints, f, x->raw, x->raw_bytes);
	if (c.kind == CTF_STRING) {
		ctf_put_string(out, (const char *)span.data, strnlen((const char *)span.data, span.bytes));
		return;
	}
	uint32_t n = c.shape == CTF_ARRAY ? c.count : span.bytes / c.bytes;
	if (c.shape == CTF_SEQUENCE)
		ctf_put_number(out, n, 4);
	for (uint32_t i = 0; i < n; i++)
		ctf_put_number(out, c.bytes == f->element_bytes ? field_element(w->tracepoints, f, span, i) : span.data[i], c.bytes);
}

static void put_raw(struct out *out, const struct sample *x)
{
	uint32_t words = x->raw_bytes / 4, rest = x->raw_bytes % 4;
	ctf_put_number(out, words + (rest != 0), 4);
	out_write(out, x->raw, x->raw_bytes);
	if (rest)
		out_fill(out, 0, 4 - rest);
}

void samples_ctf_add(struct samples_ctf *w, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	uint64_t type = s->event->attr.sample_type;
	const struct tracepoint *tp = tracepoint_of(w, x->event);
	if (tp && !fits(tp, x))
		tp = NULL;
	struct out *out = ctf_event(w->trace, x->cpu, x->time, class_of(w, x->event, tp));
	w->samples++;
	for (size_t i = 0; i < SAMPLE_ROWS; i++) {
		const struct sample_row *row = &sample_rows[i];
		if (type & row->bits)
			out_write(out, (const char *)x + row->offset, row->bytes);
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		ctf_put_number(out, x->callchain_nr, 4);
		out_write(out, x->callchain, x->callchain_nr * sizeof(*x->callchain));
	}
	for (uint32_t i = 0; tp && i < tp->fields_nr; i++)
		put_trace_field(w, out, &tp->fields[i], x);
	if (!tp && type & PERF_SAMPLE_RAW)
		put_raw(out, x);
}

/* ---- other records ---- */

/* perf calls it so. */
static const char *field_name(uint32_t type, const char *name)
{
	return (type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2) && !strcmp(name, "addr") ? "start" : name;
}

static void describe_record_field(struct samples_ctf *w, uint32_t type, const struct record_field *f)
{
	struct ctf_field c = { field_name(type, f->name), CTF_UNSIGNED, .bytes = f->bytes };
	switch ((enum record_field_kind)f->kind) {
	case RECORD_FIELD_CHARS:
		c = (struct ctf_field){ f->name, CTF_HEX, .bytes = 1, .shape = CTF_ARRAY, .count = f->bytes };
		break;
	case RECORD_FIELD_STRING:
		c.kind = CTF_STRING;
		break;
	case RECORD_FIELD_REST:
		c = (struct ctf_field){ f->name, CTF_HEX, .bytes = 1, .shape = CTF_SEQUENCE };
		break;
	case RECORD_FIELD_MMAP2_ID: /* the one or the other is there, the other empty */
		ctf_class_field(w->trace, &(struct ctf_field){ "build_id", CTF_STRING });
		ctf_class_field(w->trace, &(struct ctf_field){ "maj", CTF_UNSIGNED, .bytes = 4 });
		ctf_class_field(w->trace, &(struct ctf_field){ "min", CTF_UNSIGNED, .bytes = 4 });
		ctf_class_field(w->trace, &(struct ctf_field){ "ino", CTF_UNSIGNED, .bytes = 8 });
		c = (struct ctf_field){ "ino_generation", CTF_UNSIGNED, .bytes = 8 };
		break;
	default:
		if (f->bytes == 8 && (!strcmp(f->name, "addr") || !strcmp(f->name, "ip")))
			c.kind = CTF_HEX;
	}
	ctf_class_field(w->trace, &c);
}

/* What repeats in records of the kernel are words: written as one sequence, which has the names of them all. */
static void describe_words(struct samples_ctf *w, const struct record_field *f)
{
	_cleanup_strbuf_ struct strbuf name = {};
	for (; f->kind != RECORD_FIELD_END; f++)
		strbuf_addf(&name, name.len ? "_%s" : "%s", f->name);
	ctf_class_field(w->trace, &(struct ctf_field){ strbuf_str(&name), CTF_HEX, .bytes = 8, .shape = CTF_SEQUENCE });
}

static uint32_t describe_record(struct samples_ctf *w, uint32_t type)
{
	_cleanup_strbuf_ struct strbuf name = {};
	strbuf_addstr(&name, "perf_");
	for (const char *p = record_type_name(type); *p; p++)
		strbuf_addch(&name, *p >= 'A' && *p <= 'Z' ? (char)(*p + 'a' - 'A') : *p);
	uint32_t id = ctf_class_begin(w->trace, strbuf_str(&name));
	for (const struct record_field *f = record_fields(type); f->kind != RECORD_FIELD_END; f++) {
		if (f->kind == RECORD_FIELD_REPEAT) {
			describe_words(w, f + 1);
			break;
		}
		describe_record_field(w, type, f);
	}
	ctf_class_field(w->trace, &(struct ctf_field){ "misc", CTF_HEX, .bytes = 2 });
	ctf_class_end(w->trace);
	return id;
}

static void put_mmap_id(struct out *out, struct record r)
{
	struct record_mmap m;
	char hex[2 * sizeof(m.build_id)];
	if (!record_decode_mmap(r, &m))
		m = (struct record_mmap){};
	text_bytes_to_hex(m.build_id, m.build_id_len, hex);
	out_write(out, hex, 2 * m.build_id_len);
	out_ch(out, 0);
	ctf_put_number(out, m.maj, 4);
	ctf_put_number(out, m.min, 4);
	ctf_put_number(out, m.ino, 8);
	ctf_put_number(out, m.ino_generation, 8);
}

/* v is empty where the record is too short to have the field. */
static void put_record_field(struct out *out, const struct record_field *f, const struct record_value *v, struct record r)
{
	switch ((enum record_field_kind)f->kind) {
	case RECORD_FIELD_CHARS:
		out_write(out, v->data, v->bytes);
		out_fill(out, 0, f->bytes - v->bytes);
		break;
	case RECORD_FIELD_STRING:
		ctf_put_string(out, v->data, v->bytes);
		break;
	case RECORD_FIELD_REST:
		ctf_put_number(out, v->bytes, 4);
		out_write(out, v->data, v->bytes);
		break;
	case RECORD_FIELD_MMAP2_ID:
		put_mmap_id(out, r);
		break;
	default:
		ctf_put_number(out, v->number, f->bytes);
	}
}

static void put_words(struct out *out, struct record_walk *walk, struct record_value *v, bool has)
{
	size_t at = out->len;
	uint32_t n = 0;
	ctf_put_number(out, 0, 4);
	for (; has; has = record_walk_next(walk, v), n++)
		ctf_put_number(out, v->number, 8);
	memcpy(out->buf + at, &n, sizeof(n));
}

/* The trailer of a record, empty where it has none; *ret_bytes: how long it is. */
static struct sample_tail tail_of(const struct env *env, struct record r, uint32_t *ret_bytes)
{
	const struct sample_layout *layout = env->events.len ? env_tail_layout(env) : NULL;
	struct sample_tail tail;
	*ret_bytes = 0;
	if (!layout || !sample_tail_decode(layout, r, &tail) || !tail.present)
		return (struct sample_tail){};
	*ret_bytes = layout->tail_bytes;
	return tail;
}

void samples_ctf_add_record(struct samples_ctf *w, struct record r, uint64_t time_ns)
{
	uint32_t type = r.hdr->type, tail_bytes;
	const struct record_field *f = type < RECORD_USER_FIRST ? record_fields(type) : NULL;
	if (!f)
		return;
	if (!w->records_class[type])
		w->records_class[type] = describe_record(w, type) + 1;
	struct sample_tail tail = tail_of(w->env, r, &tail_bytes);
	struct out *out = ctf_event(w->trace, tail.cpu, time_ns, w->records_class[type] - 1);
	struct record_walk walk = record_walk(r, tail_bytes);
	struct record_value v;
	bool has = record_walk_next(&walk, &v);
	w->records++;
	for (; f->kind != RECORD_FIELD_END; f++) {
		if (f->kind == RECORD_FIELD_REPEAT) {
			put_words(out, &walk, &v, has);
			break;
		}
		bool is_this = has && v.field == f;
		put_record_field(out, f, is_this ? &v : &(struct record_value){ .data = "" }, r);
		if (is_this)
			has = record_walk_next(&walk, &v);
	}
	ctf_put_number(out, r.hdr->misc, 2);
}

void samples_ctf_count_lost(struct samples_ctf *w, struct record r)
{
	struct record_lost lost;
	uint32_t tail_bytes;
	if ((r.hdr->type == PERF_RECORD_LOST || r.hdr->type == PERF_RECORD_LOST_SAMPLES) && record_decode_lost(r, &lost))
		ctf_lost(w->trace, tail_of(w->env, r, &tail_bytes).cpu, lost.lost);
}

/* ---- the end ---- */

struct strobe_error *samples_ctf_end(struct samples_ctf *w)
{
	struct ctf_facts facts = {
		.host = w->env->hostname,
		.release = w->env->os_release,
		.version = w->env->tool_version,
		.machine = w->env->arch,
		.clock_offset_ns = (int64_t)w->offset_ns,
	};
	for (uint32_t i = 0; i < w->env->events.len; i++) { /* those without samples are described, too */
		if (i >= w->events_nr || (!w->events[i].fields && !w->events[i].raw))
			class_of(w, i, tracepoint_of(w, i));
	}
	return ctf_finish(w->trace, &facts);
}

void samples_ctf_deinit(struct samples_ctf *w)
{
	ctf_destroy(w->trace);
	tracepoints_destroy(w->tracepoints);
	free(w->events);
}
