#include "heap/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profile/select.h"

#define SERIES 40 /* number of points of growth */
#define LEAK_FRAMES 12

/* ---- cells ---- */

static void set_bytes(struct table *t, size_t column, uint64_t bytes)
{
	static const char units[] = " KMGTPE";
	double shown = (double)bytes;
	unsigned unit = 0;
	for (; shown >= 1024 && units[unit + 1]; unit++)
		shown /= 1024;
	table_set_count(t, column, bytes);
	if (unit)
		table_show(t, column, "%.1f %ciB", shown, units[unit]);
	else
		table_show(t, column, "%" PRIu64 " B", bytes);
}

static size_t bytes_column(struct table *t, const char *key, const char *title)
{
	return table_column(t, (struct table_column){ .key = key, .title = title, .type = TABLE_COUNT, .align = TABLE_ALIGN_RIGHT });
}

static size_t count_column(struct table *t, const char *key, const char *title)
{
	return table_column(t, (struct table_column){ .key = key, .title = title, .type = TABLE_COUNT });
}

static void set_share(struct table *t, size_t column, uint64_t part, uint64_t whole)
{
	if (whole)
		table_set_number(t, column, 100.0 * (double)part / (double)whole);
}

static size_t share_column(struct table *t, const char *key, const char *title)
{
	return table_column(t, (struct table_column){ .key = key, .title = title, .type = TABLE_NUMBER, .decimals = 1 });
}

/* ---- processes ---- */

enum { P_PROGRAM, P_PID, P_OBJECTS, P_ALLOCATED, P_ALLOCATED_95, P_PEAK, P_END_OBJECTS, P_END, P_END_95, P_SHORT, P_LEAKS,
       P_LEAKED };

static void process_columns(struct table *t, const struct heap *h)
{
	bool sampled = h->rate > 1;
	table_column(t, (struct table_column){ .key = "program", .type = TABLE_TEXT });
	table_column(t, (struct table_column){ .key = "pid", .type = TABLE_COUNT });
	count_column(t, "alloc_objects", "allocations");
	bytes_column(t, "alloc_bytes", "allocated");
	table_column(t, (struct table_column){ .key = "alloc_bytes_95", .title = "±95%", .type = TABLE_NUMBER, .decimals = 0,
					       .align = TABLE_ALIGN_RIGHT, .data_only = !sampled });
	bytes_column(t, "peak_bytes", "peak");
	count_column(t, "inuse_objects", "in use");
	bytes_column(t, "inuse_bytes", "bytes");
	table_column(t, (struct table_column){ .key = "inuse_bytes_95", .title = "±95%", .type = TABLE_NUMBER, .decimals = 0,
					       .align = TABLE_ALIGN_RIGHT, .data_only = !sampled });
	share_column(t, "short_percent", "short %");
	table_column(t, (struct table_column){ .key = "leak_objects", .title = "leaks", .type = TABLE_COUNT,
					       .data_only = !h->knows_leaks });
	table_column(t, (struct table_column){ .key = "leak_bytes", .title = "leaked", .type = TABLE_COUNT, .align = TABLE_ALIGN_RIGHT,
					       .data_only = !h->knows_leaks });
}

static void set_margin(struct table *t, size_t column, double variance, uint64_t of)
{
	table_set_number(t, column, heap_margin(variance));
	if (of)
		table_show(t, column, "%.1f%%", 100 * heap_margin(variance) / (double)of);
}

static void set_counts(struct table *t, const struct heap_counts *c)
{
	table_set_count(t, P_OBJECTS, c->alloc_objects);
	set_bytes(t, P_ALLOCATED, c->alloc_bytes);
	set_margin(t, P_ALLOCATED_95, c->alloc_variance, c->alloc_bytes);
	set_bytes(t, P_PEAK, c->peak_bytes);
	table_set_count(t, P_END_OBJECTS, c->in_use_objects);
	set_bytes(t, P_END, c->in_use_bytes);
	set_margin(t, P_END_95, c->in_use_variance, c->in_use_bytes);
	set_share(t, P_SHORT, c->short_objects, c->alloc_objects);
}

static void set_leaks(struct table *t, uint64_t objects, uint64_t bytes)
{
	table_set_count(t, P_LEAKS, objects);
	set_bytes(t, P_LEAKED, bytes);
}

static void add_notes(struct table *t, const struct heap *h)
{
	if (h->dropped)
		table_note(t, "%" PRIu64 " allocations were not counted: out of memory, or addresses beyond 47 bits", h->dropped);
	if (h->truncated)
		table_note(t, "%" PRIu64 " stacks are truncated: deeper than --depth, or through code without unwind tables", h->truncated);
}

void heap_processes_table(struct table *t, const struct heap *h, unsigned most)
{
	table_init(t, "strobe-heap-processes", 1);
	process_columns(t, h);
	for (size_t i = 0; i < h->processes.len && i < most; i++) {
		const struct heap_process *p = &h->processes.data[i];
		table_row(t);
		table_set_text(t, P_PROGRAM, p->comm);
		table_set_count(t, P_PID, p->pid);
		set_counts(t, &p->counts);
		if (p->knows_leaks)
			set_leaks(t, p->leak_objects, p->leak_bytes);
	}
	if (h->processes.len > 1) {
		table_row(t);
		table_set_text(t, P_PROGRAM, "all");
		set_counts(t, &h->total);
		if (h->knows_leaks)
			set_leaks(t, h->leak_objects, h->leak_bytes);
	}
	if (h->processes.len > most)
		table_note(t, "%zu more processes", h->processes.len - most);
	add_notes(t, h);
}

/* ---- functions ---- */

struct sums {
	uint32_t of; /* a function, or a stack */
	uint64_t values[HEAP_EVENTS];
};

struct ranking {
	VEC(struct sums) list;
	struct u64map index;
	unsigned by; /* enum heap_event */
};

static void rank(struct ranking *r, uint32_t of, const struct profile_row *row)
{
	bool is_new;
	uint64_t *at = u64map_put(&r->index, of, &is_new);
	if (is_new) {
		*at = r->list.len;
		vec_push(&r->list, ((struct sums){ .of = of }));
	}
	r->list.data[*at].values[row->event] += row->value;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct ranking *r = ctx;
	const struct sums *x = a, *y = b;
	uint64_t vx = x->values[r->by], vy = y->values[r->by];
	return vx != vy ? (vx < vy ? 1 : -1) : (x->of > y->of) - (x->of < y->of);
}

static void finish_ranking(struct ranking *r)
{
	if (r->list.len)
		qsort_r(r->list.data, r->list.len, sizeof(*r->list.data), compare, r);
}

static void ranking_deinit(struct ranking *r)
{
	vec_deinit(&r->list);
	u64map_deinit(&r->index);
}

/* Functions without a name are distinguished by their frames, with keys above those of functions. */
static uint32_t function_key(const struct profile *p, stack_id stack)
{
	if (stack == PROFILE_NONE)
		return PROFILE_NONE;
	frame_id frame = p->stacks.data[stack].frame;
	function_id f = p->frames.data[frame].function;
	return f != PROFILE_NONE ? f : (uint32_t)p->functions.len + frame;
}

static void set_function(struct table *t, const struct profile *p, uint32_t key)
{
	_cleanup_strbuf_ struct strbuf name = {};
	if (key == PROFILE_NONE)
		strbuf_addstr(&name, "[unknown]");
	else if (key < p->functions.len)
		strbuf_addstr(&name, profile_str(p, p->functions.data[key].name));
	else
		heap_frame_name(p, key - (uint32_t)p->functions.len, &name);
	table_set_text(t, 0, strbuf_str(&name));
}

enum { F_FUNCTION, F_BYTES, F_SHARE, F_OBJECTS, F_ALLOCATED, F_ALLOCATIONS, F_SHORT };

static void function_columns(struct table *t, bool is_live)
{
	table_column(t, (struct table_column){ .key = "function", .type = TABLE_TEXT });
	bytes_column(t, is_live ? "inuse_bytes" : "peak_bytes", is_live ? "in use" : "at peak");
	share_column(t, is_live ? "inuse_percent" : "peak_percent", "%");
	count_column(t, is_live ? "inuse_objects" : "peak_objects", "objects");
	bytes_column(t, "alloc_bytes", "allocated");
	count_column(t, "alloc_objects", "allocations");
	share_column(t, "short_percent", "short %");
}

void heap_functions_table(struct table *t, const struct heap *h, bool is_live, unsigned most)
{
	struct profile *p = heap_callers(h);
	struct ranking r = { .by = is_live ? HEAP_INUSE_SPACE : HEAP_PEAK_SPACE };
	table_init(t, "strobe-heap-functions", 1);
	function_columns(t, is_live);
	for (size_t i = 0; i < p->rows.len; i++)
		rank(&r, function_key(p, p->rows.data[i].stack), &p->rows.data[i]);
	finish_ranking(&r);
	for (size_t i = 0; i < r.list.len && i < most; i++) {
		const uint64_t *v = r.list.data[i].values;
		table_row(t);
		set_function(t, p, r.list.data[i].of);
		set_bytes(t, F_BYTES, v[r.by]);
		set_share(t, F_SHARE, v[r.by], p->events.data[r.by].value);
		table_set_count(t, F_OBJECTS, v[is_live ? HEAP_INUSE_OBJECTS : HEAP_PEAK_OBJECTS]);
		set_bytes(t, F_ALLOCATED, v[HEAP_ALLOC_SPACE]);
		table_set_count(t, F_ALLOCATIONS, v[HEAP_ALLOC_OBJECTS]);
		set_share(t, F_SHORT, v[HEAP_SHORT_OBJECTS], v[HEAP_ALLOC_OBJECTS]);
	}
	if (r.list.len > most)
		table_note(t, "%zu more functions", r.list.len - most);
	ranking_deinit(&r);
	profile_destroy(p);
}

/* ---- leaks ---- */

static void add_stack(struct table *t, const struct profile *p, stack_id stack)
{
	for (unsigned n = 0; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller, n++) {
		const struct profile_frame *f = &p->frames.data[p->stacks.data[stack].frame];
		_cleanup_strbuf_ struct strbuf line = {};
		if (n == LEAK_FRAMES) {
			table_line(t, "    …");
			return;
		}
		heap_frame_name(p, p->stacks.data[stack].frame, &line);
		const char *file = f->function == PROFILE_NONE ? "" : profile_str(p, p->functions.data[f->function].file);
		if (*file && f->line)
			table_line(t, "    %s  %s:%u", strbuf_str(&line), text_base_name(file), f->line);
		else
			table_line(t, "    %s", strbuf_str(&line));
	}
}

/* All frames by name, innermost first, for programs. */
static void set_stack(struct table *t, size_t column, const struct profile *p, stack_id stack)
{
	_cleanup_strbuf_ struct strbuf text = {};
	for (; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller) {
		if (text.len)
			strbuf_addch(&text, ';');
		heap_frame_name(p, p->stacks.data[stack].frame, &text);
	}
	table_set_text(t, column, strbuf_str(&text));
}

void heap_leaks_table(struct table *t, const struct heap *h, unsigned most)
{
	struct profile *p = heap_callers(h);
	struct ranking r = { .by = HEAP_LEAK_SPACE };
	table_init(t, "strobe-heap-leaks", 1);
	bytes_column(t, "leak_bytes", "leaked");
	count_column(t, "leak_objects", "objects");
	table_column(t, (struct table_column){ .key = "stack", .type = TABLE_TEXT, .data_only = true });
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event >= HEAP_LEAK_OBJECTS)
			rank(&r, p->rows.data[i].stack, &p->rows.data[i]);
	finish_ranking(&r);
	for (size_t i = 0; i < r.list.len && i < most; i++) {
		table_row(t);
		set_bytes(t, 0, r.list.data[i].values[HEAP_LEAK_SPACE]);
		table_set_count(t, 1, r.list.data[i].values[HEAP_LEAK_OBJECTS]);
		set_stack(t, 2, p, r.list.data[i].of);
		add_stack(t, p, r.list.data[i].of);
	}
	if (r.list.len > most)
		table_note(t, "%zu more stacks with leaks", r.list.len - most);
	ranking_deinit(&r);
	profile_destroy(p);
}

/* ---- sizes, growth ---- */

void heap_sizes_table(struct table *t, const struct heap *h)
{
	table_init(t, "strobe-heap-sizes", 1);
	bytes_column(t, "size_from", "from");
	bytes_column(t, "size_below", "below");
	count_column(t, "alloc_objects", "allocations");
	share_column(t, "alloc_percent", "%");
	bytes_column(t, "alloc_bytes", "allocated");
	count_column(t, "peak_objects", "at peak");
	bytes_column(t, "peak_bytes", "bytes");
	share_column(t, "short_percent", "short %");
	for (unsigned class = 0; class < 256; class ++) {
		const struct heap_counts *c = &h->sizes[class];
		if (!c->alloc_objects && !c->alloc_bytes)
			continue;
		table_row(t);
		set_bytes(t, 0, alloc_class_size((uint8_t)class));
		if (class < 255)
			set_bytes(t, 1, alloc_class_size((uint8_t)(class + 1)));
		table_set_count(t, 2, c->alloc_objects);
		set_share(t, 3, c->alloc_objects, h->total.alloc_objects);
		set_bytes(t, 4, c->alloc_bytes);
		table_set_count(t, 5, c->peak_objects);
		set_bytes(t, 6, c->peak_bytes);
		set_share(t, 7, c->short_objects, c->alloc_objects);
	}
}

/* Memory in use at equal steps of time; the maximum of each, so that no peak is lost. */
static void set_growth(struct table *t, size_t column, const struct heap *h, const struct heap_process *p)
{
	double series[SERIES] = {};
	uint64_t last = p->end_ns ? p->end_ns : 1;
	unsigned at = 0;
	double value = 0;
	for (uint32_t i = 0; i < p->points_nr; i++) {
		const struct alloc_point *point = &h->points.data[p->first_point + i];
		unsigned to = point->time_ns >= last ? SERIES - 1 : (unsigned)((double)point->time_ns / (double)last * SERIES);
		while (at < to)
			series[++at] = value;
		value = (double)point->bytes;
		series[at] = value > series[at] ? value : series[at];
	}
	while (++at < SERIES)
		series[at] = value;
	table_set_series(t, column, series, SERIES);
}

void heap_growth_table(struct table *t, const struct heap *h, unsigned most)
{
	table_init(t, "strobe-heap-growth", 1);
	table_column(t, (struct table_column){ .key = "program", .type = TABLE_TEXT });
	table_column(t, (struct table_column){ .key = "pid", .type = TABLE_COUNT });
	table_column(t, (struct table_column){ .key = "seconds", .type = TABLE_NUMBER, .decimals = 2 });
	bytes_column(t, "peak_bytes", "peak");
	table_column(t, (struct table_column){ .key = "inuse_bytes", .title = "in use over time", .type = TABLE_SERIES, .width = SERIES });
	for (size_t i = 0; i < h->processes.len && i < most; i++) {
		const struct heap_process *p = &h->processes.data[i];
		table_row(t);
		table_set_text(t, 0, p->comm);
		table_set_count(t, 1, p->pid);
		table_set_number(t, 2, (double)p->end_ns / 1e9);
		set_bytes(t, 3, p->peak_bytes);
		set_growth(t, 4, h, p);
	}
}
