/* Whose thread an ID is, by hand: what was found last must not outlive a thread. */
#include "analysis/sched/sched_threads.h"

#include "base/testing.h"

static uint32_t take(struct sched_threads *t, uint32_t type, uint32_t pid, uint32_t tid)
{
	struct {
		struct perf_event_header hdr;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} task = { { .type = type, .size = sizeof(task) }, pid, 1, tid, 1, 5 };
	return sched_threads_record(t, (struct record){ .hdr = &task.hdr });
}

static void test_ended(void **state)
{
	struct sched_threads t;
	sched_threads_init(&t, true);
	uint32_t first = sched_threads_find(&t, 7, 7);
	/* The same last bits: they take each other's place among those found last. */
	uint32_t other = sched_threads_find(&t, SCHED_PID_UNKNOWN, 7 + SCHED_THREADS_RECENT);
	assert_int_not_equal(first, other);
	assert_int_equal(sched_threads_find(&t, 9, 7), first);
	assert_int_equal(t.threads.data[first].pid, 7);
	assert_int_equal(sched_threads_find(&t, 9, 7 + SCHED_THREADS_RECENT), other);
	assert_int_equal(t.threads.data[other].pid, 9);
	take(&t, PERF_RECORD_EXIT, 7, 7);
	uint32_t second = sched_threads_find(&t, 8, 7);
	assert_int_not_equal(first, second);
	assert_true(t.threads.data[first].has_exited);
	assert_int_equal(sched_threads_find(&t, 8, 7), second);
	take(&t, PERF_RECORD_FORK, 8, 7);
	assert_int_not_equal(sched_threads_find(&t, 8, 7), second);
	sched_threads_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ended) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
