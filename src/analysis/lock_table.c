#include "analysis/lock_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/user_lock_cells.h"
#include "base/mem.h"
#include "base/sort.h"

/* A value of a row: a count or a time. */
struct figure {
	const char *name, *key, *title; /* in options, in data, in text */
	bool is_time;
	bool in_contention; /* also in `lock contention`; `lock report` has all */
	uint64_t (*get)(const struct lock_stat *s);
};

#define GET(field)                                        \
	static uint64_t get_##field(const struct lock_stat *s) \
	{                                                 \
		return s->field;                          \
	}
GET(acquired)
GET(contended)
GET(average_ns)
GET(total_ns)
GET(max_ns)

static uint64_t get_min_ns(const struct lock_stat *s)
{
	return s->min_ns == UINT64_MAX ? 0 : s->min_ns;
}

static const struct figure figures[] = {
	{ "acquired", "acquired", "acquired", false, false, get_acquired },
	{ "contended", "contended", "contended", false, true, get_contended },
	{ "avg_wait", "avg_wait_ns", "avg wait", true, true, get_average_ns },
	{ "wait_total", "total_wait_ns", "total wait", true, true, get_total_ns },
	{ "wait_max", "max_wait_ns", "max wait", true, true, get_max_ns },
	{ "wait_min", "min_wait_ns", "min wait", true, true, get_min_ns },
};
#define FIGURES (sizeof(figures) / sizeof(*figures))

struct figure_list {
	const struct figure *figures[FIGURES];
	size_t nr;
};

static const char *key_of(const struct lock_layout *l)
{
	return l->key ? l->key : l->is_report ? "acquired" : "wait_total";
}

static const char *fields_of(const struct lock_layout *l)
{
	const char *all = "acquired,contended,avg_wait,wait_total,wait_max,wait_min";
	return l->fields ? l->fields : l->is_report ? all : "contended,wait_total,wait_max,avg_wait";
}

static const struct figure *find_figure(const struct lock_layout *l, const char *name, size_t n)
{
	for (size_t i = 0; i < FIGURES; i++)
		if (!strncmp(figures[i].name, name, n) && !figures[i].name[n] && (l->is_report || figures[i].in_contention))
			return &figures[i];
	return NULL;
}

static void add_figure(struct figure_list *list, const struct figure *f)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->figures[i] == f)
			return;
	list->figures[list->nr++] = f;
}

/* The sort key is always a column. */
static struct strobe_error *choose(const struct lock_layout *l, struct figure_list *ret)
{
	const char *known = l->is_report ? "acquired, contended, avg_wait, wait_total, wait_max, wait_min" :
		"contended, wait_total, wait_max, wait_min, avg_wait";
	for (const char *at = fields_of(l);; at++) {
		size_t n = strcspn(at, ",");
		const struct figure *f = find_figure(l, at, n);
		if (!f)
			return error_create(ERROR_USAGE, "unknown output field '%.*s': expected %s", (int)n, at, known);
		add_figure(ret, f);
		at += n;
		if (!*at)
			break;
	}
	const struct figure *key = find_figure(l, key_of(l), strlen(key_of(l)));
	if (!key)
		return error_create(ERROR_USAGE, "unknown sort key '%s': expected %s", key_of(l), known);
	add_figure(ret, key);
	return NULL;
}

struct strobe_error *lock_table_check(const struct lock_layout *l)
{
	struct figure_list list = {};
	return choose(l, &list);
}

/* ---- rows ---- */

typedef VEC(struct lock_stat) stat_list;

static int by_name(const void *a, const void *b)
{
	const struct lock_stat *x = a, *y = b;
	int order = strcmp(x->name ? x->name : "", y->name ? y->name : "");
	return order ? order : x->address < y->address ? -1 : x->address > y->address;
}

static void join(struct lock_stat *to, const struct lock_stat *from)
{
	to->acquired += from->acquired;
	to->contended += from->contended;
	to->total_ns += from->total_ns;
	to->average_ns = to->contended ? to->total_ns / to->contended : to->average_ns;
	to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
	to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
	to->is_broken |= from->is_broken;
}

static void combine(stat_list *stats)
{
	size_t n = 0;
	if (stats->len)
		qsort(stats->data, stats->len, sizeof(*stats->data), by_name);
	for (size_t i = 0; i < stats->len; i++) {
		const char *name = stats->data[i].name ? stats->data[i].name : "";
		if (n && !strcmp(stats->data[n - 1].name ? stats->data[n - 1].name : "", name))
			join(&stats->data[n - 1], &stats->data[i]);
		else
			stats->data[n++] = stats->data[i];
	}
	stats->len = n;
}

/* In descending order; equal ones in order of occurrence. */
static void sort(stat_list *stats, const struct figure *key)
{
	struct sort_pair *pairs = xcalloc(stats->len + 1, sizeof(*pairs));
	stat_list sorted = {};
	for (size_t i = 0; i < stats->len; i++)
		pairs[i] = (struct sort_pair){ ~key->get(&stats->data[i]), i };
	sort_pairs(pairs, stats->len);
	for (size_t i = 0; i < stats->len; i++)
		vec_push(&sorted, stats->data[pairs[i].value]);
	vec_deinit(stats);
	stats->data = sorted.data;
	stats->len = sorted.len;
	stats->cap = sorted.cap;
	free(pairs);
}

/* ---- cells ---- */

static void set_time(struct table *t, size_t column, uint64_t ns)
{
	static const struct {
		float unit;
		const char *name;
	} units[] = { { 1e9F * 3600, "h " }, { 1e9F * 60, "m " }, { 1e9F, "s " }, { 1e6F, "ms" }, { 1e3F, "us" } };
	table_set_count(t, column, ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if ((float)ns < units[i].unit)
			continue;
		table_show(t, column, "%.2f %s", (double)((float)ns / units[i].unit), units[i].name);
		return;
	}
	table_show(t, column, "%" PRIu64 " ns", ns);
}

void lock_table_set_tid(struct table *t, size_t column, uint32_t tid)
{
	if (tid == UINT32_MAX)
		table_show(t, column, "-1");
	else
		table_set_count(t, column, tid);
}

static void add_figure_columns(struct table *t, const struct figure_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		table_column(t, (struct table_column){ .key = list->figures[i]->key, .title = list->figures[i]->title, .type = TABLE_COUNT,
						       .width = list->figures[i]->is_time ? 12 : 10, .is_fixed = true });
}

static void set_figures(struct table *t, size_t column, const struct figure_list *list, const struct lock_stat *s)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->figures[i]->is_time)
			set_time(t, column + i, list->figures[i]->get(s));
		else
			table_set_count(t, column + i, list->figures[i]->get(s));
	}
}

/* So many blanks between columns, where there is one between others. */
static void add_space(struct table *t, unsigned blanks)
{
	table_column(t, (struct table_column){ .key = "", .title = "", .type = TABLE_TEXT, .text_only = true, .width = blanks - 2 });
}

static void add_subject_columns(struct table *t, const struct lock_question *q)
{
	if (q->of_users) {
		user_lock_columns(t, q);
		return;
	}
	struct table_column text = { .type = TABLE_TEXT, .is_fixed = true };
	switch (q->by) {
	case LOCK_BY_THREAD:
		table_column(t, (struct table_column){ .key = "tid", .title = "pid", .type = TABLE_COUNT, .width = 12, .is_fixed = true });
		add_space(t, 3);
		text.key = text.title = q->by_owner ? "owner" : "comm";
		table_column(t, text);
		break;
	case LOCK_BY_LOCK:
		table_column(t, (struct table_column){ .key = "address", .type = TABLE_TEXT, .width = 18, .is_fixed = true,
						       .align = TABLE_ALIGN_RIGHT });
		add_space(t, 3);
		text.key = "symbol";
		table_column(t, text);
		table_column(t, (struct table_column){ .key = "type", .type = TABLE_TEXT, .data_only = true });
		break;
	case LOCK_BY_CGROUP:
		add_space(t, 2);
		text.key = "cgroup";
		table_column(t, text);
		break;
	default:
		table_column(t, (struct table_column){ .key = "type", .type = TABLE_TEXT, .width = 12, .is_fixed = true,
						       .align = TABLE_ALIGN_RIGHT });
		add_space(t, 3);
		text.key = "caller";
		table_column(t, text);
	}
}

static void set_subject(struct table *t, size_t column, const struct lock_stat *s, const struct lock_question *q,
			const struct lock_names *names)
{
	const char *name = s->name ? s->name : "";
	char address[20];
	switch (q->by) {
	case LOCK_BY_THREAD:
		lock_table_set_tid(t, column, (uint32_t)s->key);
		table_set_text(t, column + 2, s->key == UINT32_MAX ? "Unknown" : names->comm(names->ctx, (uint32_t)s->key));
		break;
	case LOCK_BY_LOCK:
		snprintf(address, sizeof(address), "%016" PRIx64, s->address);
		table_set_text(t, column, address);
		table_set_text(t, column + 2, name);
		table_show(t, column + 2, "%s (%s)", name, lock_kind_name(s->flags));
		table_set_text(t, column + 3, lock_kind_name(s->flags));
		break;
	case LOCK_BY_CGROUP:
		table_set_text(t, column + 1, name);
		break;
	default:
		table_set_text(t, column, lock_kind_access(s->flags));
		table_set_text(t, column + 2, name);
	}
}

static void add_stack(struct table *t, const struct lock_stat *s, const struct lock_symbols *symbols)
{
	for (uint32_t i = 0; i < s->stack_nr; i++) {
		const struct symbol *f = lock_symbols_at(symbols, s->stack[i]);
		if (f && s->stack[i] > f->start)
			table_line(t, "\t\t\t%#" PRIx64 "  %s+%#" PRIx64, s->stack[i], f->raw_name, s->stack[i] - f->start);
		else
			table_line(t, "\t\t\t%#" PRIx64 "  %s", s->stack[i], f ? f->raw_name : "");
	}
}

/* A name in 20 columns, cut as in perf. */
static void set_name(struct table *t, const struct lock_stat *s, const struct lock_question *q, const struct lock_names *names)
{
	const char *name = q->by == LOCK_BY_THREAD ? names->comm(names->ctx, (uint32_t)s->key) : s->name ? s->name : "";
	table_set_text(t, 0, name);
	if (strlen(name) >= 20)
		table_show(t, 0, "%.16s...", name);
}

/* ---- the table ---- */

static void add_notes(struct table *t, const struct lock_waits *w, const struct lock_layout *l, uint64_t bad, uint64_t total)
{
	static const char *const names[] = { "acquire", "acquired", "contended", "release" };
	uint64_t broken = 0;
	for (size_t i = 0; i < LOCK_BREAKS; i++)
		broken += w->broken[i];
	if (l->quiet || l->question->of_users || !total || (!broken && !l->verbose))
		return;
	table_note(t, "broken sequences of events: %" PRIu64 " of %" PRIu64 " rows (%.2f %%)", bad, total,
		   100.0 * (double)bad / (double)total);
	for (size_t i = 0; i < LOCK_BREAKS; i++)
		table_note(t, "%10s: %" PRIu64, names[i], w->broken[i]);
}

static void add_row(struct table *t, const struct lock_stat *s, const struct lock_layout *l, const struct figure_list *list,
		    const struct lock_names *names)
{
	table_row(t);
	set_figures(t, l->is_report, list, s);
	if (s->user)
		user_lock_set(t, list->nr, s->user, l->question);
	else if (l->is_report)
		set_name(t, s, l->question, names);
	else
		set_subject(t, list->nr, s, l->question, names);
	if (l->question->with_stacks && names->symbols)
		add_stack(t, s, names->symbols);
}

static void add_columns(struct table *t, const struct lock_layout *l, const struct figure_list *list)
{
	if (l->is_report)
		table_column(t, (struct table_column){ .key = "name", .title = "Name", .type = TABLE_TEXT, .width = 20, .is_fixed = true,
						       .align = TABLE_ALIGN_RIGHT });
	add_figure_columns(t, list);
	if (!l->is_report)
		add_subject_columns(t, l->question);
}

void lock_table_fill(struct table *t, const struct lock_waits *w, const struct lock_layout *l, const struct lock_names *names)
{
	struct figure_list list = {};
	stat_list stats = {};
	uint64_t bad = 0, shown = 0;
	error_destroy(choose(l, &list));
	table_init(t, l->is_report ? "strobe-lock-report" : l->question->of_users ? "strobe-lock-user" : "strobe-lock-contention", 1);
	t->layout = (struct table_layout){ .head = "", .row = "", .gap = " ", .after_rule = "", .has_no_titles = l->quiet };
	add_columns(t, l, &list);
	for (size_t i = 0; i < w->stats.len; i++)
		vec_push(&stats, w->stats.data[i]);
	if (l->combine)
		combine(&stats);
	sort(&stats, find_figure(l, key_of(l), strlen(key_of(l))));
	for (size_t i = 0; i < stats.len; i++) {
		const struct lock_stat *s = &stats.data[i];
		bad += s->is_broken;
		if ((l->is_report ? s->acquired : s->total_ns) && (!l->entries || shown < l->entries) && ++shown)
			add_row(t, s, l, &list, names);
	}
	add_notes(t, w, l, bad, stats.len);
	vec_deinit(&stats);
}
