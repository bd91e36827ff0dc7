/*
 * What benchmarks found: text as perf prints it, while they run, and figures with their spread over repeated runs.
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
	BENCH_SIMPLE, /* figures alone, for scripts */
	BENCH_DATA,   /* no text: bench_report_table() */
};

struct bench_figure {
	const char *benchmark;         /* "sched/pipe" */
	const char *variant;           /* the function that was run; or NULL */
	const char *name, *unit;       /* "time", "s" */
	uint32_t settings, settings_nr; /* in the report's */
	struct stats stats;            /* a value a run */
};

struct bench_report {
	struct out *out;
	enum bench_format format;
	struct arena arena;
	const char *benchmark;
	uint32_t first_setting; /* of the benchmark that runs */
	VEC(struct table_item) settings;
	VEC(struct bench_figure) figures;
	VEC(const char *) skips; /* "breakpoint/thread: not permitted" */
};

/* out is borrowed. */
void bench_report_init(struct bench_report *r, struct out *out, enum bench_format format);
void bench_report_deinit(struct bench_report *r);
/* What comes next is of this benchmark. */
void bench_report_begin(struct bench_report *r, const char *collection, const char *benchmark);
/* A number that the benchmark ran with: the first value for a name counts. */
void bench_setting(struct bench_report *r, const char *name, uint64_t value);
/* A value of one run; name, unit and variant live as long as the report. */
void bench_figure(struct bench_report *r, const char *variant, const char *name, const char *unit, double value);
/* That the benchmark which began did not run, and why: a line, and a note of the table. */
void bench_skip(struct bench_report *r, const char *why);
/* Text of BENCH_DEFAULT alone, and of BENCH_SIMPLE alone. */
void bench_text(struct bench_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void bench_simple(struct bench_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text of both. */
void bench_line(struct bench_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "Total time: 0.087 [sec]", and in perf's simple form "0.087". */
void bench_total_time(struct bench_report *r, uint64_t ns);
/* The same with time and number of an operation, "usecs/op" and "ops/sec", after it. */
void bench_operations(struct bench_report *r, uint64_t ns, uint64_t operations);
/* "Averaged 1234 operations/sec" of the rates of several tasks that worked so long. */
void bench_average(struct bench_report *r, const struct stats *rates, uint64_t ns);
double bench_per_second(uint64_t operations, uint64_t ns);
/* The standard error in percent of the mean; 0 where the mean is 0. */
double bench_error_percent(const struct stats *s);
/* Lines below the text about figures of several runs. */
void bench_report_spread(struct bench_report *r);
void bench_report_table(const struct bench_report *r, struct table *ret);
