#include "tracing/func/stats.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define POWERS 40 /* of the displayed histogram */

/* The first duration of a slot. */
static uint64_t slot_begin(unsigned slot)
{
	return slot < 4 ? slot : (4ull + slot % 4) << (slot / 4 - 1);
}

static unsigned slot_of(uint64_t ns)
{
	if (ns < 4)
		return (unsigned)ns;
	unsigned power = 63 - (unsigned)__builtin_clzll(ns), slot = 4 * (power - 1) + (ns >> (power - 2) & 3);
	return slot < TRACE_FUNC_SLOTS ? slot : TRACE_FUNC_SLOTS - 1;
}

void func_row_add(struct trace_func_row *r, uint64_t ns)
{
	r->returns++;
	r->total_ns += ns;
	r->slot[slot_of(ns)]++;
	if (ns > r->max_ns)
		r->max_ns = ns;
}

uint64_t func_percentile_ns(const struct trace_func_row *r, double share)
{
	uint64_t sum = 0, needed = (uint64_t)(share * (double)r->returns);
	for (unsigned i = 0; i < TRACE_FUNC_SLOTS; i++) {
		sum += r->slot[i];
		if (!r->slot[i] || sum <= needed)
			continue;
		uint64_t end = i + 1 < TRACE_FUNC_SLOTS ? slot_begin(i + 1) : r->max_ns, middle = (slot_begin(i) + end) / 2;
		return middle < r->max_ns ? middle : r->max_ns;
	}
	return r->max_ns;
}

struct order {
	const struct trace_func_row *row;
	const struct func *func;
};

static int by_total(const void *a, const void *b)
{
	const struct order *l = a, *r = b;
	if (l->row->total_ns != r->row->total_ns)
		return l->row->total_ns > r->row->total_ns ? -1 : 1;
	if (l->row->calls != r->row->calls)
		return l->row->calls > r->row->calls ? -1 : 1;
	return l->func < r->func ? -1 : l->func > r->func;
}

enum { NAME, FILE_NAME, CALLS, RETURNS, TOTAL, MEAN, P50, P90, P99, MAX, HISTOGRAM };

static void add_columns(struct table *t, bool histograms)
{
	static const struct table_column columns[] = {
		[NAME] = { .key = "function", .type = TABLE_TEXT },
		[FILE_NAME] = { .key = "file", .type = TABLE_TEXT },
		[CALLS] = { .key = "calls", .type = TABLE_COUNT },
		[RETURNS] = { .key = "returns", .type = TABLE_COUNT, .data_only = true },
		[TOTAL] = { .key = "total_ns", .title = "total", .type = TABLE_COUNT, .unit = "ms", .scale = 1e-6, .decimals = 3 },
		[MEAN] = { .key = "mean_ns", .title = "mean", .type = TABLE_NUMBER, .unit = "us", .scale = 1e-3, .decimals = 3 },
		[P50] = { .key = "p50_ns", .title = "p50", .type = TABLE_COUNT, .unit = "us", .scale = 1e-3, .decimals = 3 },
		[P90] = { .key = "p90_ns", .title = "p90", .type = TABLE_COUNT, .unit = "us", .scale = 1e-3, .decimals = 3 },
		[P99] = { .key = "p99_ns", .title = "p99", .type = TABLE_COUNT, .unit = "us", .scale = 1e-3, .decimals = 3 },
		[MAX] = { .key = "max_ns", .title = "max", .type = TABLE_COUNT, .unit = "us", .scale = 1e-3, .decimals = 3 },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
	table_column(t, (struct table_column){ .key = "log2_ns", .type = TABLE_SERIES, .data_only = !histograms });
}

static void fold(const struct trace_func_row *r, double ret[POWERS])
{
	for (unsigned i = 0; i < TRACE_FUNC_SLOTS; i++)
		ret[i < 4 ? i / 2 : i / 4 + 1 < POWERS ? i / 4 + 1 : POWERS - 1] += (double)r->slot[i];
}

/* A line for each power of two from the first to the last that has any. */
static void add_histogram(struct table *t, const double powers[POWERS])
{
	unsigned first = POWERS, last = 0;
	double most = 0;
	for (unsigned i = 0; i < POWERS; i++) {
		if (!powers[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = powers[i] > most ? powers[i] : most;
	}
	for (unsigned i = first; i <= last; i++) {
		static const char bar[] = "########################################";
		int n = (int)(powers[i] / most * (sizeof(bar) - 1) + 0.999);
		table_line(t, "    %10llu ns .. %10llu ns %12.0f |%.*s", i ? 1ull << i : 0ull, (2ull << i) - 1, powers[i], n, bar);
	}
}

static void add_row(struct table *t, const struct order *o, bool histograms)
{
	const struct trace_func_row *r = o->row;
	double powers[POWERS] = {};
	table_row(t);
	table_set_text(t, NAME, o->func->name);
	table_set_text(t, FILE_NAME, o->func->file);
	table_set_count(t, CALLS, r->calls);
	table_set_count(t, RETURNS, r->returns);
	if (!r->returns)
		return;
	table_set_count(t, TOTAL, r->total_ns);
	table_set_number(t, MEAN, (double)r->total_ns / (double)r->returns);
	table_set_count(t, P50, func_percentile_ns(r, 0.5));
	table_set_count(t, P90, func_percentile_ns(r, 0.9));
	table_set_count(t, P99, func_percentile_ns(r, 0.99));
	table_set_count(t, MAX, r->max_ns);
	fold(r, powers);
	table_set_series(t, HISTOGRAM, powers, POWERS);
	if (histograms)
		add_histogram(t, powers);
}

void func_stats_table(struct table *ret, const struct func_choice *c, const struct trace_func_row *rows, bool histograms)
{
	_cleanup_free_ struct order *called = xreallocarray(NULL, c->funcs.len + 1, sizeof(*called));
	size_t n = 0;
	table_init(ret, "strobe-trace-functions", 1);
	ret->rows_key = "functions";
	add_columns(ret, false);
	for (size_t i = 0; i < c->funcs.len; i++)
		if (rows[i].calls)
			called[n++] = (struct order){ &rows[i], &c->funcs.data[i] };
	qsort(called, n, sizeof(*called), by_total);
	for (size_t i = 0; i < n; i++)
		add_row(ret, &called[i], histograms);
}
