/* Settings of measurements that follow from each other, and those that exclude each other. */
#include "base/testing.h"

#include <string.h>

#include "counting/request.h"

struct fixture {
	struct measurement_request r;
	struct measurement_settings m;
	struct event_list events;
};

static struct fixture begin(void)
{
	return (struct fixture){ .r = { .runs = 1, .has_command = true } };
}

/* part: of the message, or NULL: no error. */
static void check(struct fixture f, const char *part)
{
	struct strobe_error *err = measurement_request_check(&f.r, &f.m, &f.events);
	if (part) {
		assert_true(error_is(err, ERROR_USAGE));
		assert_non_null(strstr(err->message, part));
	} else {
		assert_null(err);
	}
	error_destroy(err);
}

static void targets(void **state)
{
	struct fixture f = begin();
	check(f, NULL);
	f.m.tally.by = COUNTS_BY_CORE;
	check(f, "require -a or -C");
	f.r.target.cpus = "0";
	check(f, NULL);
	f = begin();
	f.m.tally.by = COUNTS_BY_CORE;
	f.r.has_command = false; /* the whole system, then */
	check(f, NULL);
	f = begin();
	f.m.tally.by = COUNTS_BY_THREAD;
	f.r.per_thread = true;
	check(f, "--per-thread requires");
	f.r.target.pids = "1";
	check(f, NULL);
	f = begin();
	f.m.choice.for_each_cgroup = "a";
	check(f, "--for-each-cgroup");
	f.r.target.system_wide = true;
	check(f, NULL);
}

static void runs_and_intervals(void **state)
{
	struct fixture f = begin();
	f.r.runs = 3;
	check(f, NULL);
	f.m.counting.interval_ms = 10;
	check(f, "-I and -r");
	f.r.runs = 1;
	f.m.counting.interval_count = 2;
	check(f, NULL);
	f.m.counting.timeout_ms = 100;
	check(f, "--interval-count and --timeout");
	f = begin();
	f.m.counting.interval_count = 2;
	check(f, "requires -I");
	f = begin();
	f.r.runs = 0;
	f.r.has_command = false;
	check(f, "-r requires a command");
	f = begin();
	f.r.runs = 2;
	f.r.is_kept = true;
	check(f, "one run only");
}

static void two_commands(void **state)
{
	struct fixture f = begin();
	f.r.is_versus = true;
	check(f, NULL);
	f.m.choice.metrics = "ipc";
	check(f, "--vs can only be combined");
	f = begin();
	f.r.is_versus = true;
	f.r.has_command = false;
	check(f, "--vs requires two commands");
}

static void what_follows(void **state)
{
	struct fixture f = begin();
	measurement_request_settle(&f.r, &f.m);
	assert_int_equal(f.m.counters.start, COUNTER_START_ON_EXEC);
	assert_false(f.r.target.system_wide);
	assert_false(f.m.counters.hold_tracepoints);
	f = begin();
	f.m.counting.delay_ms = 5;
	measurement_request_settle(&f.r, &f.m);
	assert_int_equal(f.m.counters.start, COUNTER_START_CALLED);
	f = begin();
	f.r.has_command = false;
	f.r.per_thread = true;
	measurement_request_settle(&f.r, &f.m);
	assert_true(f.r.target.system_wide);
	assert_true(f.m.choice.metric.of_cpus);
	assert_true(f.m.all_threads);
	assert_int_equal(f.m.counters.start, COUNTER_START_CALLED);
	f = begin();
	f.r.is_versus = true;
	measurement_request_settle(&f.r, &f.m);
	assert_true(f.m.counters.hold_tracepoints);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets),
		cmocka_unit_test(runs_and_intervals),
		cmocka_unit_test(two_commands),
		cmocka_unit_test(what_follows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
