#include "scripting/sample_values.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "dlfilter/place.h"
#include "record/data_src.h"

void sample_values_init(struct sample_values *v, struct value_stream *to, const struct env *env, struct machine *machine,
			struct symbols *symbols)
{
	*v = (struct sample_values){
		.to = to,
		.env = env,
		.machine = machine,
		.symbols = symbols,
		.arch = arch_or_native(env->arch),
	};
	arena_init(&v->arena);
}

void sample_values_deinit(struct sample_values *v)
{
	vec_deinit(&v->frames);
	vec_deinit(&v->build_ids);
	strbuf_deinit(&v->text);
	arena_deinit(&v->arena);
}

static void put_u64(struct sample_values *v, const char *key, uint64_t value)
{
	value_name(v->to, key);
	value_u64(v->to, value);
}

static void put_name(struct sample_values *v, const char *key, const char *value)
{
	value_name(v->to, key);
	value_name(v->to, value);
}

static void put_text(struct sample_values *v, const char *key)
{
	value_name(v->to, key);
	value_text(v->to, strbuf_str(&v->text), v->text.len);
}

static void put_bool(struct sample_values *v, const char *key, bool value)
{
	value_name(v->to, key);
	value_bool(v->to, value);
}

/* ---- places ---- */

static const char *dso_name(const struct sample_values *v, const struct resolved_frame *f)
{
	return place_dso(f, v->kernel_path);
}

static const char *build_id(struct sample_values *v, const struct resolved_frame *f)
{
	uint32_t id = f->map->file->id;
	char hex[2 * RECORD_BUILD_ID_MAX + 1] = "";
	while (v->build_ids.len <= id)
		vec_push(&v->build_ids, NULL);
	if (v->build_ids.data[id])
		return v->build_ids.data[id];
	struct dso_facts facts = f->dso ? dso_facts(f->dso) : (struct dso_facts){};
	size_t bytes;
	const uint8_t *id_bytes = place_build_id(f, &facts, &bytes);
	text_bytes_to_hex(id_bytes, bytes, hex);
	return v->build_ids.data[id] = arena_strdup(&v->arena, hex);
}

static void put_symbol(struct sample_values *v, const struct resolved_frame *f)
{
	uint64_t distance = place_distance(f);
	value_name(v->to, "sym");
	value_begin(v->to, VALUE_DICT);
	put_u64(v, "start", f->symbol->start - distance);
	put_u64(v, "end", f->symbol->end - distance);
	put_u64(v, "binding", f->symbol->binding);
	put_name(v, "name", dso_symbol_name(f->dso, f->symbol));
	value_end(v->to, VALUE_DICT);
	if (f->map && v->has_symbol_offset)
		put_u64(v, "sym_off", f->addr - f->symbol->start);
}

static void put_new_frame(struct sample_values *v, const struct resolved_frame *f)
{
	value_begin(v->to, VALUE_DICT);
	put_u64(v, "ip", f->ip);
	if (f->symbol)
		put_symbol(v, f);
	if (f->map)
		put_name(v, "dso", dso_name(v, f));
	value_end(v->to, VALUE_DICT);
}

static void put_frame(struct sample_values *v, const struct resolved_frame *f)
{
	while (v->frames.len <= f->number)
		vec_push(&v->frames, ((struct sample_values_frame){}));
	struct sample_values_frame *known = &v->frames.data[f->number];
	if (known->bytes) {
		value_made(v->to, known->bytes, known->len);
		return;
	}
	size_t before = v->to->out.len;
	v->to->has_new_strings = false;
	put_new_frame(v, f);
	if (v->to->has_new_strings)
		return;
	known->len = (uint32_t)(v->to->out.len - before);
	known->bytes = arena_memdup(&v->arena, v->to->out.buf + before, known->len);
}

void sample_values_chain(struct sample_values *v, const struct resolved_sample *s)
{
	value_begin(v->to, VALUE_LIST);
	for (uint32_t i = 0; i < s->chain_nr; i++)
		put_frame(v, &s->chain[i]);
	value_end(v->to, VALUE_LIST);
}

static struct resolved_frame look_up(struct sample_values *v, const struct resolved_sample *s, uint64_t ip)
{
	return resolve_sample_address(v->machine, v->symbols, s, ip);
}

struct place_keys {
	const char *dso, *build_id, *map_start, *map_end, *symbol, *offset;
};

static void put_place(struct sample_values *v, const struct place_keys *k, const struct resolved_frame *f)
{
	if (f->map) {
		put_name(v, k->dso, dso_name(v, f));
		put_name(v, k->build_id, build_id(v, f));
		put_u64(v, k->map_start, f->map->start);
		put_u64(v, k->map_end, f->map->end);
	}
	if (f->symbol) {
		put_name(v, k->symbol, dso_symbol_name(f->dso, f->symbol));
		put_u64(v, k->offset, f->addr - f->symbol->start);
	}
}

/* ---- branches ---- */

static void put_branches(struct sample_values *v, const struct resolved_sample *s)
{
	value_name(v->to, "brstack");
	value_begin(v->to, VALUE_LIST);
	for (uint64_t i = 0; s->sample.branches && i < s->sample.branch_nr; i++) {
		const struct perf_branch_entry *b = &s->sample.branches[i];
		struct resolved_frame from = look_up(v, s, b->from), to = look_up(v, s, b->to);
		value_begin(v->to, VALUE_DICT);
		put_u64(v, "from", b->from);
		put_u64(v, "to", b->to);
		put_bool(v, "mispred", b->mispred);
		put_bool(v, "predicted", b->predicted);
		put_bool(v, "in_tx", b->in_tx);
		put_bool(v, "abort", b->abort);
		put_u64(v, "cycles", b->cycles);
		put_name(v, "from_dsoname", from.map ? dso_name(v, &from) : "[unknown]");
		put_name(v, "to_dsoname", to.map ? dso_name(v, &to) : "[unknown]");
		value_end(v->to, VALUE_DICT);
	}
	value_end(v->to, VALUE_LIST);
}

static void put_branch_end(struct sample_values *v, const char *key, const struct resolved_sample *s, uint64_t ip)
{
	struct resolved_frame f = look_up(v, s, ip);
	strbuf_reset(&v->text);
	if (f.symbol)
		strbuf_addf(&v->text, "%s+0x%" PRIx64, dso_symbol_name(f.dso, f.symbol), f.addr - f.symbol->start);
	else
		strbuf_addstr(&v->text, "[unknown]");
	put_text(v, key);
}

static void put_branch_symbols(struct sample_values *v, const struct resolved_sample *s)
{
	value_name(v->to, "brstacksym");
	value_begin(v->to, VALUE_LIST);
	for (uint64_t i = 0; s->sample.branches && i < s->sample.branch_nr; i++) {
		const struct perf_branch_entry *b = &s->sample.branches[i];
		value_begin(v->to, VALUE_DICT);
		put_branch_end(v, "from", s, b->from);
		put_branch_end(v, "to", s, b->to);
		put_name(v, "pred", b->mispred ? "M" : b->predicted ? "P" : "-");
		put_name(v, "in_tx", b->in_tx ? "X" : "-");
		put_name(v, "abort", b->abort ? "A" : "-");
		value_end(v->to, VALUE_DICT);
	}
	value_end(v->to, VALUE_LIST);
}

/* ---- numbers ---- */

static void put_counter(struct sample_values *v, const struct sample_read_value *value, uint64_t format)
{
	value_begin(v->to, VALUE_TUPLE);
	value_u64(v->to, value->id);
	value_u64(v->to, value->value);
	if (format & PERF_FORMAT_LOST)
		value_u64(v->to, value->lost);
	value_end(v->to, VALUE_TUPLE);
}

static void put_counters(struct sample_values *v, const struct resolved_sample *s)
{
	uint64_t format = s->event->attr.read_format;
	bool is_group = format & PERF_FORMAT_GROUP;
	struct sample_read_value value = {};
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_u64(v, "time_enabled", s->sample.read.time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_u64(v, "time_running", s->sample.read.time_running);
	value_name(v->to, "values");
	value_begin(v->to, VALUE_LIST);
	for (uint64_t i = 0; sample_read_get(&s->sample, i, &value); i++)
		put_counter(v, &value, format);
	if (!is_group && !s->sample.read.nr)
		put_counter(v, &(struct sample_read_value){}, format);
	value_end(v->to, VALUE_LIST);
}

static void put_data_src(struct sample_values *v, const struct resolved_sample *s)
{
	uint64_t word = s->event->attr.sample_type & PERF_SAMPLE_DATA_SRC ? s->sample.data_src : SAMPLE_VALUES_NO_DATA_SRC;
	if (!v->data_src_text || v->data_src != word) {
		strbuf_reset(&v->text);
		data_src_text(&v->text, word);
		v->data_src = word;
		v->data_src_text = arena_strdup(&v->arena, strbuf_str(&v->text));
	}
	put_u64(v, "datasrc", word);
	put_name(v, "datasrc_decode", v->data_src_text);
}

static void put_address_place(struct sample_values *v, const struct resolved_sample *s)
{
	static const struct place_keys keys = { "addr_dso", "addr_dso_bid", "addr_dso_map_start", "addr_dso_map_end", "addr_symbol",
						"addr_symoff" };
	if (!place_addr_has_symbol(&s->event->attr))
		return;
	struct resolved_frame f = look_up(v, s, s->sample.addr);
	put_bool(v, "addr_correlates_sym", true);
	put_place(v, &keys, &f);
}

static void put_sample(struct sample_values *v, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	bool has_parts = s->event->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT;
	value_name(v->to, "sample");
	value_begin(v->to, VALUE_DICT);
	put_u64(v, "pid", x->pid);
	put_u64(v, "tid", x->tid);
	put_u64(v, "cpu", x->cpu);
	put_u64(v, "ip", x->ip);
	put_u64(v, "time", x->time);
	put_u64(v, "period", x->period);
	put_u64(v, "phys_addr", x->phys_addr);
	put_u64(v, "addr", x->addr);
	put_counters(v, s);
	put_u64(v, "weight", has_parts ? x->weight1 : x->weight);
	put_u64(v, "transaction", x->transaction);
	put_data_src(v, s);
	put_u64(v, "cpumode", s->sample.misc & PERF_RECORD_MISC_CPUMODE_MASK);
	put_address_place(v, s);
	value_end(v->to, VALUE_DICT);
}

static void put_registers(struct sample_values *v, const char *key, const struct sample_regs *regs)
{
	unsigned i = 0;
	strbuf_reset(&v->text);
	for (uint64_t mask = regs->values ? regs->mask : 0; mask; mask &= mask - 1, i++) {
		const char *name = v->arch ? arch_reg_name(v->arch, (unsigned)__builtin_ctzll(mask)) : NULL;
		strbuf_addf(&v->text, "%5s:0x%" PRIx64 " ", name ? name : "unknown", regs->values[i]);
	}
	if (i)
		put_text(v, key);
	else
		put_name(v, key, "");
}

static void put_attr(struct sample_values *v, const struct env_event *e)
{
	size_t n = e->attr.size >= PERF_ATTR_SIZE_VER0 && e->attr.size <= sizeof(e->attr) ? e->attr.size : sizeof(e->attr);
	value_name(v->to, "attr");
	value_bytes(v->to, &e->attr, n);
}

void sample_values_dict(struct sample_values *v, const struct resolved_sample *s)
{
	static const struct place_keys keys = { "dso", "dso_bid", "dso_map_start", "dso_map_end", "symbol", "symoff" };
	value_begin(v->to, VALUE_DICT);
	put_name(v, "ev_name", s->event->name);
	put_attr(v, s->event);
	put_sample(v, s);
	value_name(v->to, "raw_buf");
	value_bytes(v->to, s->sample.raw, s->sample.raw_bytes);
	put_name(v, "comm", s->comm);
	put_place(v, &keys, &s->leaf);
	value_name(v->to, "callchain");
	sample_values_chain(v, s);
	put_branches(v, s);
	put_branch_symbols(v, s);
	put_registers(v, "iregs", &s->sample.intr_regs);
	put_registers(v, "uregs", &s->sample.user_regs);
	value_end(v->to, VALUE_DICT);
}
