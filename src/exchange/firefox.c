/*
 * The Firefox Profiler's processed format: threads, each with tables of samples, stacks, frames and functions.
 * Source: profiler.firefox.com's docs-developer/ and what its importers write (format version 24, processed version 41);
 * later versions keep tables and strings under "shared", which is read too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"

#define VERSION 24
#define PROCESSED_VERSION 41
#define INTERVAL_MS 1

/* ---- writing ---- */

/* A thread of one event. */
struct track {
	uint32_t event;
	str_id comm;
	uint64_t pid, tid;
};

struct writer {
	const struct profile *p;
	struct json j;
	uint32_t comm, pid, tid; /* columns, or PROFILE_NONE */
	VEC(struct track) tracks;
	uint32_t *track_of;      /* by row */
	uint32_t *mapping_of;    /* by mapping: its number among libs */
	VEC(str_id) strings;     /* of the current thread */
	VEC(uint32_t) string_of; /* by str_id: number + 1 */
	char address[64];
};

static void find_tracks(struct writer *w)
{
	const struct profile *p = w->p;
	w->comm = profile_find_column(p, "comm");
	w->pid = profile_find_column(p, "pid");
	w->tid = profile_find_column(p, "tid");
	w->track_of = xcalloc(p->rows.len + 1, sizeof(*w->track_of));
	/* a cache by event and label set: few sets, many rows */
	uint32_t *known = xcalloc(((size_t)p->labels_nr + 1) * p->events.len + 1, sizeof(*known));
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		size_t set = row->labels == PROFILE_NONE ? p->labels_nr : row->labels;
		uint32_t *at = &known[set * p->events.len + row->event];
		struct track t = { row->event, (str_id)foreign_label(p, row, w->comm), foreign_label(p, row, w->pid),
				   foreign_label(p, row, w->tid) };
		for (uint32_t k = 0; k < w->tracks.len && !*at; k++) {
			const struct track *o = &w->tracks.data[k];
			if (o->event == t.event && o->comm == t.comm && o->pid == t.pid && o->tid == t.tid)
				*at = k + 1;
		}
		if (!*at) {
			vec_push(&w->tracks, t);
			*at = (uint32_t)w->tracks.len;
		}
		w->track_of[i] = *at - 1;
	}
	free(known);
}

static void key_array(struct json *j, const char *key)
{
	json_key(j, key);
	json_array(j);
}

/* A column with the same value in each row. */
static void same(struct json *j, const char *key, uint32_t nr, int64_t value, bool is_null)
{
	key_array(j, key);
	for (uint32_t i = 0; i < nr; i++) {
		if (is_null)
			json_null(j);
		else
			json_i64(j, value);
	}
	json_end(j);
}

static void write_category(struct json *j, const char *name, const char *colour)
{
	json_object(j);
	json_pair_str(j, "name", name);
	json_pair_str(j, "color", colour);
	key_array(j, "subcategories");
	json_str(j, "Other");
	json_end(j);
	json_end(j);
}

static void write_meta(struct writer *w)
{
	struct json *j = &w->j;
	json_key(j, "meta");
	json_object(j);
	json_pair_u64(j, "version", VERSION);
	json_pair_u64(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	json_key(j, "interval");
	json_u64(j, INTERVAL_MS);
	json_key(j, "startTime");
	json_f64(j, (double)profile_time_of_day(w->p) / 1e6);
	json_pair_u64(j, "processType", 0);
	json_pair_str(j, "product", "strobe");
	json_pair_u64(j, "stackwalk", 1);
	json_key(j, "debug");
	json_bool(j, false);
	json_key(j, "symbolicated");
	json_bool(j, true);
	key_array(j, "categories");
	write_category(j, "Other", "grey");
	write_category(j, "User", "yellow");
	write_category(j, "Kernel", "orange");
	json_end(j);
	key_array(j, "markerSchema");
	json_end(j);
	json_key(j, "sampleUnits");
	json_object(j);
	json_pair_str(j, "time", "ms");
	json_pair_str(j, "eventDelay", "ms");
	json_pair_str(j, "threadCPUDelta", "ns");
	json_end(j);
	json_end(j);
}

static void write_libs(struct writer *w)
{
	struct json *j = &w->j;
	const struct profile *p = w->p;
	key_array(j, "libs");
	for (size_t i = 0; i < p->mappings.len; i++) {
		const struct profile_mapping *m = &p->mappings.data[i];
		const char *name = profile_str(p, m->name), *path = profile_str(p, m->path ? m->path : m->name);
		json_object(j);
		json_pair_str(j, "name", name);
		json_pair_str(j, "path", path);
		json_pair_str(j, "debugName", name);
		json_pair_str(j, "debugPath", path);
		json_pair_str(j, "breakpadId", "");
		json_pair_str(j, "codeId", profile_str(p, m->build_id));
		json_key(j, "arch");
		json_null(j);
		json_end(j);
	}
	json_end(j);
}

static uint32_t string_number(struct writer *w, str_id id)
{
	uint32_t *at = &w->string_of.data[id];
	if (!*at) {
		vec_push(&w->strings, id);
		*at = (uint32_t)w->strings.len;
	}
	return *at - 1;
}

/* The frames of a thread, in the order of its stacks. */
struct thread {
	uint32_t track;
	uint32_t *stacks; /* by stack: number + 1, or 0 */
	uint32_t stacks_nr;
	uint32_t *frames; /* by frame: number + 1 */
	VEC(frame_id) list;
};

static void find_frames(struct writer *w, struct thread *t)
{
	const struct profile *p = w->p;
	t->stacks = xcalloc(p->stacks.len + 1, sizeof(*t->stacks));
	t->frames = xcalloc(p->frames.len + 1, sizeof(*t->frames));
	for (size_t i = 0; i < p->rows.len; i++)
		for (stack_id s = p->rows.data[i].stack; w->track_of[i] == t->track && s != PROFILE_NONE && !t->stacks[s];
		     s = p->stacks.data[s].caller)
			t->stacks[s] = 1;
	for (stack_id s = 0; s < p->stacks.len; s++) {
		frame_id f = p->stacks.data[s].frame;
		if (!t->stacks[s])
			continue;
		t->stacks[s] = ++t->stacks_nr;
		if (!t->frames[f]) {
			vec_push(&t->list, f);
			t->frames[f] = (uint32_t)t->list.len;
		}
	}
}

static int category_of(const struct profile *p, frame_id f)
{
	return p->frames.data[f].space == SPACE_KERNEL ? 2 : 1;
}

static void write_stacks(struct writer *w, const struct thread *t)
{
	struct json *j = &w->j;
	const struct profile *p = w->p;
	json_key(j, "stackTable");
	json_object(j);
	json_pair_u64(j, "length", t->stacks_nr);
	key_array(j, "prefix");
	for (stack_id s = 0; s < p->stacks.len; s++) {
		if (!t->stacks[s])
			continue;
		if (p->stacks.data[s].caller == PROFILE_NONE)
			json_null(j);
		else
			json_u64(j, t->stacks[p->stacks.data[s].caller] - 1);
	}
	json_end(j);
	key_array(j, "frame");
	for (stack_id s = 0; s < p->stacks.len; s++)
		if (t->stacks[s])
			json_u64(j, t->frames[p->stacks.data[s].frame] - 1);
	json_end(j);
	key_array(j, "category");
	for (stack_id s = 0; s < p->stacks.len; s++)
		if (t->stacks[s])
			json_u64(j, (uint64_t)category_of(p, p->stacks.data[s].frame));
	json_end(j);
	same(j, "subcategory", t->stacks_nr, 0, false);
	json_end(j);
}

/* One function a frame: their tables have the same numbers. */
static void write_frames(struct writer *w, const struct thread *t)
{
	struct json *j = &w->j;
	const struct profile *p = w->p;
	uint32_t nr = (uint32_t)t->list.len;
	json_key(j, "frameTable");
	json_object(j);
	json_pair_u64(j, "length", nr);
	key_array(j, "address");
	for (uint32_t i = 0; i < nr; i++)
		json_i64(j, (int64_t)p->frames.data[t->list.data[i]].addr);
	json_end(j);
	key_array(j, "inlineDepth");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, p->frames.data[t->list.data[i]].flags & FRAME_INLINED ? 1 : 0);
	json_end(j);
	key_array(j, "category");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, (uint64_t)category_of(p, t->list.data[i]));
	json_end(j);
	same(j, "subcategory", nr, 0, false);
	key_array(j, "func");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, i);
	json_end(j);
	same(j, "nativeSymbol", nr, 0, true);
	same(j, "innerWindowID", nr, 0, true);
	same(j, "implementation", nr, 0, true);
	key_array(j, "line");
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t line = p->frames.data[t->list.data[i]].line;
		if (line)
			json_u64(j, line);
		else
			json_null(j);
	}
	json_end(j);
	same(j, "column", nr, 0, true);
	same(j, "optimizations", nr, 0, true);
	json_end(j);
}

/* A frame without a function is marked by a member of strobe's own, since its name is not that of a function. */
static void write_functions(struct writer *w, const struct thread *t, struct profile *texts)
{
	struct json *j = &w->j;
	const struct profile *p = w->p;
	uint32_t nr = (uint32_t)t->list.len;
	json_key(j, "funcTable");
	json_object(j);
	json_pair_u64(j, "length", nr);
	key_array(j, "name");
	for (uint32_t i = 0; i < nr; i++) {
		struct foreign_frame f = foreign_of_frame(p, t->list.data[i]);
		str_id id = strtab_add(&texts->strings, foreign_name(&f, w->address));
		while (w->string_of.len <= id)
			vec_push(&w->string_of, 0);
		json_u64(j, string_number(w, id));
	}
	json_end(j);
	key_array(j, "resource");
	for (uint32_t i = 0; i < nr; i++) {
		mapping_id m = p->frames.data[t->list.data[i]].mapping;
		json_i64(j, m == PROFILE_NONE ? -1 : (int64_t)m);
	}
	json_end(j);
	key_array(j, "fileName");
	for (uint32_t i = 0; i < nr; i++) {
		struct foreign_frame f = foreign_of_frame(p, t->list.data[i]);
		str_id id = strtab_add(&texts->strings, f.file);
		while (w->string_of.len <= id)
			vec_push(&w->string_of, 0);
		if (*f.file)
			json_u64(j, string_number(w, id));
		else
			json_null(j);
	}
	json_end(j);
	same(j, "isJS", nr, 0, false);
	same(j, "relevantForJS", nr, 0, false);
	same(j, "lineNumber", nr, 0, true);
	same(j, "columnNumber", nr, 0, true);
	json_end(j);
}

/* One per library, with the same number. */
static void write_resources(struct writer *w, struct profile *texts)
{
	struct json *j = &w->j;
	const struct profile *p = w->p;
	uint32_t nr = (uint32_t)p->mappings.len;
	json_key(j, "resourceTable");
	json_object(j);
	json_pair_u64(j, "length", nr);
	key_array(j, "lib");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, i);
	json_end(j);
	key_array(j, "name");
	for (uint32_t i = 0; i < nr; i++) {
		str_id id = strtab_add(&texts->strings, profile_str(p, p->mappings.data[i].name));
		while (w->string_of.len <= id)
			vec_push(&w->string_of, 0);
		json_u64(j, string_number(w, id));
	}
	json_end(j);
	same(j, "host", nr, 0, true);
	same(j, "type", nr, 1, false);
	json_end(j);
}

/* Times are shown in milliseconds; other values are counts of what they are. */
static bool is_time(const struct profile *p, uint32_t event)
{
	return !strcmp(profile_str(p, p->events.data[event].unit), "nanoseconds");
}

static void write_samples(struct writer *w, const struct thread *t)
{
	struct json *j = &w->j;
	const struct profile *p = w->p;
	uint32_t event = w->tracks.data[t->track].event, nr = 0;
	json_key(j, "samples");
	json_object(j);
	key_array(j, "stack");
	for (size_t i = 0; i < p->rows.len; i++) {
		if (w->track_of[i] != t->track)
			continue;
		nr++;
		if (p->rows.data[i].stack == PROFILE_NONE)
			json_null(j);
		else
			json_u64(j, t->stacks[p->rows.data[i].stack] - 1);
	}
	json_end(j);
	json_pair_u64(j, "length", nr);
	/* sums have no times: one after the other */
	key_array(j, "time");
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, (uint64_t)i * INTERVAL_MS);
	json_end(j);
	key_array(j, "weight");
	for (size_t i = 0; i < p->rows.len; i++) {
		int64_t value = (int64_t)p->rows.data[i].value;
		if (w->track_of[i] != t->track)
			continue;
		if (is_time(p, event))
			json_f64(j, (double)value / 1e6);
		else
			json_i64(j, value);
	}
	json_end(j);
	json_pair_str(j, "weightType", is_time(p, event) ? "tracing-ms" :
			 !strcmp(profile_str(p, p->events.data[event].unit), "bytes") ? "bytes" : "samples");
	key_array(j, "strobeLabels");
	for (size_t i = 0; i < p->rows.len; i++)
		if (w->track_of[i] == t->track)
			json_i64(j, p->rows.data[i].labels == PROFILE_NONE ? -1 : (int64_t)p->rows.data[i].labels);
	json_end(j);
	key_array(j, "strobeSamples");
	for (size_t i = 0; i < p->rows.len; i++)
		if (w->track_of[i] == t->track)
			json_u64(j, p->rows.data[i].samples);
	json_end(j);
	json_end(j);
}

static void write_thread_facts(struct writer *w, const struct track *track)
{
	struct json *j = &w->j;
	const struct profile *p = w->p;
	const char *comm = track->comm ? profile_str(p, track->comm) : "profile";
	const char *event = profile_event_name(p, track->event);
	char *name = p->events.len > 1 ? xasprintf("%s (%s)", comm, event) : xstrdup(comm);
	json_pair_str(j, "name", name);
	json_pair_str(j, "processName", comm);
	json_pair_str(j, "processType", "default");
	json_pair_u64(j, "processStartupTime", 0);
	json_key(j, "processShutdownTime");
	json_null(j);
	json_pair_u64(j, "registerTime", 0);
	json_key(j, "unregisterTime");
	json_null(j);
	key_array(j, "pausedRanges");
	json_end(j);
	json_key(j, "isMainThread");
	json_bool(j, track->pid == track->tid);
	json_pair_u64(j, "pid", track->pid);
	json_pair_u64(j, "tid", track->tid);
	json_pair_str(j, "strobeEvent", event);
	json_pair_str(j, "strobeUnit", profile_str(p, p->events.data[track->event].unit));
	json_pair_str(j, "strobeComm", comm);
	free(name);
}

static void write_empty_tables(struct json *j)
{
	static const char *const markers[] = { "data", "name", "startTime", "endTime", "phase", "category" };
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize" };
	json_key(j, "markers");
	json_object(j);
	json_pair_u64(j, "length", 0);
	for (size_t i = 0; i < sizeof(markers) / sizeof(*markers); i++)
		same(j, markers[i], 0, 0, true);
	json_end(j);
	json_key(j, "nativeSymbols");
	json_object(j);
	json_pair_u64(j, "length", 0);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		same(j, symbols[i], 0, 0, true);
	json_end(j);
}

static void write_thread(struct writer *w, uint32_t track)
{
	struct json *j = &w->j;
	struct thread t = { .track = track };
	struct profile *texts = profile_create(); /* the strings of this thread */
	find_frames(w, &t);
	json_object(j);
	write_thread_facts(w, &w->tracks.data[track]);
	write_samples(w, &t);
	write_stacks(w, &t);
	write_frames(w, &t);
	write_functions(w, &t, texts);
	write_resources(w, texts);
	write_empty_tables(j);
	key_array(j, "stringArray");
	for (size_t i = 0; i < w->strings.len; i++)
		json_str(j, profile_str(texts, w->strings.data[i]));
	json_end(j);
	json_end(j);
	vec_clear(&w->strings);
	vec_clear(&w->string_of);
	vec_deinit(&t.list);
	free(t.stacks);
	free(t.frames);
	profile_destroy(texts);
}

struct strobe_error *firefox_write(const struct profile *p, struct out *out)
{
	struct writer w = { .p = p };
	json_init(&w.j, out, false);
	find_tracks(&w);
	json_object(&w.j);
	write_meta(&w);
	write_libs(&w);
	key_array(&w.j, "threads");
	for (uint32_t i = 0; i < w.tracks.len; i++)
		write_thread(&w, i);
	json_end(&w.j);
	key_array(&w.j, "pages");
	json_end(&w.j);
	key_array(&w.j, "profilerOverhead");
	json_end(&w.j);
	key_array(&w.j, "counters");
	json_end(&w.j);
	json_key(&w.j, "strobeIsRecording");
	json_bool(&w.j, !p->origin.events_are_values);
	foreign_write_labels(&w.j, p);
	json_end(&w.j);
	out_ch(out, '\n');
	vec_deinit(&w.tracks);
	vec_deinit(&w.strings);
	vec_deinit(&w.string_of);
	free(w.track_of);
	return NULL;
}
