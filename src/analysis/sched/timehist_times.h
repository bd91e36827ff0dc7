/*
 * Times of one thread in `sched timehist`: between two switches from a CPU, and as sums.
 *
 * Times in nanoseconds. A zeroed struct with prio -1 is a thread without events. Source: the rules of perf 7.2.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct timehist_times {
	/* Times since it last left a CPU; 0: unknown. */
	uint64_t left_ns, ready_ns, migrated_ns;
	char letter;            /* of the state in which it left */
	/* The last period: it waited, by that state, at the end for a CPU; then it ran. */
	uint64_t run_ns, sleep_ns, iowait_ns, preempt_ns, delay_ns, pre_migration_ns;
	uint64_t total_run_ns, total_sleep_ns, total_iowait_ns, total_preempt_ns, total_delay_ns;
	uint64_t runs, min_run_ns, max_run_ns;
	double mean_ns, squares; /* run times: running mean, sum of squared differences */
	uint64_t migrations;
	int prio;               /* -1: not known */
};

/* It leaves its CPU at time_ns; came_ns: when it got the CPU, 0: unknown. */
void timehist_times_add(struct timehist_times *t, uint64_t time_ns, uint64_t came_ns);
/* Adds the last period to the sums, for a summary. */
void timehist_times_sum(struct timehist_times *t);
/* Drops the last period, which is the idle time of another thread. */
void timehist_times_clear(struct timehist_times *t);
void timehist_times_leave(struct timehist_times *t, uint64_t time_ns, char letter, uint64_t shown_ns);
static inline uint64_t timehist_times_wait(const struct timehist_times *t)
{
	return t->sleep_ns + t->iowait_ns + t->preempt_ns;
}
/* The standard error of the mean, in percent of it. */
double timehist_times_deviation(const struct timehist_times *t);
