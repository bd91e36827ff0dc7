/*
 * The times of one thread as `sched timehist` counts them: between two of its leavings of a CPU, and summed up.
 *
 * Times in nanoseconds. A zeroed struct with prio -1 is a thread without events. Source: the rules of perf 7.2.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct timehist_times {
	/* What is known since it last left a CPU; 0: nothing. */
	uint64_t left_ns, ready_ns, migrated_ns;
	char letter;            /* of the state in which it left */
	/* Of the last stretch: it waited, by that state, the last part of it for a CPU; then it ran. */
	uint64_t run_ns, sleep_ns, iowait_ns, preempt_ns, delay_ns, pre_migration_ns;
	uint64_t total_run_ns, total_sleep_ns, total_iowait_ns, total_preempt_ns, total_delay_ns;
	uint64_t runs, min_run_ns, max_run_ns;
	double mean_ns, squares; /* of the times that it ran: running mean, sum of squared differences */
	uint64_t migrations;
	int prio;               /* -1: not known */
};

/* It leaves its CPU at time_ns; came_ns: when it was put there, 0: not known. */
void timehist_times_add(struct timehist_times *t, uint64_t time_ns, uint64_t came_ns);
/* What was just added is summed up, for a summary. */
void timehist_times_sum(struct timehist_times *t);
/* What was just added is of no stretch of its own: another's idle time. */
void timehist_times_clear(struct timehist_times *t);
void timehist_times_leave(struct timehist_times *t, uint64_t time_ns, char letter, uint64_t shown_ns);
static inline uint64_t timehist_times_wait(const struct timehist_times *t)
{
	return t->sleep_ns + t->iowait_ns + t->preempt_ns;
}
/* Of the mean, in percent of it. */
double timehist_times_deviation(const struct timehist_times *t);
