/* Countings on a made-up machine: how they end, the choice of events, and the comparison of two commands by hand-made counts. */
#include "base/testing.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counting/choice.h"
#include "counting/counting.h"
#include "counting/measurement.h"
#include "counting/versus.h"
#include "sys/faked.h"

#define WORD(text) ((char[]){ text })

static const struct session_host nobody;

struct faked {
	struct sys_faked *sys;
	struct event_list events;
	struct counting c;
	struct signals signals;
	unsigned intervals;
};

static struct strobe_error *count_interval(void *ctx, double time_s, double length_s)
{
	((struct faked *)ctx)->intervals++;
	return NULL;
}

static void open_faked(struct faked *f, const char *events, char *const *argv, int argc)
{
	sigset_t children;
	*f = (struct faked){ .sys = sys_faked_create() };
	const struct sys *sys = sys_faked_sys(f->sys);
	sys_faked_file(f->sys, "/sys/devices/system/cpu/online", "0-1\n");
	event_list_init(&f->events);
	assert_ok(event_parse(&f->events, sys, events));
	f->c = (struct counting){ .host = &nobody, .sys = sys, .argv = argv, .argc = argc, .counts_command = argc > 0,
				  .target = { .cpus = argc ? NULL : "0-1" }, .hooks = { .interval = count_interval, .ctx = f } };
	assert_ok(target_resolve(sys, &f->c.target, argc ? getpid() : 0, &f->c.map));
	counter_init(&f->c.set, sys, &f->events, &f->c.map,
		     (struct counter_options){ .start = argc ? COUNTER_START_ON_EXEC : COUNTER_START_CALLED });
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	f->signals.fd = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	assert_ok(counting_open(&f->c, &f->signals, (struct workload_options){}));
}

static void close_faked(struct faked *f)
{
	counting_close(&f->c);
	counter_deinit(&f->c.set);
	target_map_deinit(&f->c.map);
	event_list_deinit(&f->events);
	close(f->signals.fd);
	sys_faked_destroy(f->sys);
}

static void a_counting_ends_with_its_last_interval_or_timeout(void **state)
{
	struct faked f;
	open_faked(&f, "faults", NULL, 0);
	f.c.settings = (struct counting_settings){ .interval_ms = 5, .interval_count = 3 };
	assert_ok(counting_run(&f.c));
	assert_int_equal(f.intervals, 3); /* the rest at the end is empty: not another interval */
	assert_true(counting_is_complete(&f.c));
	assert_false(f.c.timed_out);
	f.c.settings = (struct counting_settings){ .timeout_ms = 5 };
	assert_ok(counting_run(&f.c));
	assert_int_equal(f.intervals, 3);
	assert_true(f.c.timed_out);
	assert_false(counting_is_complete(&f.c));
	close_faked(&f);
}

static void a_counting_ends_with_its_command(void **state)
{
	char *const argv[] = { WORD("sh"), WORD("-c"), WORD("exit 3"), NULL }, *const absent[] = { WORD("/nonexistent/program"), NULL };
	struct faked f;
	open_faked(&f, "faults", argv, 3);
	f.c.settings = (struct counting_settings){ .interval_ms = 60000 };
	for (int i = 0; i < 2; i++) {
		assert_ok(counting_run(&f.c));
		assert_int_equal(WEXITSTATUS(f.c.status), 3);
	}
	assert_int_equal(f.intervals, 2); /* the last one shorter, each time */
	f.c.argv = absent;
	f.c.argc = 1;
	assert_fails(counting_run(&f.c), ERROR_NOT_FOUND);
	close_faked(&f);
}

static void assert_choice(const struct event_choice *choice, const char *named, const char *const *names)
{
	struct sys_faked *f = sys_faked_create();
	struct event_list events;
	struct metric_set metrics;
	size_t n = 0;
	event_list_init(&events);
	metric_set_init(&metrics);
	if (named)
		assert_ok(event_parse(&events, sys_faked_sys(f), named));
	assert_ok(events_choose(&events, sys_faked_sys(f), choice, &metrics));
	for (; names[n]; n++)
		assert_string_equal(events.events.data[n].name, names[n]);
	assert_int_equal(events.events.len, n);
	metric_set_deinit(&metrics);
	event_list_deinit(&events);
	sys_faked_destroy(f);
}

static void assert_no_choice(const struct event_choice *choice, enum error_code code)
{
	struct sys_faked *f = sys_faked_create();
	struct event_list events;
	struct metric_set metrics;
	event_list_init(&events);
	metric_set_init(&metrics);
	assert_fails(events_choose(&events, sys_faked_sys(f), choice, &metrics), code);
	metric_set_deinit(&metrics);
	event_list_deinit(&events);
	sys_faked_destroy(f);
}

static void events_are_those_that_are_named_or_needed(void **state)
{
	assert_choice(&(struct event_choice){ .none = true, .detail = 3, .topdown = true }, NULL, (const char *const[]){ NULL });
	assert_choice(&(struct event_choice){}, "cs,faults", (const char *const[]){ "cs", "faults", NULL });
	assert_choice(&(struct event_choice){ .for_each_cgroup = "a,b" }, "cs", (const char *const[]){ "cs", "cs", NULL });
	assert_false(event_choice_has_metrics(&(struct event_choice){ .none = true, .metrics = "ipc" }));
	assert_true(event_choice_has_metrics(&(struct event_choice){ .transaction = true }));
	assert_no_choice(&(struct event_choice){ .topdown = true, .topdown_level = 3 }, ERROR_USAGE);
	assert_no_choice(&(struct event_choice){ .smi_cost = true }, ERROR_UNSUPPORTED);
	assert_no_choice(&(struct event_choice){ .pmu = "absent" }, ERROR_USAGE);
}

static void assert_title(struct target target, const char *expected)
{
	char *const argv[] = { WORD("make"), WORD("-j2"), NULL };
	char *title = target_title(&target, argv, 2);
	assert_string_equal(title, expected);
	free(title);
}

static void titles_name_the_target(void **state)
{
	assert_title((struct target){}, "'make -j2'");
	assert_title((struct target){ .system_wide = true }, "'system wide'");
	assert_title((struct target){ .cpus = "0-1" }, "'CPU(s) 0-1'");
	assert_title((struct target){ .pids = "1,2" }, "process id '1,2'");
	assert_title((struct target){ .tids = "3" }, "thread id '3'");
}

/* Runs of a side with these counts of the first event, and 7 of the second. */
static void add_runs(struct versus_side *side, const double *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct counter_slot *slots = side->counting.set.slots.data;
		slots[0].now = (struct count_reading){ (uint64_t)counts[i], 1000, 1000 };
		slots[1].now = (struct count_reading){ 7, 1000, 1000 };
		tally_add(&side->tally, TALLY_ALL);
		vec_push(&side->elapsed, 0.25);
	}
}

static void assert_cell(const struct table *t, size_t row, size_t column, const char *expected)
{
	assert_string_equal(table_cell(t, row, column)->text, expected);
}

static void counts_of_two_commands_are_compared(void **state)
{
	static const double a[] = { 100, 101, 99, 100, 102, 98, 100, 100, 101 }, b[] = { 200, 202, 198, 200, 204, 196, 200, 200, 900 };
	char *const first[] = { WORD("make"), WORD("old"), NULL }, *const second[] = { WORD("make"), NULL };
	enum { EVENT, MEAN_A, MEAN_B, UNIT, RATIO, LOW, HIGH, P, DIFFERS, VERDICT };
	struct sys_faked *f = sys_faked_create();
	struct event_list events;
	struct versus v;
	struct table t;
	event_list_init(&events);
	assert_ok(event_parse(&events, sys_faked_sys(f), "faults,cs"));
	struct versus_settings settings = { .argv = { first, second }, .argc = { 2, 1 } };
	assert_ok(versus_prepare(&v, &nobody, sys_faked_sys(f), &events, &settings));
	assert_false(versus_has_pairs(&v));
	add_runs(&v.sides[0], a, 9);
	add_runs(&v.sides[1], b, 9);
	v.sides[1].failed = 2;
	v.sides[1].failed_status = 3 << 8;
	assert_true(versus_has_pairs(&v) && versus_has_failures(&v));
	versus_table(&v, &t);
	assert_string_equal(t.facts.data[0].value, "make old");
	assert_string_equal(t.facts.data[1].value, "make");
	assert_string_equal(t.facts.data[2].value, "9 of each, in turn");
	assert_int_equal(t.rows.len, 3);
	assert_cell(&t, 0, EVENT, "faults");
	assert_true(table_cell(&t, 0, DIFFERS)->truth);
	assert_cell(&t, 0, VERDICT, "yes, B has more");
	/* The median of the ratios: an outlier does not change it. */
	assert_float_equal(table_cell(&t, 0, RATIO)->number, 2, 0.02);
	assert_cell(&t, 1, EVENT, "cs");
	assert_cell(&t, 1, VERDICT, "no");
	assert_float_equal(table_cell(&t, 1, MEAN_B)->number, 7, 0);
	assert_cell(&t, 2, EVENT, "elapsed");
	assert_cell(&t, 2, UNIT, "msec");
	assert_float_equal(table_cell(&t, 2, MEAN_A)->number, 250, 0);
	assert_int_equal(t.notes.len, 3);
	assert_string_equal(t.notes.data[1], "outliers, included in the result: faults of B, run 9: 900");
	assert_string_equal(t.notes.data[2], "2 runs of B failed, the last with status 3");
	table_deinit(&t);
	versus_close(&v);
	event_list_deinit(&events);
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counting_ends_with_its_last_interval_or_timeout),
		cmocka_unit_test(a_counting_ends_with_its_command),
		cmocka_unit_test(events_are_those_that_are_named_or_needed),
		cmocka_unit_test(titles_name_the_target),
		cmocka_unit_test(counts_of_two_commands_are_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
