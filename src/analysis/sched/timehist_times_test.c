/* Two stretches of a thread, by hand: it waits for a disk and for a CPU, and runs. */
#include "analysis/sched/timehist_times.h"

#include "base/testing.h"

static void test_stretches(void **state)
{
	struct timehist_times t = { .prio = -1 };
	timehist_times_add(&t, 1000, 0); /* when it came is not known */
	timehist_times_sum(&t);
	assert_int_equal(t.run_ns, 0);
	timehist_times_leave(&t, 1000, 'D', 1000);
	t.ready_ns = 1600;
	t.migrated_ns = 1650;
	timehist_times_add(&t, 2000, 1700);
	timehist_times_sum(&t);
	assert_int_equal(t.run_ns, 300);
	assert_int_equal(t.iowait_ns, 700);
	assert_int_equal(t.delay_ns, 100);
	assert_int_equal(t.pre_migration_ns, 50);
	assert_int_equal(timehist_times_wait(&t), 700);
	timehist_times_leave(&t, 2000, 'R', 2000);
	timehist_times_add(&t, 2600, 2100); /* preempted: it waits for a CPU all the time */
	timehist_times_sum(&t);
	assert_int_equal(t.preempt_ns, 100);
	assert_int_equal(t.delay_ns, 100);
	assert_int_equal(t.total_run_ns, 800);
	assert_int_equal(t.runs, 3);
	assert_int_equal(t.min_run_ns, 0);
	assert_int_equal(t.max_run_ns, 500);
	/* 0, 300, 500: mean 266.7, variance 63333.3; its root by that of 3 is 145.3, 54.49 % of the mean */
	assert_true(timehist_times_deviation(&t) > 54.48 && timehist_times_deviation(&t) < 54.50);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stretches) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
