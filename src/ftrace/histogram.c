#include "ftrace/histogram.h"

#include <inttypes.h>
#include <math.h>

#include "base/out.h"
#include "base/strbuf.h"
#include "table/table.h"

#define BAR_WIDTH 46 /* 80 columns in all */

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

/* First value of a bucket; of the one after the last, no end. */
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

/* ---- text ---- */

/* "   1 - 2    us", in the next larger unit where the number is large. */
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

void ftrace_histogram_text(struct out *out, const struct ftrace_histogram *h)
{
	_cleanup_strbuf_ struct strbuf range = {};
	if (!h->stats.n) {
		out_str(out, "No data found\n");
		return;
	}
	out_f(out, "# %14s | %10s | %-*s |\n", "  DURATION    ", "COUNT", BAR_WIDTH, "GRAPH");
	for (uint32_t i = 0; i < h->buckets_nr; i++) {
		if (h->hide_empty && !h->buckets[i])
			continue;
		strbuf_reset(&range);
		put_range(&range, h, i);
		uint64_t bar = h->buckets[i] * BAR_WIDTH / h->stats.n;
		out_f(out, "%s | %10" PRIu64 " | ", strbuf_str(&range), h->buckets[i]);
		out_fill(out, '#', bar);
		out_fill(out, ' ', BAR_WIDTH - bar);
		out_str(out, " |\n");
	}
	out_f(out, "\n# statistics  (in %s)\n", h->in_ns ? "nsec" : "usec");
	out_f(out, "  total time: %20.0f\n", h->stats.mean * (double)h->stats.n);
	out_f(out, "    avg time: %20.0f\n", h->stats.mean);
	out_f(out, "    max time: %20.0f\n", floor(h->stats.max));
	out_f(out, "    min time: %20.0f\n", floor(h->stats.min));
	out_f(out, "       count: %20" PRIu64 "\n", h->stats.n);
}

/* ---- data ---- */

void ftrace_histogram_table(struct table *t, const struct ftrace_histogram *h)
{
	double to_ns = h->in_ns ? 1 : 1000;
	table_init(t, "strobe-ftrace-latency", 1);
	table_fact_number(t, "calls", (double)h->stats.n, "%" PRIu64, h->stats.n);
	table_fact_number(t, "total_ns", h->stats.mean * (double)h->stats.n * to_ns, "%.0f", h->stats.mean * (double)h->stats.n * to_ns);
	table_fact_number(t, "average_ns", h->stats.mean * to_ns, "%.1f", h->stats.mean * to_ns);
	table_fact_number(t, "max_ns", h->stats.max * to_ns, "%.0f", h->stats.max * to_ns);
	table_fact_number(t, "min_ns", h->stats.min * to_ns, "%.0f", h->stats.min * to_ns);
	table_column(t, (struct table_column){ .key = "from_ns", .type = TABLE_NUMBER });
	table_column(t, (struct table_column){ .key = "to_ns", .type = TABLE_NUMBER });
	table_column(t, (struct table_column){ .key = "count", .type = TABLE_COUNT });
	for (uint32_t i = 0; i < h->buckets_nr; i++) {
		if (h->hide_empty && !h->buckets[i])
			continue;
		table_row(t);
		table_set_number(t, 0, start_of(h, i) * to_ns);
		if (i + 1 < h->buckets_nr)
			table_set_number(t, 1, start_of(h, i + 1) * to_ns);
		table_set_count(t, 2, h->buckets[i]);
	}
}
