#include "diff/blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "diff/block_spread.h"
#include "session/report/cycles.h"

#define RANGE_WIDTH 65 /* perf's */

/* A block of one side or, without a range, a function. */
struct place {
	const char *object, *function;
	uint64_t start, end; /* in the function; start 0: unknown */
	const struct block *block; /* NULL: a function */
	uint32_t row;        /* of functions */
};
struct places {
	VEC(struct place) all;
};

static int compare_functions(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	int by = strcmp(a->function, b->function);
	return by ? by : strcmp(a->object, b->object);
}

static int compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	int by = compare_functions(a, b);
	if (by)
		return by;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* Sorted, for bsearch(); strings belong to the cycles or the arena. */
static void sort_places(struct places *p, int (*compare)(const void *, const void *))
{
	if (p->all.len)
		qsort(p->all.data, p->all.len, sizeof(*p->all.data), compare);
}

static const struct place *find_place(const struct places *p, const struct place *key, int (*compare)(const void *, const void *))
{
	return p->all.len ? bsearch(key, p->all.data, p->all.len, sizeof(*p->all.data), compare) : NULL;
}

/* The functions with samples on both sides. */
static struct strobe_error *list_functions(const struct diff_event *e, struct arena *arena, struct places *ret)
{
	for (uint32_t row = 0; row < e->rows->nr; row++) {
		const char *object = diff_row_key(e, row, COLUMN_DSO, arena), *function = diff_row_key(e, row, COLUMN_SYMBOL, arena);
		if (!object || !function)
			return error_create(ERROR_USAGE, "-c cycles compares blocks of functions: it requires the keys dso and symbol");
		if (diff_value_at(e->changes, row, 0)->exists && diff_value_at(e->changes, row, 1)->exists)
			vec_push(&ret->all, ((struct place){ .object = object, .function = function, .row = row }));
	}
	sort_places(ret, compare_functions);
	return NULL;
}

/* The blocks of one side in these functions. */
static void list_blocks(const struct report_cycles *c, const struct report_part *part, const struct places *functions, struct places *ret)
{
	const struct blocks *b = report_cycles_blocks(c);
	for (size_t i = 0; i < b->all.len; i++) {
		const struct block *k = &b->all.data[i];
		const struct block_names n = report_block_names(c, k);
		struct place p = { .object = n.object, .function = n.function, .start = k->start ? k->start - n.start : 0,
				   .end = k->end.addr - n.start, .block = k };
		const struct place *of = report_part_counts(part, k->event) ? find_place(functions, &p, compare_functions) : NULL;
		if (!of)
			continue;
		p.row = of->row;
		vec_push(&ret->all, p);
	}
	sort_places(ret, compare_places);
}

/* ---- rows ---- */

struct difference {
	const struct place *before, *after; /* before: NULL if the first side lacks the block */
	int64_t cycles;  /* per execution */
	uint64_t period; /* of the function */
};

static int compare_differences(const void *pa, const void *pb)
{
	const struct difference *a = pa, *b = pb;
	uint64_t x = (uint64_t)llabs(a->cycles), y = (uint64_t)llabs(b->cycles);
	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	int by = compare_functions(a->after, b->after);
	if (by)
		return by;
	return x != y ? (x > y ? -1 : 1) : compare_places(a->after, b->after);
}

enum { EVENT, BASELINE, BLOCK, SPREAD, FUNCTION, START, END, BEFORE, AFTER, DIFFERENCE, ERROR_PERCENT, RUNS, KEYS };

static void add_columns(const struct diff *d, struct table *t, const struct diff_event *e)
{
	static const struct table_column columns[] = {
		[EVENT] = { .key = "event", .type = TABLE_TEXT, .data_only = true },
		[BASELINE] = { .key = "baseline_percent", .title = "Baseline", .type = TABLE_NUMBER, .width = 8 },
		[BLOCK] = { .key = "block", .title = "[Program Block Range] Cycles Diff", .type = TABLE_TEXT, .width = RANGE_WIDTH + 5,
			    .align = TABLE_ALIGN_RIGHT, .text_only = true },
		[SPREAD] = { .key = "spread", .title = "      stddev/Hist", .type = TABLE_TEXT, .width = BLOCK_SPREAD_WIDTH,
			     .text_only = true },
		[FUNCTION] = { .key = "function", .type = TABLE_TEXT, .data_only = true },
		[START] = { .key = "start", .type = TABLE_COUNT, .data_only = true },
		[END] = { .key = "end", .type = TABLE_COUNT, .data_only = true },
		[BEFORE] = { .key = "baseline_cycles", .type = TABLE_COUNT, .data_only = true },
		[AFTER] = { .key = "cycles", .type = TABLE_COUNT, .data_only = true },
		[DIFFERENCE] = { .key = "cycles_diff", .type = TABLE_NUMBER, .data_only = true },
		[ERROR_PERCENT] = { .key = "runs_error_percent", .type = TABLE_NUMBER, .data_only = true },
		[RUNS] = { .key = "runs_cycles_diff", .type = TABLE_SERIES, .data_only = true },
	};
	static const struct table_column hidden = { .key = "spread", .type = TABLE_TEXT, .data_only = true, .text_only = true };
	const struct diff_layout *l = &d->settings.layout;
	table_init(t, "strobe-diff-cycles", 1);
	t->layout = (struct table_layout){ .head = "# ", .rule = '.', .after_rule = "#", .has_no_titles = l->quiet };
	if (!l->quiet) {
		table_head(t, "# Event '%s'", e->name);
		table_head(t, "#");
	}
	for (size_t i = 0; i < KEYS; i++)
		table_column(t, i == SPREAD && !l->show_spread ? hidden : columns[i]);
	diff_key_columns(t, e);
}

static void put_spread(struct table *t, const struct difference *k)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct block_spread s = block_spread_of(k->before->block, k->after->block);
	block_spread_text(&s, &text);
	table_set_text(t, SPREAD, strbuf_str(&text));
	table_set_number(t, ERROR_PERCENT, s.error_percent);
	table_set_series(t, RUNS, s.runs, s.runs_nr);
}

static void put_row(struct table *t, const struct diff_event *e, const struct difference *k)
{
	const struct place *p = k->after;
	_cleanup_strbuf_ struct strbuf range = {};
	double percent = diff_value_at(e->changes, p->row, 0)->percent;
	strbuf_addf(&range, "[%s+%" PRIu64 " -> %s+%" PRIu64 "]", p->function, p->start, p->function, p->end);
	table_row(t);
	table_set_text(t, EVENT, e->name);
	table_set_number(t, BASELINE, percent);
	table_show(t, BASELINE, "%.2f%%", percent);
	table_set_text(t, BLOCK, strbuf_str(&range));
	table_show(t, BLOCK, "%s %4" PRId64, strbuf_str(&range), k->cycles);
	table_set_text(t, FUNCTION, p->function);
	table_set_count(t, START, p->start);
	table_set_count(t, END, p->end);
	table_set_count(t, AFTER, block_average(p->block));
	if (k->before) {
		table_set_count(t, BEFORE, block_average(k->before->block));
		table_set_number(t, DIFFERENCE, (double)k->cycles);
		put_spread(t, k);
	}
	diff_put_keys(t, KEYS, e, p->row);
}

static void put_rows(struct table *t, const struct diff_event *e, const struct places *before, const struct places *after)
{
	struct difference *all = xcalloc(after->all.len + 1, sizeof(*all));
	for (size_t i = 0; i < after->all.len; i++) {
		const struct place *p = &after->all.data[i], *same = find_place(before, p, compare_places);
		all[i] = (struct difference){ same, p, same ? (int64_t)(block_average(p->block) - block_average(same->block)) : 0,
					      diff_value_at(e->changes, p->row, 0)->period };
	}
	qsort(all, after->all.len, sizeof(*all), compare_differences);
	for (size_t i = 0; i < after->all.len; i++)
		put_row(t, e, &all[i]);
	free(all);
}

static struct strobe_error *count_cycles(const struct diff *d, struct report_cycles *sides[2])
{
	for (uint32_t i = 0; i < 2; i++) {
		TRY(report_count_cycles(&d->inputs[i].report, &sides[i]));
		if (!sides[i])
			return error_create(ERROR_USAGE, "%s has no branch records with cycles: record with -b, on a processor that "
					    "counts them", d->inputs[i].path);
	}
	return NULL;
}

static struct strobe_error *put_event(struct table *t, const struct diff_event *e, struct report_cycles *const sides[2])
{
	struct places functions = {}, places[2] = {};
	struct arena arena;
	arena_init(&arena);
	struct strobe_error *err = list_functions(e, &arena, &functions);
	for (uint32_t side = 0; !err && side < 2; side++)
		list_blocks(sides[side], e->rows->parts[side], &functions, &places[side]);
	if (!err)
		put_rows(t, e, &places[0], &places[1]);
	vec_deinit(&places[0].all);
	vec_deinit(&places[1].all);
	vec_deinit(&functions.all);
	arena_deinit(&arena);
	return err;
}

struct strobe_error *diff_blocks_table(const struct diff *d, uint32_t i, struct table *ret)
{
	struct report_cycles *sides[2] = {};
	uint32_t last = d->settings.layout.for_data ? d->events_nr - 1 : i;
	struct diff_event e = diff_event_at(d, i);
	add_columns(d, ret, &e);
	struct strobe_error *err = count_cycles(d, sides);
	for (; !err && i <= last; i++) {
		e = diff_event_at(d, i);
		err = put_event(ret, &e, sides);
	}
	report_cycles_destroy(sides[0]);
	report_cycles_destroy(sides[1]);
	return err;
}
