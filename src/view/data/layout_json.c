#include "view/data/layout_json.h"

static void put_values(struct json *j, const struct layout *l, size_t row)
{
	json_key(j, "values");
	json_array(j);
	for (size_t e = 0; e < l->events.len; e++) {
		const struct listing_value *v = layout_value(l, row, e);
		json_object(j);
		json_pair_u64(j, "samples", v->samples);
		json_pair_u64(j, "value", v->value);
		json_end(j);
	}
	json_end(j);
}

static void put_row(struct json *j, const struct layout *l, size_t row)
{
	const struct layout_row *r = &l->rows.data[row];
	json_object(j);
	json_pair_u64(j, "depth", r->depth);
	json_pair_u64(j, "offset", r->offset);
	json_pair_u64(j, "bytes", r->bytes);
	json_pair_str(j, "type", r->type);
	json_pair_str(j, "name", r->name);
	if (r->bits)
		json_pair_u64(j, "bits", r->bits);
	if (r->stride) {
		json_pair_u64(j, "elements", r->array_bytes / r->stride);
		json_pair_u64(j, "stride", r->stride);
	}
	put_values(j, l, row);
	json_end(j);
}

void data_layout_json(struct json *j, const struct layout *l)
{
	json_object(j);
	json_pair_str(j, "type", l->type);
	json_pair_str(j, "object_path", l->object);
	json_key(j, "events");
	json_array(j);
	for (size_t e = 0; e < l->events.len; e++) {
		json_object(j);
		json_pair_str(j, "name", l->events.data[e].name);
		json_pair_u64(j, "samples", l->events.data[e].samples);
		json_pair_u64(j, "value", l->events.data[e].value);
		json_end(j);
	}
	json_end(j);
	json_key(j, "members");
	json_array(j);
	for (size_t i = 0; i < l->rows.len; i++)
		put_row(j, l, i);
	json_end(j);
	json_end(j);
}

static void put_counts(struct json *j, const char *key, const struct layout_count *counts, size_t n)
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; i < n; i++) {
		if (!counts[i].known && !counts[i].unknown)
			continue;
		json_object(j);
		json_pair_str(j, "name", counts[i].name);
		json_pair_u64(j, "known", counts[i].known);
		json_pair_u64(j, "unknown", counts[i].unknown);
		json_end(j);
	}
	json_end(j);
}

void data_layout_stats_json(struct json *j, const struct layout_stats *s)
{
	json_pair_u64(j, "instructions_known", s->all.known);
	json_pair_u64(j, "instructions_unknown", s->all.unknown);
	put_counts(j, "reasons", s->reasons.data, s->reasons.len);
	put_counts(j, "mnemonics", s->mnemonics.data, s->mnemonics.len);
}
