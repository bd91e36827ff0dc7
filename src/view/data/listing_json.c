#include "view/data/listing_json.h"

static void put_events(struct json *j, const struct listing *l)
{
	json_key(j, "events");
	json_array(j);
	for (size_t i = 0; i < l->events.len; i++) {
		const struct listing_event *e = &l->events.data[i];
		json_object(j);
		json_pair_str(j, "name", e->name);
		json_pair_str(j, "unit", e->unit);
		json_pair_u64(j, "samples", e->samples);
		json_pair_u64(j, "value", e->value);
		json_pair_u64(j, "total_samples", e->total_samples);
		json_pair_u64(j, "total_value", e->total_value);
		json_end(j);
	}
	json_end(j);
}

static void put_files(struct json *j, const struct listing *l)
{
	json_key(j, "files");
	json_array(j);
	for (size_t i = 0; i < l->files.len; i++) {
		const struct listing_file *f = &l->files.data[i];
		json_object(j);
		json_pair_str(j, "path", f->path);
		json_pair_str(j, "opened", f->opened);
		if (f->problem)
			json_pair_str(j, "problem", f->problem);
		json_end(j);
	}
	json_end(j);
}

/* One entry for each event, in their order. */
static void put_values(struct json *j, const struct listing *l, const struct listing_value *values, enum listing_share share)
{
	json_key(j, "values");
	json_array(j);
	for (size_t e = 0; e < l->events.len; e++) {
		json_object(j);
		json_pair_u64(j, "samples", values[e].samples);
		json_pair_u64(j, "value", values[e].value);
		json_key(j, "percent");
		json_f64(j, listing_percent(l, e, &values[e], share));
		json_end(j);
	}
	json_end(j);
}

static void put_lines(struct json *j, const struct listing *l, enum listing_share share)
{
	json_key(j, "lines");
	json_array(j);
	for (size_t i = 0; i < l->lines.len; i++) {
		const struct listing_line *line = &l->lines.data[i];
		size_t n;
		const char *text = lines_get(&l->files.data[line->file].text, line->line, &n);
		json_object(j);
		json_pair_u64(j, "file", line->file);
		json_pair_u64(j, "line", line->line);
		if (text) {
			json_key(j, "text");
			json_str_n(j, text, n);
		}
		put_values(j, l, listing_line_value(l, i, 0), share);
		json_end(j);
	}
	json_end(j);
}

static void put_symbol(struct json *j, const char *key, const struct listing_symbol *s)
{
	json_key(j, key);
	json_object(j);
	json_pair_hex(j, "address", s->addr);
	if (s->name) {
		json_pair_str(j, "symbol", s->name);
		json_pair_u64(j, "offset", s->offset);
	}
	json_end(j);
}

/* Innermost first. */
static void put_places(struct json *j, const struct listing *l, uint32_t place)
{
	json_key(j, "places");
	json_array(j);
	for (; place != LISTING_NONE; place = l->places.data[place].caller) {
		const struct listing_place *p = &l->places.data[place];
		json_object(j);
		json_pair_str(j, "function", p->function);
		if (p->file != LISTING_NONE) {
			json_pair_u64(j, "file", p->file);
			json_pair_u64(j, "line", p->line);
		}
		json_end(j);
	}
	json_end(j);
}

static void put_insn(struct json *j, const struct listing *l, size_t i, enum listing_share share)
{
	static const char *const flows[] = { "next", "jump", "branch", "call", "return", "trap", "bad" };
	const struct listing_insn *insn = &l->insns.data[i];
	json_object(j);
	json_pair_hex(j, "address", insn->addr);
	json_key(j, "bytes");
	json_bytes(j, insn->code, insn->bytes);
	json_pair_str(j, "text", insn->text);
	if (insn->data_type)
		json_pair_str(j, "data_type", insn->data_type);
	json_pair_str(j, "flow", flows[insn->flow]);
	if (insn->has_target)
		put_symbol(j, "target", &insn->target);
	if (insn->target_insn != LISTING_NONE)
		json_pair_u64(j, "jumps_to", insn->target_insn);
	if (insn->has_reference)
		put_symbol(j, "reference", &insn->reference);
	put_places(j, l, insn->place);
	put_values(j, l, listing_value(l, i, 0), share);
	json_end(j);
}

void data_listing_json(struct json *j, const struct listing *l, enum listing_share share)
{
	json_object(j);
	json_pair_str(j, "symbol", l->symbol);
	json_pair_str(j, "raw_symbol", l->raw_name);
	json_pair_str(j, "object", l->object);
	json_pair_str(j, "object_path", l->object_path);
	json_pair_str(j, "build_id", l->build_id);
	json_pair_str(j, "section", l->section);
	json_pair_str(j, "architecture", l->arch);
	json_pair_str(j, "lines_from", l->debug_origin);
	json_pair_hex(j, "start", l->start);
	json_pair_hex(j, "end", l->end);
	json_pair_str(j, "percent_type", listing_share_name(share));
	put_events(j, l);
	put_files(j, l);
	put_lines(j, l, share);
	json_key(j, "instructions");
	json_array(j);
	for (size_t i = 0; i < l->insns.len; i++)
		put_insn(j, l, i, share);
	json_end(j);
	json_end(j);
}
