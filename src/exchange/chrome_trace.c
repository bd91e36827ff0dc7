/*
 * The trace event format of chrome://tracing and Perfetto: calls as complete events, one track a thread.
 *
 * A profile has no times: each thread's stacks are side by side as in a flame graph, and a microsecond of width stands for a
 * microsecond of time or one of another unit. Events follow one another, distinguished by their category. The labels of a call's own
 * cost are its arguments; a call with several sets of labels is written as several calls. The arguments include the number of
 * samples, and the value if a width cannot represent it: then the call is as narrow as possible. Source: "Trace Event Format", the
 * catapult project; ui.perfetto.dev reads it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"

/* ---- writing ---- */

struct writer {
	const struct profile *p;
	struct json j;
	uint32_t comm, pid, tid;
	uint32_t *order;         /* rows, those of a thread together, in the order of the tree */
	VEC(stack_id) path, open; /* outermost first */
	VEC(double) began;
	VEC(const struct profile_row *) costs; /* by open call: its own cost; NULL: only callees so far */
	double now;
};

static int compare_stacks(const struct profile *p, stack_id a, stack_id b)
{
	/* up to the same depth, then to the common caller */
	uint32_t da = a == PROFILE_NONE ? 0 : p->stacks.data[a].depth, db = b == PROFILE_NONE ? 0 : p->stacks.data[b].depth;
	stack_id x = a, y = b;
	for (uint32_t d = da; d > db; d--)
		x = p->stacks.data[x].caller;
	for (uint32_t d = db; d > da; d--)
		y = p->stacks.data[y].caller;
	if (x == y)
		return da < db ? -1 : da > db;
	while (p->stacks.data[x].caller != p->stacks.data[y].caller) {
		x = p->stacks.data[x].caller;
		y = p->stacks.data[y].caller;
	}
	return x < y ? -1 : 1;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct writer *w = ctx;
	const struct profile_row *x = &w->p->rows.data[*(const uint32_t *)a], *y = &w->p->rows.data[*(const uint32_t *)b];
	uint64_t keys_x[] = { foreign_label(w->p, x, w->pid), foreign_label(w->p, x, w->tid), foreign_label(w->p, x, w->comm), x->event };
	uint64_t keys_y[] = { foreign_label(w->p, y, w->pid), foreign_label(w->p, y, w->tid), foreign_label(w->p, y, w->comm), y->event };
	for (size_t i = 0; i < 4; i++)
		if (keys_x[i] != keys_y[i])
			return keys_x[i] < keys_y[i] ? -1 : 1;
	int order = compare_stacks(w->p, x->stack, y->stack);
	return order ? order : x->labels < y->labels ? -1 : x->labels > y->labels;
}

/* The value that is shown as a microsecond. */
static double scale_of(const struct profile *p, uint32_t event)
{
	return !strcmp(profile_event_unit(p, event), "nanoseconds") ? 1e3 : 1;
}

/* Rounds to whole nanoseconds, so that equal times are equal numbers, whichever sums they came from. */
static double to_ns(double us)
{
	return fabs(us) < 4e12 ? round(us * 1e3) / 1e3 : us;
}

#define NARROWEST 0.001
#define WIDEST    0x1p50 /* a double still distinguishes this from the next number */

static bool has_width(const struct profile_row *row)
{
	return (int64_t)row->value > 0 && row->value < (uint64_t)WIDEST;
}

static double width_of(const struct profile *p, const struct profile_row *row)
{
	return has_width(row) ? (double)row->value / scale_of(p, row->event) : NARROWEST;
}

static void begin_event(struct json *j, const char *kind, uint64_t pid, uint64_t tid)
{
	json_object(j);
	json_key(j, "ph");
	json_str(j, kind);
	json_key(j, "pid");
	json_u64(j, pid);
	json_key(j, "tid");
	json_u64(j, tid);
}

static void write_name(struct json *j, const char *what, const char *name, uint64_t pid, uint64_t tid)
{
	begin_event(j, "M", pid, tid);
	json_key(j, "name");
	json_str(j, what);
	json_key(j, "args");
	json_object(j);
	json_key(j, "name");
	json_str(j, name);
	json_end(j);
	json_end(j);
}

/* Three decimals, for nanoseconds; whole numbers have none. */
static void write_width(struct json *j, const char *key, double v)
{
	json_key(j, key);
	if (v == floor(v) && fabs(v) < 9e15)
		json_i64(j, (int64_t)v);
	else
		json_f64(j, to_ns(v));
}

/* Numbers for strobe's reader, and labels that the track does not show. */
static void write_cost(struct writer *w, const struct profile_row *cost)
{
	const struct profile *p = w->p;
	labels_id labels = cost->labels;
	json_pair_u64(&w->j, "samples", cost->samples);
	if (!has_width(cost)) {
		json_key(&w->j, "value");
		json_i64(&w->j, (int64_t)cost->value);
	}
	if (labels == PROFILE_NONE || !p->columns.len)
		return;
	json_pair_u64(&w->j, "labels", labels);
	for (uint32_t i = 0; i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		uint64_t value = profile_label_values(p, labels)[i];
		if (!profile_has_label(p, c, value) || i == w->comm || i == w->pid || i == w->tid)
			continue;
		_cleanup_strbuf_ struct strbuf key = {};
		foreign_column_key(p, i, &key);
		json_key(&w->j, strbuf_str(&key));
		if (c->type == COLUMN_STRING)
			json_str(&w->j, profile_str(p, (str_id)value));
		else
			json_i64(&w->j, profile_label_number(value));
	}
}

static void write_call(struct writer *w, const struct profile_row *row, stack_id stack, const struct profile_row *cost,
		       double began, double ended)
{
	struct json *j = &w->j;
	char buffer[64];
	struct foreign_frame f = foreign_of_frame(w->p, w->p->stacks.data[stack].frame);
	begin_event(j, "X", foreign_label(w->p, row, w->pid), foreign_label(w->p, row, w->tid));
	json_key(j, "name");
	json_str(j, foreign_name(&f, buffer));
	json_key(j, "cat");
	json_str(j, profile_event_name(w->p, row->event));
	write_width(j, "ts", began);
	write_width(j, "dur", ended - began);
	json_key(j, "args");
	json_object(j);
	if (*f.module) {
		json_key(j, "module");
		json_str(j, f.module);
	}
	if (*f.file) {
		json_key(j, "file");
		json_str(j, f.file);
	}
	if (f.line) {
		json_key(j, "line");
		json_u64(j, f.line);
	}
	if (f.address) {
		json_key(j, "address");
		json_hex(j, f.address);
	}
	if (f.is_inlined) {
		json_key(j, "inlined");
		json_bool(j, true);
	}
	if (cost)
		write_cost(w, cost);
	json_end(j);
	json_end(j);
}

static void close_to(struct writer *w, const struct profile_row *row, size_t depth)
{
	while (w->open.len > depth) {
		w->open.len--;
		w->began.len--;
		w->costs.len--;
		write_call(w, row, w->open.data[w->open.len], w->costs.data[w->open.len], w->began.data[w->open.len], w->now);
	}
}

static void write_row(struct writer *w, const struct profile_row *row)
{
	size_t shared = 0;
	vec_clear(&w->path);
	for (stack_id s = row->stack; s != PROFILE_NONE; s = w->p->stacks.data[s].caller)
		vec_push(&w->path, s);
	size_t nr = w->path.len;
	while (shared < nr && shared < w->open.len && w->open.data[shared] == w->path.data[nr - 1 - shared])
		shared++;
	/* open already: for another set of labels */
	shared -= nr && shared == nr;
	close_to(w, row, shared);
	for (size_t i = shared; i < nr; i++) {
		vec_push(&w->open, w->path.data[nr - 1 - i]);
		vec_push(&w->began, w->now);
		vec_push(&w->costs, i == nr - 1 ? row : NULL);
	}
	w->now += width_of(w->p, row);
}

static bool same_track(const struct writer *w, const struct profile_row *x, const struct profile_row *y)
{
	return foreign_label(w->p, x, w->pid) == foreign_label(w->p, y, w->pid) &&
	       foreign_label(w->p, x, w->tid) == foreign_label(w->p, y, w->tid);
}

static bool same_name(const struct writer *w, const struct profile_row *x, const struct profile_row *y)
{
	return foreign_label(w->p, x, w->comm) == foreign_label(w->p, y, w->comm);
}

static void write_calls(struct writer *w)
{
	const struct profile *p = w->p;
	const struct profile_row *before = NULL;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[w->order[i]];
		bool is_new_track = !before || !same_track(w, before, row);
		bool is_new_name = is_new_track || !same_name(w, before, row);
		if (before && (is_new_name || before->event != row->event))
			close_to(w, before, 0);
		if (is_new_track)
			w->now = 0; /* a thread that changed its name has one track: its parts follow one another */
		if (is_new_name) {
			uint64_t comm = foreign_label(p, row, w->comm);
			if (comm)
				write_name(&w->j, "thread_name", profile_str(p, (str_id)comm), foreign_label(p, row, w->pid),
					   foreign_label(p, row, w->tid));
		}
		write_row(w, row);
		before = row;
	}
	if (before)
		close_to(w, before, 0);
}

struct strobe_error *chrome_trace_write(const struct profile *p, struct out *out)
{
	struct writer w = { .p = p, .order = xmalloc((p->rows.len + 1) * sizeof(uint32_t)) };
	w.comm = profile_find_column(p, "comm");
	w.pid = profile_find_column(p, "pid");
	w.tid = profile_find_column(p, "tid");
	for (uint32_t i = 0; i < p->rows.len; i++)
		w.order[i] = i;
	qsort_r(w.order, p->rows.len, sizeof(*w.order), compare_rows, &w);
	json_init(&w.j, out, false);
	json_object(&w.j);
	json_key(&w.j, "displayTimeUnit");
	json_str(&w.j, "ns");
	json_key(&w.j, "otherData");
	json_object(&w.j);
	json_key(&w.j, "exporter");
	json_str(&w.j, "strobe");
	json_key(&w.j, "units");
	json_object(&w.j);
	for (size_t i = 0; i < p->events.len; i++) {
		json_key(&w.j, profile_event_name(p, i));
		json_str(&w.j, profile_str(p, p->events.data[i].unit));
	}
	json_end(&w.j);
	json_end(&w.j);
	json_key(&w.j, "strobeIsRecording");
	json_bool(&w.j, !p->origin.events_are_values);
	json_key(&w.j, "traceEvents");
	json_array(&w.j);
	write_calls(&w);
	json_end(&w.j);
	foreign_write_labels(&w.j, p); /* last: they are many, and traceEvents identifies the format */
	json_end(&w.j);
	out_ch(out, '\n');
	free(w.order);
	vec_deinit(&w.path);
	vec_deinit(&w.open);
	vec_deinit(&w.began);
	vec_deinit(&w.costs);
	return NULL;
}

/* ---- reading ---- */

/* A begin or end of a call; a complete event gives both. */
struct mark {
	uint64_t pid, tid;
	double at, until; /* until: only valid in a begin whose end is known */
	uint32_t event;   /* in the JSON */
	uint32_t order;   /* in the file */
	bool is_end, is_complete;
};

struct call {
	stack_id stack;
	double until;
	bool is_complete;
	uint32_t event; /* of the profile */
	labels_id labels;
	double own;
	uint32_t samples, value; /* in the JSON of strobe */
};

struct reader {
	struct json_doc doc;
	struct profile *p;
	VEC(struct mark) marks;
	VEC(struct call) open;
	struct u64map names; /* hash of pid and tid → str_id + 1 */
	bool has_threads, is_ours;
	labels_id labels;    /* of the current thread */
	struct foreign_labels sets;
	double before;
};

static uint64_t whole_of(const struct json_doc *d, uint32_t v)
{
	double n = json_is(d, v, JSON_KIND_STRING) ? strtod(json_text(d, v), NULL) : json_number(d, v, 0);
	return n >= 0 && n < 1e18 ? (uint64_t)n : 0;
}

static void read_event(struct reader *r, uint32_t v)
{
	const struct json_doc *d = &r->doc;
	const char *ph = json_text(d, json_member(d, v, "ph"));
	struct mark m = {
		.pid = whole_of(d, json_member(d, v, "pid")),
		.tid = whole_of(d, json_member(d, v, "tid")),
		.at = to_ns(json_number(d, json_member(d, v, "ts"), 0)),
		.event = v,
		.order = (uint32_t)r->marks.len,
	};
	r->has_threads |= m.pid || m.tid;
	if (*ph == 'M' && !strcmp(json_text(d, json_member(d, v, "name")), "thread_name")) {
		const char *name = json_text(d, json_member(d, json_member(d, v, "args"), "name"));
		*u64map_put(&r->names, m.pid << 32 ^ m.tid, NULL) = (uint64_t)strtab_add(&r->p->strings, name) + 1;
		return;
	}
	m.is_complete = *ph == 'X';
	m.is_end = *ph == 'E';
	m.until = to_ns(m.at + json_number(d, json_member(d, v, "dur"), 0));
	if (*ph == 'X' || *ph == 'B' || *ph == 'E')
		vec_push(&r->marks, m);
}

/* By thread and time; of calls that begin at the same time the longest is the outermost. */
static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->is_complete && y->is_complete && x->until != y->until)
		return x->until > y->until ? -1 : 1;
	/* complete events of equal extent are written innermost first */
	if (x->is_complete && y->is_complete)
		return x->order > y->order ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static uint32_t event_of(struct reader *r, uint32_t v)
{
	const struct json_doc *d = &r->doc;
	const char *category = json_text(d, json_member(d, v, "cat"));
	uint32_t units = json_member(d, json_member(d, 0, "otherData"), "units"), unit = json_member(d, units, category);
	if (unit == JSON_NONE)
		return profile_event(r->p, "time", "nanoseconds");
	return profile_event(r->p, category, json_text(d, unit));
}

static frame_id frame_of(struct reader *r, uint32_t v)
{
	const struct json_doc *d = &r->doc;
	return foreign_read_frame(r->p, d, v, json_member(d, v, "args"));
}

/* The time since the last mark belongs to the innermost call. */
static void pass_time(struct reader *r, double until)
{
	if (r->open.len && until > r->before)
		vec_last(&r->open).own += until - r->before;
	r->before = until > r->before ? until : r->before;
}

static void close_call(struct reader *r)
{
	const struct call *c = &r->open.data[--r->open.len];
	double value = json_number(&r->doc, c->value, c->own * scale_of(r->p, c->event));
	double samples = json_number(&r->doc, c->samples, 1);
	bool is_whole = samples >= 0 && samples < 9e18 && value > -9e18 && value < 9e18;
	if (is_whole && (r->is_ours ? c->samples != JSON_NONE : value > 0))
		profile_add(r->p, c->stack, c->labels, c->event, (uint64_t)samples, (uint64_t)llround(value), 0);
}

/* Ends calls that are over by then. */
static void close_until(struct reader *r, double at)
{
	while (r->open.len && vec_last(&r->open).is_complete && vec_last(&r->open).until <= at) {
		pass_time(r, vec_last(&r->open).until);
		close_call(r);
	}
}

static void begin_call(struct reader *r, const struct mark *m)
{
	stack_id caller = r->open.len ? vec_last(&r->open).stack : PROFILE_NONE;
	uint32_t args = json_member(&r->doc, m->event, "args"), set = json_index(&r->doc, json_member(&r->doc, args, "labels"));
	struct call c = {
		.stack = profile_stack(r->p, caller, frame_of(r, m->event)),
		.until = m->until,
		.is_complete = m->is_complete,
		.event = event_of(r, m->event),
		.labels = set < r->sets.nr ? r->sets.sets[set] : r->labels,
		.samples = r->is_ours ? json_member(&r->doc, args, "samples") : JSON_NONE,
		.value = r->is_ours ? json_member(&r->doc, args, "value") : JSON_NONE,
	};
	vec_push(&r->open, c);
}

static void finish_thread(struct reader *r)
{
	close_until(r, INFINITY);
	while (r->open.len)
		close_call(r);
}

/* A thread without a name is shown by its number, as elsewhere. */
static labels_id labels_of(struct reader *r, const struct mark *m)
{
	const uint64_t *name = u64map_get(&r->names, m->pid << 32 ^ m->tid);
	char number[32];
	if (!r->has_threads)
		return r->p->columns.len ? r->sets.none : profile_labels(r->p, NULL);
	snprintf(number, sizeof(number), ":%" PRIu64, m->tid);
	return foreign_thread_labels(r->p, name ? profile_str(r->p, (str_id)(*name - 1)) : number, m->pid, m->tid);
}

static void read_calls(struct reader *r)
{
	const struct mark *before = NULL;
	for (size_t i = 0; i < r->marks.len; i++) {
		const struct mark *m = &r->marks.data[i];
		if (!before || before->pid != m->pid || before->tid != m->tid) {
			finish_thread(r);
			r->labels = labels_of(r, m);
			r->before = m->at;
		}
		close_until(r, m->at);
		pass_time(r, m->at);
		if (!m->is_end)
			begin_call(r, m);
		else if (r->open.len)
			close_call(r);
		before = m;
	}
	finish_thread(r);
}

static struct strobe_error *read_all(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	uint32_t events = json_is(d, 0, JSON_KIND_ARRAY) ? 0 : json_member(d, 0, "traceEvents");
	if (!json_is(d, events, JSON_KIND_ARRAY))
		return error_create(ERROR_FORMAT, "it has no traceEvents");
	uint32_t is_recording = json_is(d, 0, JSON_KIND_OBJECT) ? json_member(d, 0, "strobeIsRecording") : JSON_NONE;
	r->is_ours = is_recording != JSON_NONE;
	r->p->origin.events_are_values = !json_is(d, is_recording, JSON_KIND_TRUE);
	for (uint32_t v = json_first(d, events); v != JSON_NONE; v = json_next(d, v))
		read_event(r, v);
	if (!r->marks.len)
		return error_create(ERROR_FORMAT, "it has no calls: no event of the kinds X, B and E");
	if (json_is(d, 0, JSON_KIND_OBJECT))
		foreign_read_labels(&r->sets, d, 0, r->p);
	if (r->has_threads)
		foreign_declare_threads(r->p);
	qsort(r->marks.data, r->marks.len, sizeof(struct mark), compare_marks);
	read_calls(r);
	return r->p->events.len ? NULL : error_create(ERROR_FORMAT, "none of its calls has a duration");
}

struct strobe_error *chrome_trace_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct reader r = { .p = profile_create() };
	struct strobe_error *err = json_parse(p, n, &r.doc);
	if (!err)
		err = read_all(&r);
	json_doc_deinit(&r.doc);
	vec_deinit(&r.marks);
	vec_deinit(&r.open);
	u64map_deinit(&r.names);
	foreign_labels_deinit(&r.sets);
	return foreign_finish(r.p, err, ret);
}

bool chrome_trace_probe(const uint8_t *p, size_t n)
{
	n = n > 4096 ? 4096 : n;
	return p && n && (*p == '{' || *p == '[') && (memmem(p, n, "\"traceEvents\"", 13) ||
						      (memmem(p, n, "\"ph\"", 4) && memmem(p, n, "\"ts\"", 4)));
}
