/* The events that are recorded follow from those that a kernel has. */
#include "base/testing.h"

#include <string.h>

#include "analysis/recorded_events.h"
#include "base/strbuf.h"
#include "sys/faked.h"

static struct recorded_events begin(struct arena *arena)
{
	arena_init(arena);
	return (struct recorded_events){ .arena = arena };
}

/* Joined by blanks. */
static void expect(struct recorded_events *e, const char *expected)
{
	struct strbuf text = {};
	for (size_t i = 0; i < e->list.len; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", e->list.data[i]);
	assert_string_equal(strbuf_str(&text), expected);
	strbuf_deinit(&text);
	vec_deinit(&e->list);
	arena_deinit(e->arena);
}

#define ALWAYS "sched:sched_switch sched:sched_stat_runtime sched:sched_process_fork sched:sched_wakeup_new sched:sched_migrate_task"

static void waking_and_schedstats_where_they_are(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	struct arena arena;
	struct recorded_events e = begin(&arena);
	sys_faked_tracepoint(f, "sched", "sched_switch", 1);
	sched_recorded_events(sys_faked_sys(f), &e);
	expect(&e, ALWAYS " sched:sched_wakeup");
	sys_faked_tracepoint(f, "sched", "sched_waking", 2);
	sys_faked_tracepoint(f, "sched", "sched_stat_sleep", 3);
	e = begin(&arena);
	sched_recorded_events(sys_faked_sys(f), &e);
	expect(&e, ALWAYS " sched:sched_waking sched:sched_stat_sleep");
	sys_faked_destroy(f);
}

static void locks_by_lockdep_or_by_waits(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	struct arena arena;
	struct recorded_events e = begin(&arena);
	bool chains;
	sys_faked_tracepoint(f, "lock", "lock_acquire", 1);
	struct strobe_error *err = lock_recorded_events(sys_faked_sys(f), &e, &chains);
	assert_non_null(err);
	error_destroy(err);
	expect(&e, "");
	sys_faked_tracepoint(f, "lock", "contention_begin", 2);
	e = begin(&arena);
	assert_null(lock_recorded_events(sys_faked_sys(f), &e, &chains));
	assert_true(chains);
	expect(&e, "lock:contention_begin/max-stack=8/ lock:contention_end/max-stack=8/");
	sys_faked_tracepoint(f, "lock", "lock_acquired", 3);
	sys_faked_tracepoint(f, "lock", "lock_contended", 4);
	sys_faked_tracepoint(f, "lock", "lock_release", 5);
	e = begin(&arena);
	assert_null(lock_recorded_events(sys_faked_sys(f), &e, &chains));
	assert_false(chains);
	expect(&e, "lock:lock_acquire lock:lock_acquired lock:lock_contended lock:lock_release");
	sys_faked_destroy(f);
}

static void expect_chart(const struct sys *sys, struct timechart_events choice, const char *expected)
{
	struct arena arena;
	struct recorded_events e = begin(&arena);
	assert_null(timechart_recorded_events(sys, &choice, &e));
	expect(&e, expected);
}

static void refuse_chart(const struct sys *sys, struct timechart_events choice, enum error_code code)
{
	struct arena arena;
	struct recorded_events e = begin(&arena);
	struct strobe_error *err = timechart_recorded_events(sys, &choice, &e);
	assert_true(error_is(err, code));
	error_destroy(err);
	expect(&e, "");
}

static void charts_of_tasks_power_and_calls(void **state)
{
	(void)state;
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	sys_faked_tracepoint(f, "sched", "sched_switch", 1);
	expect_chart(sys, (struct timechart_events){}, "sched:sched_wakeup sched:sched_switch");
	expect_chart(sys, (struct timechart_events){ .power_only = true }, "");
	refuse_chart(sys, (struct timechart_events){ .io_only = true }, ERROR_UNSUPPORTED);
	refuse_chart(sys, (struct timechart_events){ .io_only = true, .tasks_only = true }, ERROR_USAGE);
	sys_faked_tracepoint(f, "sched", "sched_waking", 2);
	sys_faked_tracepoint(f, "power", "cpu_idle", 3);
	sys_faked_tracepoint(f, "syscalls", "sys_enter_read", 4);
	sys_faked_tracepoint(f, "syscalls", "sys_exit_read", 5);
	sys_faked_tracepoint(f, "syscalls", "sys_enter_write", 6);
	expect_chart(sys, (struct timechart_events){},
		     "sched:sched_wakeup sched:sched_switch sched:sched_waking power:cpu_frequency power:cpu_idle");
	expect_chart(sys, (struct timechart_events){ .tasks_only = true }, "sched:sched_wakeup sched:sched_switch sched:sched_waking");
	expect_chart(sys, (struct timechart_events){ .power_only = true }, "power:cpu_frequency power:cpu_idle");
	expect_chart(sys, (struct timechart_events){ .io_only = true }, "syscalls:sys_enter_read,syscalls:sys_exit_read");
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waking_and_schedstats_where_they_are),
		cmocka_unit_test(locks_by_lockdep_or_by_waits),
		cmocka_unit_test(charts_of_tasks_power_and_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
