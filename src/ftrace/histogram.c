#include "ftrace/histogram.h"

#include <inttypes.h>
#include <math.h>

#include "base/strbuf.h"
#include "table/table.h"

#define BAR_WIDTH 46 /* 80 columns in total */

struct strobe_error *ftrace_histogram_settle(struct ftrace_histogram *h)
{
	h->buckets_nr = FTRACE_BUCKETS;
	if (!h->range && (h->min || h->max))
		return error_create(ERROR_USAGE, "%s requires --bucket-range", h->min ? "--min-latency" : "--max-latency");
	if (!h->range)
		return NULL;
	if (h->range > UINT32_MAX || h->min > UINT32_MAX || h->max > UINT32_MAX)
		return error_create(ERROR_USAGE, "--bucket-range, --min-latency and --max-latency are at most %u", UINT32_MAX);
	if (!h->min)
		h->min = h->range;
	if (!h->max)
		h->max = (FTRACE_BUCKETS - 2) * h->range + h->min;
	if (h->max < h->min + h->range)
		return error_create(ERROR_USAGE, "--max-latency must be at least the sum of --min-latency and --bucket-range");
	uint64_t nr = (h->max - h->min + h->range - 1) / h->range + 2;
	if (nr > FTRACE_BUCKETS_MAX)
		return error_create(ERROR_USAGE, "%" PRIu64 " buckets are too many, at most %d: use a larger --bucket-range", nr,
				    FTRACE_BUCKETS_MAX);
	h->buckets_nr = (uint32_t)nr;
	return NULL;
}

/* First value of a bucket; infinity for the one after the last. */
static double start_of(const struct ftrace_histogram *h, uint32_t i)
{
	if (!i)
		return 0;
	if (i >= h->buckets_nr)
		return INFINITY;
	double start = h->range ? (double)(h->min + (i - 1) * h->range) : ldexp(1, (int)i - 1);
	return h->range && i == h->buckets_nr - 1 ? (double)h->max : start;
}

static uint32_t bucket_of(const struct ftrace_histogram *h, double value)
{
	uint32_t last = h->buckets_nr - 1;
	double at;
	if (value >= start_of(h, last))
		return last;
	if (h->range)
		return value < (double)h->min ? 0 : (uint32_t)((value - (double)h->min) / (double)h->range) + 1;
	at = value < 1 ? 0 : floor(log2(value)) + 1;
	return at < last ? (uint32_t)at : last;
}

void ftrace_histogram_add(struct ftrace_histogram *h, double us)
{
	double value = h->in_ns ? us * 1000 : us;
	h->buckets[bucket_of(h, value)]++;
	stats_add(&h->stats, value);
}

/* ---- perf's text ---- */

/* "   1 - 2    us", in the next larger unit if the number is large. */
static void put_range(struct strbuf *b, const struct ftrace_histogram *h, uint32_t i)
{
	double start = start_of(h, i), stop = start_of(h, i + 1);
	double large = h->range ? 1000 : 1024;
	bool is_last = isinf(stop), is_large = start >= large;
	const char *unit = h->in_ns ? is_large ? "us" : "ns" : is_large ? "ms" : "us";
	if (is_last && !h->range)
		strbuf_addf(b, "  %4d - %-4s %s", 1, "...", h->in_ns ? "ms" : "s ");
	else if (is_last && is_large)
		strbuf_addf(b, "  %4.2f - %-4s %s", start / large, "...", unit);
	else if (is_last)
		strbuf_addf(b, "  %4.0f - %4s %s", start, "...", unit);
	else if (h->range && is_large)
		strbuf_addf(b, "  %4.2f - %-4.2f %s", start / large, stop / large, unit);
	else
		strbuf_addf(b, "  %4.0f - %4.0f %s", is_large ? start / large : start, is_large ? stop / large : stop, unit);
}

/* The statistics below perf's histogram. */
static void add_statistics(struct table *t, const struct ftrace_histogram *h)
{
	table_foot(t, "%s", "");
	table_foot(t, "# statistics  (in %s)", h->in_ns ? "nsec" : "usec");
	table_foot(t, "  total time: %20.0f", h->stats.mean * (double)h->stats.n);
	table_foot(t, "    avg time: %20.0f", h->stats.mean);
	table_foot(t, "    max time: %20.0f", floor(h->stats.max));
	table_foot(t, "    min time: %20.0f", floor(h->stats.min));
	table_foot(t, "       count: %20" PRIu64, h->stats.n);
}

/* ---- data ---- */

static void add_facts(struct table *t, const struct ftrace_histogram *h, double to_ns)
{
	table_fact_number(t, "calls", (double)h->stats.n, "%" PRIu64, h->stats.n);
	table_fact_number(t, "total_ns", h->stats.mean * (double)h->stats.n * to_ns, "%.0f", h->stats.mean * (double)h->stats.n * to_ns);
	table_fact_number(t, "average_ns", h->stats.mean * to_ns, "%.1f", h->stats.mean * to_ns);
	table_fact_number(t, "max_ns", h->stats.max * to_ns, "%.0f", h->stats.max * to_ns);
	table_fact_number(t, "min_ns", h->stats.min * to_ns, "%.0f", h->stats.min * to_ns);
}

/* ---- table ---- */

enum { FROM, TO, RANGE, COUNT, GRAPH };

static const struct table_column columns[] = {
	[FROM] = { .key = "from_ns", .type = TABLE_NUMBER, .data_only = true },
	[TO] = { .key = "to_ns", .type = TABLE_NUMBER, .data_only = true },
	[RANGE] = { "range", "#   DURATION    ", TABLE_TEXT, .text_only = true, .width = 16, .is_fixed = true },
	[COUNT] = { "count", "COUNT", TABLE_COUNT, .width = 10, .is_fixed = true },
	[GRAPH] = { "graph", "GRAPH                                          |", TABLE_TEXT, .text_only = true },
};

static void add_bucket(struct table *t, const struct ftrace_histogram *h, uint32_t i, double to_ns)
{
	static const char full[] = "##############################################";
	_cleanup_strbuf_ struct strbuf range = {};
	int bar = (int)(h->buckets[i] * BAR_WIDTH / h->stats.n);
	table_row(t);
	table_set_number(t, FROM, start_of(h, i) * to_ns);
	if (i + 1 < h->buckets_nr)
		table_set_number(t, TO, start_of(h, i + 1) * to_ns);
	put_range(&range, h, i);
	table_set_text(t, RANGE, strbuf_str(&range));
	table_set_count(t, COUNT, h->buckets[i]);
	table_set_text(t, GRAPH, "");
	table_show(t, GRAPH, "%.*s%*s |", bar, full, BAR_WIDTH - bar, "");
}

void ftrace_histogram_table(struct table *t, const struct ftrace_histogram *h)
{
	double to_ns = h->in_ns ? 1 : 1000;
	table_init(t, "strobe-ftrace-latency", 1);
	t->layout = (struct table_layout){ .head = "", .row = "", .gap = " | ", .has_no_facts = true };
	add_facts(t, h, to_ns);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
	if (!h->stats.n) {
		t->layout.has_no_titles = true;
		table_head(t, "No data found");
		return;
	}
	for (uint32_t i = 0; i < h->buckets_nr; i++)
		if (!h->hide_empty || h->buckets[i])
			add_bucket(t, h, i, to_ns);
	add_statistics(t, h);
}
