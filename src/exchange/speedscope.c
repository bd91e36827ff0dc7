/*
 * The file format of speedscope: frames shared by all, and for each event a profile of samples, each a list of frames.
 * Source: speedscope.app/file-format-schema.json; "evented" profiles (calls that open and close) are read too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"

/* ---- writing ---- */

static void write_frame(struct json *j, const struct profile *p, frame_id id)
{
	char buffer[64];
	struct foreign_frame f = foreign_of_frame(p, id);
	json_object(j);
	json_key(j, "name");
	json_str(j, foreign_name(&f, buffer));
	if (*f.file) {
		json_key(j, "file");
		json_str(j, f.file);
	}
	if (f.line) {
		json_key(j, "line");
		json_u64(j, f.line);
	}
	json_key(j, "strobe");
	json_array(j);
	json_bool(j, *f.name);
	json_str(j, f.module);
	json_hex(j, f.address);
	json_bool(j, f.is_inlined);
	json_end(j);
	json_end(j);
}

static void write_frames(struct json *j, const struct profile *p)
{
	json_key(j, "shared");
	json_object(j);
	json_key(j, "frames");
	json_array(j);
	for (frame_id i = 0; i < p->frames.len; i++)
		write_frame(j, p, i);
	json_end(j);
	json_end(j);
}

static void write_stack(struct json *j, const struct profile *p, stack_id stack, uint32_t *path)
{
	uint32_t nr = 0;
	for (; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller)
		path[nr++] = p->stacks.data[stack].frame;
	json_array(j);
	while (nr)
		json_u64(j, path[--nr]);
	json_end(j);
}

static const char *speedscope_unit(const char *unit)
{
	static const char *const known[] = { "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes" };
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i], unit))
			return unit;
	return "none";
}

/* One number per row of an event. */
static void write_numbers(struct json *j, const struct profile *p, uint32_t event, const char *key,
			  int64_t (*number)(const struct profile_row *row))
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == event)
			json_i64(j, number(&p->rows.data[i]));
	json_end(j);
}

static int64_t value_of(const struct profile_row *row)
{
	return (int64_t)row->value;
}

static int64_t samples_of(const struct profile_row *row)
{
	return (int64_t)row->samples;
}

static int64_t labels_of(const struct profile_row *row)
{
	return row->labels == PROFILE_NONE ? -1 : row->labels;
}

static void write_event(struct json *j, const struct profile *p, uint32_t event, uint32_t *path)
{
	const struct profile_event *e = &p->events.data[event];
	int64_t total = 0;
	json_object(j);
	json_key(j, "type");
	json_str(j, "sampled");
	json_key(j, "name");
	json_str(j, profile_str(p, e->name));
	json_key(j, "unit");
	json_str(j, speedscope_unit(profile_event_unit(p, event)));
	json_key(j, "samples");
	json_array(j);
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->event != event)
			continue;
		write_stack(j, p, row->stack, path);
		total += (int64_t)row->value;
	}
	json_end(j);
	write_numbers(j, p, event, "weights", value_of);
	json_key(j, "startValue");
	json_u64(j, 0);
	json_key(j, "endValue");
	json_i64(j, total);
	json_key(j, "strobeUnit");
	json_str(j, profile_str(p, e->unit));
	write_numbers(j, p, event, "strobeLabels", labels_of);
	write_numbers(j, p, event, "strobeSamples", samples_of);
	json_end(j);
}

static uint32_t deepest(const struct profile *p)
{
	uint32_t depth = 0;
	for (size_t i = 0; i < p->stacks.len; i++)
		depth = p->stacks.data[i].depth > depth ? p->stacks.data[i].depth : depth;
	return depth;
}

struct strobe_error *speedscope_write(const struct profile *p, struct out *out)
{
	struct json j;
	uint32_t *path = xcalloc((size_t)deepest(p) + 1, sizeof(*path));
	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "$schema");
	json_str(&j, "https://www.speedscope.app/file-format-schema.json");
	json_key(&j, "exporter");
	json_str(&j, "strobe");
	json_key(&j, "name");
	json_str(&j, p->mappings.len ? profile_str(p, p->mappings.data[0].name) : "profile");
	json_key(&j, "activeProfileIndex");
	json_u64(&j, 0);
	json_key(&j, "strobeIsRecording");
	json_bool(&j, !p->origin.events_are_values);
	write_frames(&j, p);
	json_key(&j, "profiles");
	json_array(&j);
	for (uint32_t e = 0; e < p->events.len; e++)
		write_event(&j, p, e, path);
	json_end(&j);
	foreign_write_labels(&j, p);
	json_end(&j);
	out_ch(out, '\n');
	free(path);
	return NULL;
}

/* ---- reading ---- */

struct reader {
	struct json_doc doc;
	struct profile *p;
	VEC(frame_id) frames;
	struct foreign_labels labels;
	VEC(stack_id) open; /* of an evented profile */
	uint32_t event;
};

static void read_frame(struct reader *r, uint32_t v)
{
	const struct json_doc *d = &r->doc;
	uint32_t ours = json_first(d, json_member(d, v, "strobe"));
	struct foreign_frame f = {
		.name = json_text(d, json_member(d, v, "name")),
		.file = json_text(d, json_member(d, v, "file")),
		.module = "",
	};
	double line = json_number(d, json_member(d, v, "line"), 0);
	f.line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
	if (ours != JSON_NONE) {
		f.name = json_is(d, ours, JSON_KIND_TRUE) ? f.name : "";
		ours = json_next(d, ours);
		f.module = json_text(d, ours);
		ours = ours == JSON_NONE ? ours : json_next(d, ours);
		f.address = strtoull(json_text(d, ours), NULL, 16);
		ours = ours == JSON_NONE ? ours : json_next(d, ours);
		f.is_inlined = json_is(d, ours, JSON_KIND_TRUE);
	}
	vec_push(&r->frames, foreign_to_frame(r->p, &f));
}

static struct strobe_error *frame_at(const struct reader *r, uint32_t v, frame_id *ret)
{
	uint32_t index = json_index(&r->doc, v);
	if (index >= r->frames.len)
		return error_create(ERROR_FORMAT, "reference to a frame that does not exist");
	*ret = r->frames.data[index];
	return NULL;
}

/* The weight of a sample, rounded to a whole number of its unit. */
static uint64_t whole(double value)
{
	return value > -9e18 && value < 9e18 ? (uint64_t)(int64_t)llround(value) : 0;
}

static uint32_t step(const struct json_doc *d, uint32_t v)
{
	return v == JSON_NONE ? v : json_next(d, v);
}

static struct strobe_error *read_sampled(struct reader *r, uint32_t profile)
{
	const struct json_doc *d = &r->doc;
	uint32_t weight = json_first(d, json_member(d, profile, "weights"));
	uint32_t set = json_first(d, json_member(d, profile, "strobeLabels"));
	uint32_t samples = json_first(d, json_member(d, profile, "strobeSamples"));
	for (uint32_t s = json_first(d, json_member(d, profile, "samples")); s != JSON_NONE; s = json_next(d, s)) {
		stack_id stack = PROFILE_NONE;
		frame_id frame;
		for (uint32_t f = json_first(d, s); f != JSON_NONE; f = json_next(d, f)) {
			TRY(frame_at(r, f, &frame));
			stack = profile_stack(r->p, stack, frame);
		}
		profile_add(r->p, stack, foreign_labels_get(&r->labels, json_index(d, set)), r->event,
			    whole(json_number(d, samples, 1)), whole(json_number(d, weight, 1)), 0);
		weight = step(d, weight);
		set = step(d, set);
		samples = step(d, samples);
	}
	return NULL;
}

/* Time that passes between two events belongs to the stack that is open. */
static struct strobe_error *read_evented(struct reader *r, uint32_t profile)
{
	const struct json_doc *d = &r->doc;
	double before = json_number(d, json_member(d, profile, "startValue"), 0);
	vec_clear(&r->open);
	for (uint32_t e = json_first(d, json_member(d, profile, "events")); e != JSON_NONE; e = json_next(d, e)) {
		double at = json_number(d, json_member(d, e, "at"), before);
		frame_id frame;
		if (r->open.len && at > before)
			profile_add(r->p, vec_last(&r->open), r->labels.none, r->event, 1, whole(at - before), 0);
		before = at;
		if (!strcmp(json_text(d, json_member(d, e, "type")), "O")) {
			TRY(frame_at(r, json_member(d, e, "frame"), &frame));
			stack_id caller = r->open.len ? vec_last(&r->open) : PROFILE_NONE;
			vec_push(&r->open, profile_stack(r->p, caller, frame));
		} else if (r->open.len) {
			r->open.len--;
		}
	}
	return NULL;
}

static struct strobe_error *read_all(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	uint32_t frames = json_member(d, json_member(d, 0, "shared"), "frames"), profiles = json_member(d, 0, "profiles");
	if (!json_is(d, frames, JSON_KIND_ARRAY) || !json_is(d, profiles, JSON_KIND_ARRAY))
		return error_create(ERROR_FORMAT, "no frames or no profiles of speedscope");
	r->p->origin.events_are_values = !json_is(d, json_member(d, 0, "strobeIsRecording"), JSON_KIND_TRUE);
	foreign_read_labels(&r->labels, d, 0, r->p);
	for (uint32_t f = json_first(d, frames); f != JSON_NONE; f = json_next(d, f))
		read_frame(r, f);
	for (uint32_t v = json_first(d, profiles); v != JSON_NONE; v = json_next(d, v)) {
		uint32_t unit = json_member(d, v, "strobeUnit");
		const char *theirs = json_text(d, json_member(d, v, "unit")), *name = json_text(d, json_member(d, v, "name"));
		r->event = profile_event(r->p, *name ? name : "samples",
					 unit != JSON_NONE ? json_text(d, unit) : !strcmp(theirs, "none") ? "count" : theirs);
		bool is_evented = !strcmp(json_text(d, json_member(d, v, "type")), "evented");
		TRY(is_evented ? read_evented(r, v) : read_sampled(r, v));
	}
	return r->p->events.len ? NULL : error_create(ERROR_FORMAT, "it has no profiles");
}

struct strobe_error *speedscope_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct reader r = { .p = profile_create() };
	struct strobe_error *err = json_parse(p, n, &r.doc);
	if (!err)
		err = read_all(&r);
	foreign_labels_deinit(&r.labels);
	json_doc_deinit(&r.doc);
	vec_deinit(&r.frames);
	vec_deinit(&r.open);
	return foreign_finish(r.p, err, ret);
}

/* What identifies the format must be near the start of the JSON text: no more is examined. */
bool speedscope_probe(const uint8_t *p, size_t n)
{
	n = n > 4096 ? 4096 : n;
	return p && n && (*p == '{' || *p == ' ' || *p == '\n') &&
	       (memmem(p, n, "speedscope", 10) || (memmem(p, n, "\"shared\"", 8) && memmem(p, n, "\"frames\"", 8)));
}
