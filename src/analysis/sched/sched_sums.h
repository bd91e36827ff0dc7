/*
 * What the scheduler did to each thread, as sums: how long it ran, how often and how long it waited for a CPU. Rows of `sched
 * latency`, from a recording and from the running system alike.
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
	uint32_t tid;            /* of several threads, the greatest */
	uint32_t threads;        /* of this name; 1 of a row for each thread */
	uint64_t runtime_ns, count;
	uint64_t delay_ns, max_ns, max_start_ns, max_end_ns; /* waiting for a CPU */
	uint64_t ns[TASK_STATES]; /* by the machine of states */
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
/* Makes the buckets where there are none. */
void sched_sums_delay(struct sched_sums *s, struct sched_sum *row, uint64_t ns);
/* Adds a row's figures to another's. */
void sched_sum_join(struct sched_sums *s, struct sched_sum *to, const struct sched_sum *from);
/* Threads of one name become one row. */
void sched_sums_merge(struct sched_sums *s);
/* ERROR_USAGE of an unknown key: avg, max, switch, runtime, pid; several, each for what the ones before leave equal. */
struct strobe_error *sched_sums_check(const char *keys) _must_check_;
/* Greatest first; what is equal, by name or ID. Leaves out idle threads, and threads that were given no CPU. */
void sched_sums_sort(struct sched_sums *s, const char *keys);

/* perf's table, for text alone. */
void sched_sums_text(struct table *t, const struct sched_sums *s);
/* In data all that is known; in text, states and percentiles, which perf's table does not have. */
void sched_sums_table(struct table *t, const struct sched_sums *s);
