/* Source: see firefox.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"

/* A column of a table: its values by number. */
typedef VEC(uint32_t) column_t;

struct reader {
	struct json_doc doc;
	struct profile *p;
	struct foreign_labels labels;
	bool has_labels; /* the file brings its own */
	/* Of the current thread. */
	uint32_t thread, shared, strings;
	column_t texts, frame_func, frame_address, frame_line, frame_depth, func_name, func_resource, func_file, resource_lib, libs;
	column_t stack_prefix, stack_frame;
	VEC(frame_id) frames;
	VEC(stack_id) stacks;
};

static void load(struct reader *r, uint32_t array, column_t *ret)
{
	const struct json_doc *d = &r->doc;
	vec_clear(ret);
	for (uint32_t v = json_first(d, array); v != JSON_NONE; v = json_next(d, v))
		vec_push(ret, v);
}

/* Of the thread, or of the part that all threads share. */
static void load_column(struct reader *r, const char *table, const char *column, column_t *ret)
{
	uint32_t at = json_member(&r->doc, json_member(&r->doc, r->thread, table), column);
	if (at == JSON_NONE)
		at = json_member(&r->doc, json_member(&r->doc, r->shared, table), column);
	load(r, at, ret);
}

static uint32_t cell(const column_t *c, uint32_t row)
{
	return row < c->len ? c->data[row] : JSON_NONE;
}

static uint32_t index_at(const struct reader *r, const column_t *c, uint32_t row)
{
	return json_index(&r->doc, cell(c, row));
}

static const char *text_at(const struct reader *r, uint32_t number)
{
	return json_text(&r->doc, cell(&r->texts, number));
}

static frame_id make_frame(struct reader *r, uint32_t row)
{
	const struct json_doc *d = &r->doc;
	uint32_t func = index_at(r, &r->frame_func, row), resource = index_at(r, &r->func_resource, func);
	uint32_t lib = cell(&r->libs, index_at(r, &r->resource_lib, resource));
	double address = json_number(d, cell(&r->frame_address, row), -1), line = json_number(d, cell(&r->frame_line, row), 0);
	double depth = json_number(d, cell(&r->frame_depth, row), 0);
	struct foreign_frame f = {
		.name = text_at(r, index_at(r, &r->func_name, func)),
		.file = text_at(r, index_at(r, &r->func_file, func)),
		.module = json_text(d, json_member(d, lib, "path")),
		.line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0,
		.address = address >= -9e18 && address < 9e18 && address != -1 ? (uint64_t)(int64_t)address : 0,
		.is_inlined = depth > 0,
	};
	if (!strncmp(f.name, "0x", 2))
		f.name = "";
	return foreign_to_frame(r->p, &f);
}

static void load_tables(struct reader *r)
{
	uint32_t strings = json_member(&r->doc, r->thread, "stringArray");
	load(r, strings != JSON_NONE ? strings : json_member(&r->doc, r->shared, "stringArray"), &r->texts);
	load_column(r, "frameTable", "func", &r->frame_func);
	load_column(r, "frameTable", "address", &r->frame_address);
	load_column(r, "frameTable", "line", &r->frame_line);
	load_column(r, "frameTable", "inlineDepth", &r->frame_depth);
	load_column(r, "funcTable", "name", &r->func_name);
	load_column(r, "funcTable", "resource", &r->func_resource);
	load_column(r, "funcTable", "fileName", &r->func_file);
	load_column(r, "resourceTable", "lib", &r->resource_lib);
	load_column(r, "stackTable", "prefix", &r->stack_prefix);
	load_column(r, "stackTable", "frame", &r->stack_frame);
}

/* A stack's caller must precede it. */
static struct strobe_error *make_stacks(struct reader *r)
{
	vec_clear(&r->frames);
	vec_clear(&r->stacks);
	for (uint32_t i = 0; i < r->frame_func.len; i++)
		vec_push(&r->frames, make_frame(r, i));
	for (uint32_t i = 0; i < r->stack_frame.len; i++) {
		uint32_t prefix = index_at(r, &r->stack_prefix, i), frame = index_at(r, &r->stack_frame, i);
		if (frame >= r->frames.len || (prefix != JSON_NONE && prefix >= i))
			return error_create(ERROR_FORMAT, "its table of stacks is damaged at row %u", i);
		stack_id caller = prefix == JSON_NONE ? PROFILE_NONE : r->stacks.data[prefix];
		vec_push(&r->stacks, profile_stack(r->p, caller, r->frames.data[frame]));
	}
	return NULL;
}

static labels_id thread_labels(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	uint32_t pid = json_member(d, r->thread, "pid");
	double number = json_is(d, pid, JSON_KIND_STRING) ? strtod(json_text(d, pid), NULL) : json_number(d, pid, 0);
	double tid = json_number(d, json_member(d, r->thread, "tid"), 0);
	if (r->has_labels)
		return r->labels.none;
	const char *comm = json_text(d, json_member(d, r->thread, "name"));
	return foreign_thread_labels(r->p, comm, number >= 0 && number < 1e18 ? (uint64_t)number : 0,
				     tid >= 0 && tid < 1e18 ? (uint64_t)tid : 0);
}

static uint32_t step(const struct json_doc *d, uint32_t v)
{
	return v == JSON_NONE ? v : json_next(d, v);
}

static uint64_t whole(double value)
{
	return value > -9e18 && value < 9e18 ? (uint64_t)(int64_t)llround(value) : 0;
}

static struct strobe_error *read_samples(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	uint32_t samples = json_member(d, r->thread, "samples");
	bool is_time = !strcmp(json_text(d, json_member(d, samples, "weightType")), "tracing-ms");
	uint32_t unit = json_member(d, r->thread, "strobeUnit"), name = json_member(d, r->thread, "strobeEvent");
	uint32_t event = profile_event(r->p, name == JSON_NONE ? "samples" : json_text(d, name),
				       unit != JSON_NONE ? json_text(d, unit) : is_time ? "nanoseconds" : "count");
	uint32_t weight = json_first(d, json_member(d, samples, "weight"));
	uint32_t set = json_first(d, json_member(d, samples, "strobeLabels"));
	uint32_t count = json_first(d, json_member(d, samples, "strobeSamples"));
	labels_id labels = thread_labels(r);
	for (uint32_t s = json_first(d, json_member(d, samples, "stack")); s != JSON_NONE; s = json_next(d, s)) {
		uint32_t stack = json_index(d, s);
		if (stack != JSON_NONE && stack >= r->stacks.len)
			return error_create(ERROR_FORMAT, "a sample refers to a stack that does not exist");
		double value = json_number(d, weight, 1) * (is_time ? 1e6 : 1);
		profile_add(r->p, stack == JSON_NONE ? PROFILE_NONE : r->stacks.data[stack],
			    r->has_labels ? foreign_labels_get(&r->labels, json_index(d, set)) : labels, event,
			    whole(json_number(d, count, 1)), whole(value), 0);
		weight = step(d, weight);
		set = step(d, set);
		count = step(d, count);
	}
	return NULL;
}

static struct strobe_error *read_threads(struct reader *r, uint32_t owner)
{
	const struct json_doc *d = &r->doc;
	for (uint32_t t = json_first(d, json_member(d, owner, "threads")); t != JSON_NONE; t = json_next(d, t)) {
		r->thread = t;
		uint32_t libs = json_member(d, owner, "libs");
		load(r, libs != JSON_NONE ? libs : json_member(d, t, "libs"), &r->libs);
		load_tables(r);
		TRY(make_stacks(r));
		TRY(read_samples(r));
	}
	return NULL;
}

static struct strobe_error *read_all(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	uint32_t meta = json_member(d, 0, "meta");
	if (!json_is(d, json_member(d, 0, "threads"), JSON_KIND_ARRAY) || !json_is(d, meta, JSON_KIND_OBJECT))
		return error_create(ERROR_FORMAT, "it has no threads of the Firefox Profiler");
	if (json_member(d, meta, "preprocessedProfileVersion") == JSON_NONE)
		return error_create(ERROR_UNSUPPORTED, "it is a Firefox profile that is not processed; save it from profiler.firefox.com");
	r->p->origin.events_are_values = !json_is(d, json_member(d, 0, "strobeIsRecording"), JSON_KIND_TRUE);
	r->has_labels = json_member(d, 0, "strobe") != JSON_NONE;
	r->shared = json_member(d, 0, "shared");
	if (!r->has_labels)
		foreign_declare_threads(r->p);
	foreign_read_labels(&r->labels, d, 0, r->p);
	TRY(read_threads(r, 0));
	return r->p->events.len ? NULL : error_create(ERROR_FORMAT, "it has no threads");
}

struct strobe_error *firefox_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct reader r = { .p = profile_create() };
	struct strobe_error *err = json_parse(p, n, &r.doc);
	if (!err)
		err = read_all(&r);
	column_t *const columns[] = {
		&r.texts, &r.frame_func, &r.frame_address, &r.frame_line, &r.frame_depth, &r.func_name, &r.func_resource,
		&r.func_file, &r.resource_lib, &r.libs, &r.stack_prefix, &r.stack_frame,
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		vec_deinit(columns[i]);
	vec_deinit(&r.frames);
	vec_deinit(&r.stacks);
	foreign_labels_deinit(&r.labels);
	json_doc_deinit(&r.doc);
	return foreign_finish(r.p, err, ret);
}

bool firefox_probe(const uint8_t *p, size_t n)
{
	size_t head = n > 65536 ? 65536 : n, tail = n > 4096 ? 4096 : n;
	return n && (*p == '{' || *p == ' ' || *p == '\n') && (memmem(p, head, "\"preprocessedProfileVersion\"", 28) ||
							      memmem(p + n - tail, tail, "\"preprocessedProfileVersion\"", 28));
}
