/*
 * A count listing: the results of `strobe stat`, ready for output. Filled by counter/, read by the views.
 *
 * Rows are in output order. Strings are borrowed and must outlive the listing. Values are scaled (for the share of the time in which
 * the event was counted, and to its unit); over several runs they are means.
 *
 * It is not a struct table, because its layouts are perf's, to the byte, and are not those of tables: in text a row has further lines
 * for its figures, only the number of a figure is coloured, cells are padded to the end of the line, and intervals continue a listing
 * for hours under headings that repeat every 25 intervals; lines of -x have no heading, do not quote fields, and have more of them
 * where an event has a cgroup; -j prints an object per line, numbers as strings with six decimals. A table would need a switch for each
 * of these, which no other table has. The comparison of two commands (--vs) does not exist in perf, and is a table.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vector.h"

enum counts_state {
	COUNTS_COUNTED,
	COUNTS_NOT_COUNTED,   /* the event exists, but nothing ran meanwhile */
	COUNTS_NOT_SUPPORTED, /* this machine cannot count it */
};

/* How rows are aggregated: the kind of place. */
enum counts_by {
	COUNTS_BY_NOTHING,
	COUNTS_BY_CPU,
	COUNTS_BY_CORE,
	COUNTS_BY_CLUSTER,
	COUNTS_BY_CACHE,
	COUNTS_BY_DIE,
	COUNTS_BY_SOCKET,
	COUNTS_BY_NODE,
	COUNTS_BY_THREAD,
};

/* Fields that do not apply to the listing's `by` are 0. */
struct counts_place {
	int32_t cpu, core, cluster, die, socket, node;
	int32_t cache_level, cache; /* cache: the first CPU that shares it */
	uint32_t cpus;              /* number of aggregated CPUs */
	int32_t tid;
	const char *comm;
	bool of_core;               /* with COUNTS_BY_CPU: the event counts a whole core, shown as "S0-D0-C1" */
};

/* Rating of a derived figure: colours on a terminal. */
enum counts_mark { COUNTS_PLAIN, COUNTS_LOW, COUNTS_MEDIUM, COUNTS_HIGH, COUNTS_GOOD, COUNTS_BAD };

/* A derived figure: "1.25  instructions  insn_per_cycle". */
struct counts_figure {
	double value;
	unsigned width, decimals; /* in the classic layout */
	const char *suffix;       /* "%" or "" */
	const char *unit;         /* "instructions  insn_per_cycle", "K/sec" */
	enum counts_mark mark;
};

#define COUNTS_FIGURES 4

struct counts_noise {
	bool present;          /* with more than one run */
	double percent;        /* standard error of the mean, in percent of it */
	double low, high;      /* 95 % interval of the mean (Student's t) */
	double min, max;
};

struct counts_row {
	struct counts_place place;
	const char *event, *unit, *cgroup; /* unit "": none; cgroup NULL: none */
	enum counts_state state;
	double value;
	bool is_fraction;      /* the scale has a fraction: print two decimals */
	uint64_t enabled_ns, running_ns; /* means over the runs; running < enabled: multiplexed */
	struct counts_noise noise;
	struct counts_figure figures[COUNTS_FIGURES];
	unsigned figures_nr;
	/* A metric, not an event: its value is the first figure's. */
	bool is_metric;
	const char *metric;    /* its name, or NULL */
	const char *missing;   /* events that it lacks, or NULL; the first figure has its name in any case */
};

struct counts_times {
	double mean_s, error_s; /* standard error; 0 for one run */
	double low_s, high_s, min_s, max_s;
};

struct counts {
	enum counts_by by;
	VEC(struct counts_row) rows;
	const char *target;          /* "'true'", "'system wide'", "process id '12'" */
	uint64_t runs;
	bool is_null_run;
	bool is_interval;            /* elapsed.mean_s is then the time since the start */
	bool is_summary;             /* of all intervals, after the last */
	double time_s;               /* of an interval: its end */
	double interval_s;           /* length of the interval */
	struct counts_times elapsed;
	bool has_usage;
	double user_s, system_s;
	VEC(double) elapsed_each;    /* of each run, for --table */
	unsigned unit_width;         /* of the longest unit */
	bool has_cgroups;
	bool metrics_only;
};

/* Fields that do not apply are 0 in both. */
static inline bool counts_same_place(const struct counts_place *a, const struct counts_place *b)
{
	return a->cpu == b->cpu && a->core == b->core && a->cluster == b->cluster && a->die == b->die && a->socket == b->socket &&
	       a->node == b->node && a->cache_level == b->cache_level && a->cache == b->cache && a->tid == b->tid;
}

/* "S0-D0-C1", "CPU3", "make-41"; nothing without aggregation. Appended. */
void counts_place_name(struct strbuf *b, enum counts_by by, const struct counts_place *p);
/* Whether a place is shown with the number of its CPUs. */
bool counts_place_has_cpus(enum counts_by by);

static inline void counts_deinit(struct counts *c)
{
	vec_deinit(&c->rows);
	vec_deinit(&c->elapsed_each);
}
