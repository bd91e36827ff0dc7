#include "analysis/sched/timehist_times.h"

#include <math.h>

void timehist_times_clear(struct timehist_times *t)
{
	t->run_ns = t->sleep_ns = t->iowait_ns = t->preempt_ns = t->delay_ns = 0;
}

static void add_wait(struct timehist_times *t, uint64_t came_ns)
{
	if (!t->left_ns || t->left_ns > came_ns)
		return;
	uint64_t wait_ns = came_ns - t->left_ns;
	if (t->letter == 'R')
		t->preempt_ns = wait_ns;
	else if (t->letter == 'D')
		t->iowait_ns = wait_ns;
	else
		t->sleep_ns = wait_ns;
}

static void add_run(struct timehist_times *t)
{
	double delta = (double)t->run_ns - t->mean_ns;
	t->runs++;
	t->mean_ns += delta / (double)t->runs;
	t->squares += delta * ((double)t->run_ns - t->mean_ns);
	if (t->runs == 1 || t->run_ns < t->min_run_ns)
		t->min_run_ns = t->run_ns;
	if (t->run_ns > t->max_run_ns)
		t->max_run_ns = t->run_ns;
}

void timehist_times_add(struct timehist_times *t, uint64_t time_ns, uint64_t came_ns)
{
	timehist_times_clear(t);
	t->pre_migration_ns = 0;
	if (came_ns) {
		t->run_ns = time_ns - came_ns;
		if (t->ready_ns && t->ready_ns <= came_ns)
			t->delay_ns = came_ns - t->ready_ns;
		if (t->ready_ns && t->migrated_ns > t->ready_ns && t->migrated_ns < came_ns)
			t->pre_migration_ns = t->migrated_ns - t->ready_ns;
		add_wait(t, came_ns);
	}
}

void timehist_times_sum(struct timehist_times *t)
{
	add_run(t);
	t->total_run_ns += t->run_ns;
	t->total_delay_ns += t->delay_ns;
	t->total_sleep_ns += t->sleep_ns;
	t->total_iowait_ns += t->iowait_ns;
	t->total_preempt_ns += t->preempt_ns;
}

void timehist_times_leave(struct timehist_times *t, uint64_t time_ns, char letter, uint64_t shown_ns)
{
	t->left_ns = time_ns;
	t->letter = letter;
	t->ready_ns = letter == 'R' ? shown_ns : 0;
	t->migrated_ns = 0;
}

double timehist_times_deviation(const struct timehist_times *t)
{
	if (t->runs < 2 || t->mean_ns <= 0)
		return 0;
	double variance = t->squares / (double)(t->runs - 1);
	return 100.0 * sqrt(variance / (double)t->runs) / t->mean_ns;
}
