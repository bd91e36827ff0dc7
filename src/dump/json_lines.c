#include "dump/json_lines.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/mem.h"
#include "dump/dumper_priv.h"
#include "record/data_src.h"

#define F(id) DUMP_FIELD(id)

static void put_part(struct dumper *d, struct json *j, const char *key, void (*add)(struct strbuf *, uint64_t), uint64_t word)
{
	strbuf_reset(&d->words);
	add(&d->words, word);
	json_key(j, key);
	json_str_n(j, strbuf_str(&d->words), d->words.len);
}

void json_lines_head(struct out *out, const struct env *env)
{
	struct json j;
	json_init(&j, out, false);
	json_object(&j);
	json_format(&j, "strobe-script", JSON_LINES_VERSION);
	json_pair_str(&j, "record", "header");
	if (env->arch)
		json_pair_str(&j, "arch", env->arch);
	json_key(&j, "events");
	json_array(&j);
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *e = &env->events.data[i];
		json_object(&j);
		json_pair_str(&j, "name", e->name);
		json_pair_u64(&j, "type", e->attr.type);
		json_pair_hex(&j, "config", e->attr.config);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
}

static void put_bytes(struct json *j, const char *key, const uint8_t *p, size_t n)
{
	json_key(j, key);
	json_bytes(j, p, n);
}

/* ---- places ---- */

static void put_frame(struct dumper *d, struct json *j, uint64_t of, const struct resolved_frame *f)
{
	if (of & F(IP))
		json_pair_hex(j, "ip", f->ip);
	if (of & F(SYM) && f->symbol)
		json_pair_str(j, "sym", dso_symbol_name(f->dso, f->symbol));
	if (of & F(SYMOFF) && f->symbol && !f->inlined)
		json_pair_u64(j, "symoff", f->addr - f->symbol->start);
	if (of & (F(DSO) | F(DSOFF)) && f->map)
		json_pair_str(j, "dso", dump_dso_name(d, f));
	if (of & F(DSOFF) && f->map)
		json_pair_hex(j, "dsoff", dump_shown_address(f));
	if (of & F(SRCLINE) && f->file) {
		json_pair_str(j, "file", f->file);
		json_pair_u64(j, "line", f->line);
	}
	size_t n;
	const char *code = of & F(SRCCODE) ? dump_source_code(d, f, &n) : NULL;
	if (code) {
		_cleanup_free_ char *text = xstrndup(code, n);
		json_pair_str(j, "code", text);
	}
	if (f->inlined) {
		json_key(j, "inlined");
		json_bool(j, true);
	}
}

static bool stops(const struct dumper *d, const struct resolved_frame *f)
{
	const char *name = d->options.stop_at_nr && f->symbol ? dso_symbol_name(f->dso, f->symbol) : NULL;
	for (uint32_t i = 0; name && i < d->options.stop_at_nr; i++)
		if (!strcmp(d->options.stop_at[i], name))
			return true;
	return false;
}

static void put_chain(struct dumper *d, struct json *j, uint64_t of, const struct resolved_sample *s)
{
	json_key(j, "callchain");
	json_array(j);
	for (uint32_t i = 0; i < s->chain_nr; i++) {
		json_object(j);
		put_frame(d, j, of, &s->chain[i]);
		json_end(j);
		if (stops(d, &s->chain[i]))
			break;
	}
	json_end(j);
}

static void put_branch_end(struct dumper *d, struct json *j, uint64_t of, const struct resolved_sample *s, const char *key,
			   uint64_t ip)
{
	json_key(j, key);
	json_object(j);
	json_pair_hex(j, "ip", ip);
	if (of & (F(BRSTACKSYM) | F(BRSTACKOFF))) {
		struct resolved_frame f = dump_lookup(d, s, ip);
		put_frame(d, j, F(SYM) | F(SYMOFF) | F(DSO) | (of & F(BRSTACKOFF) ? F(DSOFF) : 0), &f);
	}
	json_end(j);
}

static void put_branches(struct dumper *d, struct json *j, uint64_t of, const struct resolved_sample *s)
{
	json_key(j, "brstack");
	json_array(j);
	for (uint64_t i = 0; i < s->sample.branch_nr; i++) {
		const struct perf_branch_entry *b = &s->sample.branches[i];
		const char *type = dump_branch_type(b);
		json_object(j);
		put_branch_end(d, j, of, s, "from", b->from);
		put_branch_end(d, j, of, s, "to", b->to);
		json_key(j, "predicted");
		if (b->mispred || b->predicted)
			json_bool(j, b->predicted);
		else
			json_null(j);
		json_key(j, "in_tx");
		json_bool(j, b->in_tx);
		json_key(j, "abort");
		json_bool(j, b->abort);
		json_pair_u64(j, "cycles", b->cycles);
		if (*type)
			json_pair_str(j, "type", type);
		json_end(j);
	}
	json_end(j);
}

/* ---- values ---- */

static void put_registers(struct dumper *d, struct json *j, const char *key, const struct sample_regs *regs)
{
	unsigned i = 0;
	if (!regs->values)
		return;
	json_key(j, key);
	json_object(j);
	for (uint64_t mask = regs->mask; mask; mask &= mask - 1, i++) {
		unsigned number = (unsigned)__builtin_ctzll(mask);
		const char *name = d->arch ? arch_reg_name(d->arch, number) : NULL;
		char unknown[16] = "R";
		if (!name)
			unknown[1] = (char)('0' + number / 10), unknown[2] = (char)('0' + number % 10);
		json_pair_hex(j, name ? name : unknown, regs->values[i]);
	}
	json_end(j);
}

static void put_data_src(struct dumper *d, struct json *j, uint64_t word)
{
	json_pair_hex(j, "data_src", word);
	json_key(j, "memory");
	json_object(j);
	put_part(d, j, "op", data_src_op, word);
	put_part(d, j, "level", data_src_level, word);
	put_part(d, j, "snoop", data_src_snoop, word);
	put_part(d, j, "tlb", data_src_tlb, word);
	put_part(d, j, "lock", data_src_lock, word);
	put_part(d, j, "blocked", data_src_blocked, word);
	json_end(j);
}

static void put_int(struct json *j, uint64_t v, bool is_signed)
{
	if (is_signed)
		json_i64(j, (int64_t)v);
	else
		json_u64(j, v);
}

static void put_trace_field(struct dumper *d, struct json *j, const struct tracepoint_field *f, const struct sample *x)
{
	json_key(j, f->name);
	if (f->kind == FIELD_NUMBER) {
		uint64_t v = field_number(d->tracepoints, f, x->raw, x->raw_bytes);
		if (f->is_pointer)
			json_hex(j, v);
		else
			put_int(j, v, f->is_signed);
		return;
	}
	struct field_span span = field_bytes(d->tracepoints, f, x->raw, x->raw_bytes);
	if (f->is_string) {
		field_json_strings(j, d->tracepoints, f, x->raw, x->raw_bytes);
		return;
	}
	json_array(j);
	for (uint32_t i = 0; i < span.bytes / f->element_bytes; i++)
		put_int(j, field_element(d->tracepoints, f, span, i), f->is_signed);
	json_end(j);
}

static void put_trace(struct dumper *d, struct json *j, const struct resolved_sample *s)
{
	const struct tracepoint *tp = s->sample.raw ? dump_tracepoint(d, s) : NULL;
	size_t n;
	if (!tp)
		return;
	json_key(j, "fields");
	json_object(j);
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++)
		put_trace_field(d, j, &tp->fields[i], &s->sample);
	json_end(j);
	d->scratch.len = 0;
	trace_text(&d->scratch, d->tracepoints, tp, s->sample.raw, s->sample.raw_bytes, &d->trace_names);
	const char *text = out_mem(&d->scratch, &n);
	json_key(j, "trace");
	json_str_n(j, text, n);
}

/* ---- samples ---- */

static void put_task(struct json *j, uint64_t of, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	uint64_t has = s->event->attr.sample_type;
	if (of & F(EVENT))
		json_pair_str(j, "event", s->event->name);
	if (of & F(COMM))
		json_pair_str(j, "comm", s->comm);
	if (of & F(PID) && has & PERF_SAMPLE_TID) {
		json_key(j, "pid");
		json_i64(j, (int32_t)x->pid);
	}
	if (of & F(TID) && has & PERF_SAMPLE_TID) {
		json_key(j, "tid");
		json_i64(j, (int32_t)x->tid);
	}
	if (of & F(CPU) && x->cpu != SAMPLE_NO_CPU)
		json_pair_u64(j, "cpu", x->cpu);
	if (of & F(TIME) && has & PERF_SAMPLE_TIME)
		json_pair_u64(j, "time", x->time);
	if (of & F(PERIOD))
		json_pair_u64(j, "period", x->period);
}

/* Plain numbers: a field, its bit of sample_type, and the offset of the value. */
static void put_numbers(struct dumper *d, struct json *j, uint64_t of, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	uint64_t has = s->event->attr.sample_type;
	const struct {
		uint64_t field, type;
		const char *key;
		uint64_t value;
		bool is_address;
	} rows[] = {
		{ F(ADDR), PERF_SAMPLE_ADDR, "addr", x->addr, true },
		{ F(WEIGHT), PERF_SAMPLE_WEIGHT_TYPE, "weight", has & PERF_SAMPLE_WEIGHT ? x->weight : x->weight1, false },
		{ F(INS_LAT), PERF_SAMPLE_WEIGHT_STRUCT, "ins_lat", x->weight2, false },
		{ F(RETIRE_LAT), PERF_SAMPLE_WEIGHT_STRUCT, "retire_lat", x->weight3, false },
		{ F(PHYS_ADDR), PERF_SAMPLE_PHYS_ADDR, "phys_addr", x->phys_addr, true },
		{ F(DATA_PAGE_SIZE), PERF_SAMPLE_DATA_PAGE_SIZE, "data_page_size", x->data_page_size, false },
		{ F(CODE_PAGE_SIZE), PERF_SAMPLE_CODE_PAGE_SIZE, "code_page_size", x->code_page_size, false },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (of & rows[i].field && has & rows[i].type)
			(rows[i].is_address ? json_pair_hex : json_pair_u64)(j, rows[i].key, rows[i].value);
	if (of & F(DATA_SRC) && has & PERF_SAMPLE_DATA_SRC)
		put_data_src(d, j, x->data_src);
	const char *cgroup = of & F(CGROUP) && has & PERF_SAMPLE_CGROUP ? machine_cgroup(d->machine, x->cgroup) : NULL;
	if (cgroup)
		json_pair_str(j, "cgroup", cgroup);
}

void json_lines_sample(struct dumper *d, struct out *out, const struct resolved_sample *s, bool all)
{
	uint64_t of = all ? ~F(DSOFF) : d->options.fields.of[dump_kind(&s->event->attr)];
	struct json j;
	json_init(&j, out, false);
	json_object(&j);
	json_pair_str(&j, "record", "sample");
	put_task(&j, of, s);
	put_numbers(d, &j, of, s);
	if (s->event->attr.sample_type & PERF_SAMPLE_IP)
		put_frame(d, &j, of, &s->leaf);
	if (of & F(IP) && d->options.show_chains && s->sample.callchain)
		put_chain(d, &j, of, s);
	if (of & F(TRACE) && s->event->attr.type == PERF_TYPE_TRACEPOINT)
		put_trace(d, &j, s);
	else if (of & F(BPF_OUTPUT) && s->sample.raw)
		put_bytes(&j, "raw", s->sample.raw, s->sample.raw_bytes);
	if (of & F(IREGS))
		put_registers(d, &j, "iregs", &s->sample.intr_regs);
	if (of & F(UREGS))
		put_registers(d, &j, "uregs", &s->sample.user_regs);
	if (of & (F(BRSTACK) | F(BRSTACKSYM) | F(BRSTACKOFF)) && s->sample.branches)
		put_branches(d, &j, of, s);
	dump_insn_json(d, &j, of, s);
	json_end(&j);
	out_ch(out, '\n');
}

/* ---- other records ---- */

static void put_mmap_id(struct json *j, struct record r)
{
	struct record_mmap mmap;
	if (!record_decode_mmap(r, &mmap))
		return;
	if (mmap.build_id_len) {
		put_bytes(j, "build_id", mmap.build_id, mmap.build_id_len);
		return;
	}
	json_pair_u64(j, "maj", mmap.maj);
	json_pair_u64(j, "min", mmap.min);
	json_pair_u64(j, "ino", mmap.ino);
}

static void put_namespaces(struct json *j, struct record r)
{
	struct record_namespaces ns;
	if (r.hdr->type != PERF_RECORD_NAMESPACES || !record_decode_namespaces(r, &ns))
		return;
	json_key(j, "namespaces");
	json_array(j);
	for (uint64_t i = 0; i < ns.nr; i++) {
		json_object(j);
		json_pair_u64(j, "dev", ns.links[i].dev);
		json_pair_u64(j, "ino", ns.links[i].ino);
		json_end(j);
	}
	json_end(j);
}

/* The fields by the names of records.def. Repeated fields have no separate names. */
static void put_fields(struct json *j, struct record r, uint32_t trailer_bytes)
{
	struct record_walk walk = record_walk(r, trailer_bytes);
	struct record_value v;
	json_key(j, "fields");
	json_object(j);
	while (record_walk_next(&walk, &v) && !walk.repeat) {
		switch (v.field->kind) {
		case RECORD_FIELD_MMAP2_ID:
			put_mmap_id(j, r);
			break;
		case RECORD_FIELD_STRING:
			json_key(j, v.field->name);
			json_str_n(j, v.data, v.bytes);
			break;
		case RECORD_FIELD_CHARS:
		case RECORD_FIELD_REST:
			put_bytes(j, v.field->name, v.data, v.bytes);
			break;
		case RECORD_FIELD_U64:
			/* addresses and lengths of maps; but times and counts are numbers */
			if (!strcmp(v.field->name, "addr") || !strcmp(v.field->name, "pgoff"))
				json_pair_hex(j, v.field->name, v.number);
			else
				json_pair_u64(j, v.field->name, v.number);
			break;
		default:
			json_pair_u64(j, v.field->name, v.number);
			break;
		}
	}
	put_namespaces(j, r);
	json_end(j);
}

void json_lines_record(struct dumper *d, struct out *out, struct record r, uint64_t time_ns)
{
	const char *name = record_type_name(r.hdr->type);
	const struct sample_layout *layout = d->env->events.len ? env_tail_layout(d->env) : NULL;
	struct sample_tail tail;
	struct json j;
	if (!layout || r.hdr->type >= RECORD_USER_FIRST || !sample_tail_decode(layout, r, &tail) || !tail.present)
		tail = (struct sample_tail){ .time = time_ns };
	json_init(&j, out, false);
	json_object(&j);
	json_pair_str(&j, "record", name ? name : "UNKNOWN");
	json_pair_u64(&j, "time", tail.time);
	json_pair_u64(&j, "misc", r.hdr->misc);
	if (tail.present) {
		json_key(&j, "pid");
		json_i64(&j, (int32_t)tail.pid);
		json_key(&j, "tid");
		json_i64(&j, (int32_t)tail.tid);
		if (tail.cpu != SAMPLE_NO_CPU)
			json_pair_u64(&j, "cpu", tail.cpu);
	}
	put_fields(&j, r, tail.present ? layout->tail_bytes : 0);
	json_end(&j);
	out_ch(out, '\n');
}
