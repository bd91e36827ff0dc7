/* Words of -e as calls and events, and what is traced by default. No event is looked up: there is no kernel here. */
#include "tracing/selection.h"

#include "base/testing.h"

static int set_up(void **state)
{
	static struct trace_selection s;
	s = (struct trace_selection){};
	trace_selection_init(&s);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	trace_selection_deinit(*state);
	return 0;
}

static void add(struct trace_selection *s, const char *text)
{
	assert_ok(trace_selection_add(s, NULL, text));
}

static void calls_add_up(void **state)
{
	struct trace_selection *s = *state;
	assert_true(trace_selects_calls(s)); /* all of them */
	add(s, "openat,close");
	assert_string_equal(s->calls, "openat,close");
	add(s, "%file,/^re.*/");
	assert_string_equal(s->calls, "openat,close,%file,/^re.*/");
	add(s, "");
	assert_string_equal(s->calls, "openat,close,%file,/^re.*/");
	assert_int_equal(s->events.events.len, 0);
}

static void a_negated_list_stands_alone(void **state)
{
	struct trace_selection *s = *state;
	add(s, "!close,read");
	assert_string_equal(s->calls, "!close,read");
	assert_fails(trace_selection_add(s, NULL, "openat"), ERROR_USAGE);
	assert_string_equal(s->calls, "!close,read");
}

static void tasks_and_signals_come_with_all_calls(void **state)
{
	struct trace_selection *s = *state;
	struct trace_summary sums = {};
	assert_true(trace_selects_signals(s, &sums) && trace_selects_processes(s, &sums));
	sums.only = true;
	assert_false(trace_selects_signals(s, &sums));
	sums.only = false;
	s->failure = true;
	assert_false(trace_selects_processes(s, &sums));
	s->processes = s->processes_set = true;
	assert_true(trace_selects_processes(s, &sums));
	add(s, "read");
	assert_false(trace_selects_signals(s, &sums));
}

static void something_is_traced(void **state)
{
	struct trace_selection *s = *state;
	s->syscalls_set = true; /* --no-syscalls */
	assert_false(trace_selects_anything(s) || trace_selects_faults(s));
	event_list_add(&s->events, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	assert_true(trace_selects_anything(s) && trace_selects_event(s, "cpu-clock"));
	assert_false(trace_selects_faults(s) || trace_selects_event(s, "cpu"));
	event_list_add(&s->events, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "faults");
	assert_true(trace_selects_faults(s));
	s->syscalls_set = false; /* events alone: no calls, unless some are named */
	assert_false(trace_selects_calls(s));
	add(s, "read");
	assert_true(trace_selects_calls(s));
}

static void faults_and_excluded_processes(void **state)
{
	struct trace_selection *s = *state;
	assert_ok(trace_selection_set_faults(s, "min"));
	assert_true(s->minor_faults && !s->major_faults);
	assert_ok(trace_selection_set_faults(s, "all"));
	assert_true(s->minor_faults && s->major_faults);
	assert_fails(trace_selection_set_faults(s, "some"), ERROR_USAGE);
	assert_ok(trace_selection_exclude(s, "12,,7,"));
	assert_int_equal(s->excluded.len, 2);
	assert_int_equal(s->excluded.data[0], 12);
	assert_int_equal(s->excluded.data[1], 7);
	assert_ok(trace_selection_exclude(s, ""));
	assert_int_equal(s->excluded.len, 0);
	assert_fails(trace_selection_exclude(s, "12,x"), ERROR_USAGE);
	assert_fails(trace_selection_exclude(s, "0"), ERROR_USAGE);
	assert_fails(trace_selection_exclude(s, "2147483648"), ERROR_USAGE);
	assert_fails(trace_selection_exclude(s, "1000000000000000000000000000000"), ERROR_USAGE);
}

/* An event that is traced anyway is not added, and none is where there are no names. */
static void switching_events(void **state)
{
	struct trace_selection *s = *state;
	event_list_add(&s->events, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	assert_ok(trace_selection_add_switches(s, NULL));
	s->switch_on = s->switch_off = "cpu-clock";
	assert_ok(trace_selection_add_switches(s, NULL));
	assert_int_equal(s->events.events.len, 1);
	assert_false(s->switch_on_added || s->syscalls_set);
	s->switch_off = "/bin/zsh:zfree";
	assert_fails(trace_selection_add_switches(s, NULL), ERROR_USAGE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(calls_add_up),
		TEST(a_negated_list_stands_alone),
		TEST(tasks_and_signals_come_with_all_calls),
		TEST(something_is_traced),
		TEST(faults_and_excluded_processes),
		TEST(switching_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
