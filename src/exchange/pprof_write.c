#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "exchange/exchange.h"
#include "exchange/pprof_proto.h"
#include "exchange/proto.h"
#include "packing/gzip.h"

struct text {
	const char *p;
	size_t n;
};

/*
 * A location is a frame with the functions inlined into it. Its id is its index + 1; so are those of functions and mappings, whose
 * indexes are the profile's.
 */
struct writer {
	const struct profile *p;
	struct out *out;
	struct out message, inner;    /* the message being written, and one inside it */
	VEC(uint64_t) strings;        /* str_id → number in the table; 0: not in it yet */
	VEC(struct text) texts;       /* the table, from number 1 on */
	VEC(uint64_t) own;            /* numbers of texts that the profile does not have */
	VEC(frame_id) location_frames; /* innermost first */
	VEC(uint32_t) location_starts; /* in location_frames; one more at the end */
	struct idset locations;
	uint32_t *location_of;        /* by frame that is a location of its own: id, or 0 */
	struct u64map samples;        /* stack << 32 | labels → index of sample + 1 */
	VEC(uint64_t) sample_keys;
	VEC(int64_t) sample_values;   /* of sample i: values_nr from i * values_nr */
	uint32_t values_nr;
	VEC(uint32_t) path;
};

static uint64_t add_text(struct writer *w, const char *p, size_t n)
{
	struct text t = { p, n };
	vec_push(&w->texts, t);
	return w->texts.len;
}

static uint64_t string_number(struct writer *w, str_id id)
{
	if (!id)
		return 0;
	if (!w->strings.data[id])
		w->strings.data[id] = add_text(w, strtab_get(&w->p->strings, id), strtab_length(&w->p->strings, id));
	return w->strings.data[id];
}

/* The number of one of the writer's own texts, such as a unit. */
static uint64_t own_number(struct writer *w, const char *s)
{
	str_id id = strtab_find(&w->p->strings, s);
	if (id != IDSET_NONE)
		return string_number(w, id);
	for (size_t i = 0; i < w->own.len; i++)
		if (!strcmp(w->texts.data[w->own.data[i] - 1].p, s))
			return w->own.data[i];
	vec_push(&w->own, add_text(w, s, strlen(s)));
	return vec_last(&w->own);
}

/* ---- values ---- */

/* A recording has for each event the number of its samples and the sum of their periods. */
static uint32_t values_per_event(const struct profile *p)
{
	return p->origin.events_are_values ? 1 : 2;
}

static void write_value_type(struct writer *w, uint32_t number, uint64_t type, uint64_t unit)
{
	proto_write_u64(&w->message, VALUE_TYPE_TYPE, type);
	proto_write_u64(&w->message, VALUE_TYPE_UNIT, unit);
	proto_write_message(w->out, number, &w->message);
}

static void write_types(struct writer *w)
{
	const struct profile *p = w->p;
	for (size_t i = 0; i < p->events.len; i++) {
		const struct profile_event *e = &p->events.data[i];
		if (!p->origin.events_are_values)
			write_value_type(w, PROFILE_SAMPLE_TYPE, own_number(w, "samples"), own_number(w, "count"));
		const char *unit = profile_event_unit(p, (uint32_t)i);
		write_value_type(w, PROFILE_SAMPLE_TYPE, string_number(w, e->name), *unit ? own_number(w, unit) : 0);
	}
}

/* ---- samples ---- */

static int64_t *sample_values(struct writer *w, uint64_t key)
{
	bool is_new;
	uint64_t *at = u64map_put(&w->samples, key, &is_new);
	if (is_new) {
		vec_push(&w->sample_keys, key);
		*at = w->sample_keys.len;
		memset(vec_extend(&w->sample_values, w->values_nr), 0, w->values_nr * sizeof(int64_t));
	}
	return w->sample_values.data + (*at - 1) * w->values_nr;
}

/* Merges rows with the same stack and label set into one sample. */
static void collect_samples(struct writer *w)
{
	const struct profile *p = w->p;
	uint32_t per_event = values_per_event(p);
	w->values_nr = (uint32_t)p->events.len * per_event;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		int64_t *values = sample_values(w, (uint64_t)row->stack << 32 | row->labels);
		if (per_event == 2)
			values[row->event * 2] += (int64_t)row->samples;
		values[row->event * per_event + per_event - 1] += (int64_t)row->value;
	}
}

struct location_key {
	const frame_id *frames;
	size_t nr;
};

static bool location_eq(const void *table, uint32_t id, const void *key)
{
	const struct writer *w = table;
	const struct location_key *k = key;
	uint32_t first = w->location_starts.data[id];
	return w->location_starts.data[id + 1] - first == k->nr &&
	       !memcmp(w->location_frames.data + first, k->frames, k->nr * sizeof(frame_id));
}

static uint64_t location_id(struct writer *w, const frame_id *frames, size_t nr)
{
	struct location_key key = { frames, nr };
	uint64_t hash = hash_bytes(frames, nr * sizeof(*frames));
	size_t next = w->location_starts.len - 1;
	uint32_t id = idset_intern(&w->locations, hash, location_eq, w, &key, next);
	if (id == next) {
		memcpy(vec_extend(&w->location_frames, nr), frames, nr * sizeof(*frames));
		vec_push(&w->location_starts, (uint32_t)w->location_frames.len);
	}
	return id + 1;
}

static uint64_t single_location(struct writer *w, frame_id frame)
{
	if (!w->location_of[frame])
		w->location_of[frame] = (uint32_t)location_id(w, &frame, 1);
	return w->location_of[frame];
}

/* Innermost first; a run of inlined frames and the one that they are inlined into are one location. */
static void write_stack(struct writer *w, stack_id stack)
{
	const struct profile *p = w->p;
	vec_clear(&w->path);
	for (; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller) {
		frame_id frame = p->stacks.data[stack].frame;
		vec_push(&w->path, frame);
		bool goes_on = p->frames.data[frame].flags & FRAME_INLINED && p->stacks.data[stack].caller != PROFILE_NONE;
		if (goes_on)
			continue;
		proto_write_varint(&w->inner, w->path.len == 1 ? single_location(w, frame) : location_id(w, w->path.data, w->path.len));
		vec_clear(&w->path);
	}
	if (w->inner.len)
		proto_write_message(&w->message, SAMPLE_LOCATION, &w->inner);
}

static void write_label(struct writer *w, const struct profile_label_column *c, uint64_t value)
{
	bool is_text = c->type == COLUMN_STRING;
	if (!profile_has_label(w->p, c, value))
		return;
	proto_write_u64(&w->inner, LABEL_KEY, string_number(w, c->name));
	proto_write_u64(&w->inner, is_text ? LABEL_STRING : LABEL_NUMBER,
			is_text ? string_number(w, (str_id)value) : (uint64_t)profile_label_number(value));
	if (!is_text)
		proto_write_u64(&w->inner, LABEL_UNIT, string_number(w, c->unit));
	proto_write_message(&w->message, SAMPLE_LABEL, &w->inner);
}

static void write_samples(struct writer *w)
{
	const struct profile *p = w->p;
	for (size_t i = 0; i < w->sample_keys.len; i++) {
		uint64_t key = w->sample_keys.data[i];
		write_stack(w, (stack_id)(key >> 32));
		for (uint32_t v = 0; v < w->values_nr; v++)
			proto_write_varint(&w->inner, (uint64_t)w->sample_values.data[i * w->values_nr + v]);
		proto_write_message(&w->message, SAMPLE_VALUE, &w->inner);
		labels_id labels = (labels_id)key;
		for (size_t c = 0; c < p->columns.len && labels != PROFILE_NONE; c++)
			write_label(w, &p->columns.data[c], profile_label_values(p, labels)[c]);
		proto_write_message(w->out, PROFILE_SAMPLE, &w->message);
	}
}

/* ---- tables ---- */

static void write_locations(struct writer *w)
{
	const struct profile *p = w->p;
	for (uint32_t i = 0; i + 1 < w->location_starts.len; i++) {
		uint32_t first = w->location_starts.data[i], end = w->location_starts.data[i + 1];
		const struct profile_frame *outer = &p->frames.data[w->location_frames.data[end - 1]];
		proto_write_u64(&w->message, LOCATION_ID, i + 1);
		if (outer->mapping != PROFILE_NONE)
			proto_write_u64(&w->message, LOCATION_MAPPING, outer->mapping + 1);
		proto_write_u64(&w->message, LOCATION_ADDRESS, outer->addr);
		for (uint32_t f = first; f < end; f++) {
			const struct profile_frame *frame = &p->frames.data[w->location_frames.data[f]];
			if (frame->function == PROFILE_NONE)
				continue;
			proto_write_u64(&w->inner, LINE_FUNCTION, frame->function + 1);
			proto_write_u64(&w->inner, LINE_LINE, frame->line);
			proto_write_message(&w->message, LOCATION_LINE, &w->inner);
		}
		proto_write_message(w->out, PROFILE_LOCATION, &w->message);
	}
}

static void write_functions(struct writer *w)
{
	const struct profile *p = w->p;
	for (size_t i = 0; i < p->functions.len; i++) {
		const struct profile_function *f = &p->functions.data[i];
		proto_write_u64(&w->message, FUNCTION_ID, i + 1);
		proto_write_u64(&w->message, FUNCTION_NAME, string_number(w, f->name));
		proto_write_u64(&w->message, FUNCTION_SYSTEM_NAME, string_number(w, f->system_name));
		proto_write_u64(&w->message, FUNCTION_FILE, string_number(w, f->file));
		proto_write_u64(&w->message, FUNCTION_START_LINE, f->line);
		proto_write_message(w->out, PROFILE_FUNCTION, &w->message);
	}
}

static void write_mappings(struct writer *w)
{
	const struct profile *p = w->p;
	uint8_t *facts = profile_mapping_facts(p);
	for (size_t i = 0; i < p->mappings.len; i++) {
		const struct profile_mapping *m = &p->mappings.data[i];
		proto_write_u64(&w->message, MAPPING_ID, i + 1);
		proto_write_u64(&w->message, MAPPING_START, m->start);
		proto_write_u64(&w->message, MAPPING_LIMIT, m->end);
		proto_write_u64(&w->message, MAPPING_OFFSET, m->offset);
		proto_write_u64(&w->message, MAPPING_FILE, string_number(w, m->path ? m->path : m->name));
		proto_write_u64(&w->message, MAPPING_BUILD_ID, string_number(w, m->build_id));
		proto_write_u64(&w->message, MAPPING_HAS_FUNCTIONS, !!(facts[i] & MAPPING_FUNCTIONS));
		proto_write_u64(&w->message, MAPPING_HAS_FILES, !!(facts[i] & MAPPING_FILES));
		proto_write_u64(&w->message, MAPPING_HAS_LINES, !!(facts[i] & MAPPING_LINES));
		proto_write_u64(&w->message, MAPPING_HAS_INLINES, !!(facts[i] & MAPPING_INLINES));
		proto_write_message(w->out, PROFILE_MAPPING, &w->message);
	}
	free(facts);
}

/* Readers show the last value by default, but in a recording the last event may have no samples. */
static str_id default_event(const struct profile *p)
{
	uint32_t chosen;
	_cleanup_error_ struct strobe_error *err = profile_choose_event(p, "", &chosen);
	if (p->origin.events_are_values || err || chosen == p->events.len - 1)
		return p->origin.default_event;
	return p->events.data[chosen].name;
}

static void write_facts(struct writer *w)
{
	const struct profile *p = w->p;
	const struct profile_origin *o = &p->origin;
	proto_write_u64(w->out, PROFILE_DROP_FRAMES, string_number(w, o->drop_frames));
	proto_write_u64(w->out, PROFILE_KEEP_FRAMES, string_number(w, o->keep_frames));
	proto_write_u64(w->out, PROFILE_TIME_NS, profile_time_of_day(p));
	proto_write_u64(w->out, PROFILE_DURATION_NS, p->duration_ns);
	if (o->period_type || o->period_unit)
		write_value_type(w, PROFILE_PERIOD_TYPE, string_number(w, o->period_type), string_number(w, o->period_unit));
	proto_write_u64(w->out, PROFILE_PERIOD, (uint64_t)o->period);
	for (size_t i = 0; i < o->comments.len; i++)
		proto_write_u64(w->out, PROFILE_COMMENT, string_number(w, o->comments.data[i]));
	proto_write_u64(w->out, PROFILE_DEFAULT_TYPE, string_number(w, default_event(p)));
}

static void write_strings(struct writer *w)
{
	proto_write_bytes(w->out, PROFILE_STRING, "", 0);
	for (size_t i = 0; i < w->texts.len; i++)
		proto_write_bytes(w->out, PROFILE_STRING, w->texts.data[i].p, w->texts.data[i].n);
}

struct strobe_error *pprof_write_raw(const struct profile *p, struct out *out)
{
	struct writer w = { .p = p, .out = out };
	out_init_mem(&w.message);
	out_init_mem(&w.inner);
	memset(vec_extend(&w.strings, p->strings.strings.len), 0, p->strings.strings.len * sizeof(uint64_t));
	vec_push(&w.location_starts, 0);
	w.location_of = xcalloc(p->frames.len + 1, sizeof(uint32_t));
	collect_samples(&w);
	write_types(&w);
	write_samples(&w);
	write_mappings(&w);
	write_locations(&w);
	write_functions(&w);
	write_facts(&w);
	write_strings(&w);
	struct strobe_error *err = out_close(&w.message), *second = out_close(&w.inner);
	error_destroy(second);
	vec_deinit(&w.strings);
	vec_deinit(&w.texts);
	vec_deinit(&w.own);
	vec_deinit(&w.location_frames);
	vec_deinit(&w.location_starts);
	idset_deinit(&w.locations);
	free(w.location_of);
	u64map_deinit(&w.samples);
	vec_deinit(&w.sample_keys);
	vec_deinit(&w.sample_values);
	vec_deinit(&w.path);
	return err;
}

struct strobe_error *pprof_write(const struct profile *p, struct out *out)
{
	struct out raw;
	out_init_mem(&raw);
	struct strobe_error *err = pprof_write_raw(p, &raw);
	if (!err) {
		size_t n;
		const char *bytes = out_mem(&raw, &n);
		err = gzip_pack(bytes, n, out);
	}
	struct strobe_error *closed = out_close(&raw);
	error_destroy(closed);
	return err;
}
