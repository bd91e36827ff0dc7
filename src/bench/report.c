#include "bench/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define CONFIDENCE 0.95

void bench_report_init(struct bench_report *r, struct out *out, enum bench_format format)
{
	*r = (struct bench_report){ .out = out, .format = format };
	arena_init(&r->arena);
}

void bench_report_deinit(struct bench_report *r)
{
	vec_deinit(&r->settings);
	vec_deinit(&r->figures);
	vec_deinit(&r->skips);
	arena_deinit(&r->arena);
}

void bench_report_begin(struct bench_report *r, const char *collection, const char *benchmark)
{
	char name[64];
	snprintf(name, sizeof(name), "%s/%s", collection, benchmark);
	r->benchmark = arena_strdup(&r->arena, name);
	r->first_setting = (uint32_t)r->settings.len;
}

void bench_setting(struct bench_report *r, const char *name, uint64_t value)
{
	for (size_t i = r->first_setting; i < r->settings.len; i++)
		if (!strcmp(r->settings.data[i].name, name))
			return;
	vec_push(&r->settings, ((struct table_item){ .name = name, .count = value }));
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void bench_figure(struct bench_report *r, const char *variant, const char *name, const char *unit, double value)
{
	struct bench_figure *f = NULL;
	for (size_t i = 0; i < r->figures.len && !f; i++) {
		struct bench_figure *known = &r->figures.data[i];
		if (known->benchmark == r->benchmark && is_same(known->variant, variant) && !strcmp(known->name, name))
			f = known;
	}
	if (!f) {
		f = vec_extend(&r->figures, 1);
		*f = (struct bench_figure){ .benchmark = r->benchmark, .variant = variant, .name = name, .unit = unit };
	}
	f->settings = r->first_setting;
	f->settings_nr = (uint32_t)r->settings.len - r->first_setting;
	stats_add(&f->stats, value);
}

static void put(struct bench_report *r, bool is_shown, const char *fmt, va_list ap)
{
	char text[512];
	if (!is_shown)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	out_str(r->out, text);
	out_flush(r->out);
}

void bench_text(struct bench_report *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	put(r, r->format == BENCH_DEFAULT, fmt, ap);
	va_end(ap);
}

void bench_simple(struct bench_report *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	put(r, r->format == BENCH_SIMPLE, fmt, ap);
	va_end(ap);
}

void bench_line(struct bench_report *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	put(r, r->format != BENCH_DATA, fmt, ap);
	va_end(ap);
}

void bench_skip(struct bench_report *r, const char *why)
{
	char text[512];
	snprintf(text, sizeof(text), "%s: %s", r->benchmark, why);
	vec_push(&r->skips, arena_strdup(&r->arena, text));
	bench_line(r, "# skipped: %s\n", why);
}

void bench_total_time(struct bench_report *r, uint64_t ns)
{
	uint64_t ms = ns / (NS_PER_S / 1000);
	bench_text(r, " %14s: %" PRIu64 ".%03" PRIu64 " [sec]\n", "Total time", ms / 1000, ms % 1000);
	bench_simple(r, "%" PRIu64 ".%03" PRIu64 "\n", ms / 1000, ms % 1000);
	bench_figure(r, NULL, "time", "s", (double)ns / (double)NS_PER_S);
}

void bench_operations(struct bench_report *r, uint64_t ns, uint64_t operations)
{
	double us = (double)ns / 1e3 / (double)operations, per_s = ns ? (double)operations * (double)NS_PER_S / (double)ns : 0;
	bench_total_time(r, ns);
	bench_text(r, "\n %14f usecs/op\n", us);
	bench_text(r, " %14" PRIu64 " ops/sec\n", (uint64_t)per_s);
	bench_figure(r, NULL, "operation", "us", us);
	bench_figure(r, NULL, "rate", "1/s", per_s);
}

void bench_average(struct bench_report *r, const struct stats *rates, uint64_t ns)
{
	bench_text(r, "Averaged %" PRIu64 " operations/sec (+- %.2f%%), total secs = %" PRIu64 "\n", (uint64_t)rates->mean,
		   bench_error_percent(rates), (ns + NS_PER_S / 2) / NS_PER_S);
	bench_simple(r, "%" PRIu64 "\n", (uint64_t)rates->mean);
	bench_figure(r, NULL, "rate", "1/s", rates->mean);
}

double bench_per_second(uint64_t operations, uint64_t ns)
{
	return (double)operations * (double)NS_PER_S / (double)(ns ? ns : 1);
}

double bench_error_percent(const struct stats *s)
{
	return s->mean > 0 ? 100 * stats_error(s) / s->mean : 0;
}

void bench_report_spread(struct bench_report *r)
{
	for (size_t i = 0; i < r->figures.len; i++) {
		const struct bench_figure *f = &r->figures.data[i];
		if (f->benchmark == r->benchmark)
			bench_text(r, "# %" PRIu64 " runs: %s%s%s %.6g %s (+-%.2f%%), %.6g to %.6g\n", f->stats.n,
				   f->variant ? f->variant : "", f->variant ? " " : "", f->name, f->stats.mean, f->unit,
				   bench_error_percent(&f->stats), f->stats.min, f->stats.max);
	}
}

enum { BENCHMARK, VARIANT, SETTINGS, FIGURE, UNIT, RUNS, MEAN, ERROR, HALF_WIDTH, MIN, MAX };

void bench_report_table(const struct bench_report *r, struct table *ret)
{
	static const struct table_column columns[] = {
		[BENCHMARK] = { .key = "benchmark", .type = TABLE_TEXT },
		[VARIANT] = { .key = "variant", .type = TABLE_TEXT, .is_optional = true },
		[SETTINGS] = { .key = "settings", .type = TABLE_ITEMS },
		[FIGURE] = { .key = "figure", .type = TABLE_TEXT },
		[UNIT] = { .key = "unit", .type = TABLE_TEXT },
		[RUNS] = { .key = "runs", .type = TABLE_COUNT },
		[MEAN] = { .key = "mean", .type = TABLE_NUMBER },
		[ERROR] = { .key = "error", .type = TABLE_NUMBER },
		[HALF_WIDTH] = { .key = "half_width_95", .type = TABLE_NUMBER },
		[MIN] = { .key = "min", .type = TABLE_NUMBER },
		[MAX] = { .key = "max", .type = TABLE_NUMBER },
	};
	table_init(ret, "strobe-bench", 1);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(ret, columns[i]);
	for (size_t i = 0; i < r->skips.len; i++)
		table_note(ret, "skipped %s", r->skips.data[i]);
	for (size_t i = 0; i < r->figures.len; i++) {
		const struct bench_figure *f = &r->figures.data[i];
		table_row(ret);
		table_set_text(ret, BENCHMARK, f->benchmark);
		if (f->variant)
			table_set_text(ret, VARIANT, f->variant);
		if (f->settings_nr)
			table_set_items(ret, SETTINGS, r->settings.data + f->settings, f->settings_nr);
		table_set_text(ret, FIGURE, f->name);
		table_set_text(ret, UNIT, f->unit);
		table_set_count(ret, RUNS, f->stats.n);
		table_set_number(ret, MEAN, f->stats.mean);
		table_set_number(ret, MIN, f->stats.min);
		table_set_number(ret, MAX, f->stats.max);
		if (f->stats.n > 1) {
			table_set_number(ret, ERROR, stats_error(&f->stats));
			table_set_number(ret, HALF_WIDTH, stats_half_width(&f->stats, CONFIDENCE));
		}
	}
}
