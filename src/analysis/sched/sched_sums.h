/*
 * Sums per thread: run time, number and length of waits for a CPU. The rows of `sched latency`, of a recording or of the running
 * system.
 *
 * Times in nanoseconds. Names are borrowed. A zeroed struct is empty and valid. One thread. Source of the text: what perf 7.2 prints.
 */
#pragma once
#include "analysis/sched/sched_delays.h"
#include "analysis/task_states.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/out.h"
#include "base/vector.h"
#include "table/table.h"

struct sched_sum {
	const char *comm;
	uint32_t tid;            /* the greatest of several threads */
	uint32_t threads;        /* number with this name; 1 in rows for single threads */
	uint64_t runtime_ns, count;
	uint64_t delay_ns, max_ns, max_start_ns, max_end_ns; /* waiting for a CPU */
	uint64_t ns[TASK_STATES]; /* by task state */
	uint32_t *delays;        /* SCHED_DELAY_BUCKETS, or NULL */
};

struct sched_sums {
	VEC(struct sched_sum) rows;
	struct arena arena;      /* of delays */
	bool has_states;         /* ns and delays are known */
	bool is_merged;          /* by name */
};

void sched_sums_deinit(struct sched_sums *s);
struct sched_sum *sched_sums_add(struct sched_sums *s, const char *comm, uint32_t tid);
/* Allocates the buckets if necessary. */
void sched_sums_delay(struct sched_sums *s, struct sched_sum *row, uint64_t ns);
/* Adds a row to another one. */
void sched_sum_join(struct sched_sums *s, struct sched_sum *to, const struct sched_sum *from);
/* Threads of one name become one row. */
void sched_sums_merge(struct sched_sums *s);
/* Keys: avg, max, switch, runtime, pid, in order of priority. ERROR_USAGE for an unknown one. */
struct strobe_error *sched_sums_check(const char *keys) _must_check_;
/* In descending order, equal rows by name or ID. Drops idle threads, and threads that never ran. */
void sched_sums_sort(struct sched_sums *s, const char *keys);

/* perf's table, only for text. */
void sched_sums_text(struct table *t, const struct sched_sums *s);
/* In data all columns; in text, states and percentiles, which perf's table does not have. */
void sched_sums_table(struct table *t, const struct sched_sums *s);
