/*
 * Results of benchmarks: text in perf's format, printed during the run, and figures with their spread over repeated runs.
 *
 * One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/out.h"
#include "base/vector.h"
#include "statistics/stats.h"
#include "table/table.h"

enum bench_format {
	BENCH_DEFAULT,
	BENCH_SIMPLE, /* only figures, for scripts */
	BENCH_DATA,   /* no text: bench_report_table() */
};

struct bench_figure {
	const char *benchmark;         /* "sched/pipe" */
	const char *variant;           /* the measured function; or NULL */
	const char *name, *unit;       /* "time", "s" */
	uint32_t settings, settings_nr; /* range in the report's settings */
	struct stats stats;            /* one value per run */
};

struct bench_report {
	struct out *out;
	enum bench_format format;
	struct arena arena;
	const char *benchmark;
	uint32_t first_setting; /* of the running benchmark */
	VEC(struct table_item) settings;
	VEC(struct bench_figure) figures;
	VEC(const char *) skips; /* "breakpoint/thread: not permitted" */
};

/* out is borrowed. */
void bench_report_init(struct bench_report *r, struct out *out, enum bench_format format);
void bench_report_deinit(struct bench_report *r);
/* Begins a benchmark: what follows belongs to it. */
void bench_report_begin(struct bench_report *r, const char *collection, const char *benchmark);
/* A parameter of the benchmark; the first value for a name is kept. */
void bench_setting(struct bench_report *r, const char *name, uint64_t value);
/* A value of one run; name, unit and variant must outlive the report. */
void bench_figure(struct bench_report *r, const char *variant, const char *name, const char *unit, double value);
/* Records that the current benchmark did not run, and why: a line, and a note of the table. */
void bench_skip(struct bench_report *r, const char *why);
/* Text only for BENCH_DEFAULT, or only for BENCH_SIMPLE. */
void bench_text(struct bench_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void bench_simple(struct bench_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text for both. */
void bench_line(struct bench_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "Total time: 0.087 [sec]", or "0.087" in perf's simple format. */
void bench_total_time(struct bench_report *r, uint64_t ns);
/* The same, followed by time per operation and rate, "usecs/op" and "ops/sec". */
void bench_operations(struct bench_report *r, uint64_t ns, uint64_t operations);
/* "Averaged 1234 operations/sec" from the rates of several tasks and their run time. */
void bench_average(struct bench_report *r, const struct stats *rates, uint64_t ns);
double bench_per_second(uint64_t operations, uint64_t ns);
/* The standard error in percent of the mean; 0 if the mean is 0. */
double bench_error_percent(const struct stats *s);
/* Prints lines about the spread of figures over several runs. */
void bench_report_spread(struct bench_report *r);
void bench_report_table(const struct bench_report *r, struct table *ret);
