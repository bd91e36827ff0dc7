/* The messages of a recorder at its end, and what --control evlist prints. */
#include "base/testing.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "recording/priv.h"
#include "sys/faked.h"

struct fixture {
	struct recorder r;
	struct recorder_outcome outcome;
	struct strbuf said;
};

/* Collects a line for each message, prefixed by the first letter of its kind. */
static void collect(void *ctx, enum recorder_message kind, const char *text)
{
	strbuf_addf(ctx, "%c %s\n", "NLRE"[kind], text);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	f->r.host = (struct recorder_host){ .say = collect, .ctx = &f->said };
	f->r.output.path = "perf.data";
	f->outcome = (struct recorder_outcome){ .lost_by_event = "", .name = "perf.data" };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	strbuf_deinit(&f->said);
	free(f);
	return 0;
}

static void expect(struct fixture *f, const char *lines)
{
	strbuf_reset(&f->said);
	recorder_say_outcome(&f->r, &f->outcome);
	assert_string_equal(strbuf_str(&f->said), lines);
}

static void what_was_written(void **state)
{
	struct fixture *f = *state;
	f->outcome.bytes = 3 << 19; /* 1.5 MiB */
	f->outcome.totals.wakeups = 7;
	expect(f, "R Woken up 7 times to write data\nR Captured and wrote 1.500 MB perf.data\n");
	f->outcome.totals.samples = 12;
	f->outcome.totals.bytes = 3 << 20; /* records of 3 MiB: twice the file */
	f->r.o.compress_level = 1;
	expect(f, "R Woken up 7 times to write data\n"
		  "R Captured and wrote 1.500 MB perf.data, compressed (original 3.000 MB, ratio is 2.000) (12 samples)\n");
	f->outcome.is_incomplete = true;
	expect(f, "R Woken up 7 times to write data\nR Wrote 1.500 MB perf.data, which is incomplete\n");
}

static void names_of_rows_and_pipes(void **state)
{
	struct fixture *f = *state;
	f->r.o.timestamp_filename = true;
	f->outcome.name = "perf.data.2026112101234567";
	expect(f, "R Woken up 0 times to write data\nR Captured and wrote 0.000 MB perf.data.<timestamp>\n");
	f->outcome.is_incomplete = true;
	expect(f, "R Woken up 0 times to write data\nR Wrote 0.000 MB perf.data.2026112101234567, which is incomplete\n");
	f->outcome.is_incomplete = false;
	f->r.output.pipe = true;
	expect(f, "R Woken up 0 times to write data\nR Captured and wrote 0.000 MB -\n");
}

static void losses(void **state)
{
	struct fixture *f = *state;
	f->outcome.totals.samples = 75;
	f->outcome.totals.lost_events = 25;
	f->outcome.is_realtime = true;
	expect(f, "R Woken up 0 times to write data\n"
		  "L LOST 25 of 100 samples, 25.0 %: buffers were full. Larger buffers (-m 32M), fewer events (--filter, -c, a lower -F) "
		  "help.\n"
		  "R Captured and wrote 0.000 MB perf.data (75 samples)\n");
	/* Five of the 25 were samples, by the events' own counts. */
	f->outcome.totals.samples = 95;
	f->outcome.totals.lost_samples = 5;
	f->outcome.lost_by_event = "cycles 3, faults 2";
	f->outcome.is_realtime = false;
	expect(f, "R Woken up 0 times to write data\n"
		  "L LOST 5 of 100 samples, 5.0 % (cycles 3, faults 2), and 20 other records: buffers were full. Larger buffers (-m 32M), "
		  "fewer events (--filter, -c, a lower -F), or real-time priority (as root, or ulimit -r) help.\n"
		  "R Captured and wrote 0.000 MB perf.data (95 samples)\n");
}

static void truncated_stacks(void **state)
{
	struct fixture *f = *state;
	/* One in a hundred stacks truncated for lack of call frame information is not reported; more are. */
	f->outcome.stacks = (struct stack_unwinder_totals){ .stacks = 200, .cut = 2 };
	expect(f, "R Woken up 0 times to write data\nR Captured and wrote 0.000 MB perf.data\n");
	f->outcome.stacks.cut = 8;
	f->outcome.stacks.deep = 5;
	expect(f, "R Woken up 0 times to write data\n"
		  "N 5 of 200 stacks are truncated: they exceed the maximum number of frames\n"
		  "N 3 of 200 stacks are truncated: they pass through code without call frame information or frame pointers\n"
		  "R Captured and wrote 0.000 MB perf.data\n");
	f->outcome.stacks = (struct stack_unwinder_totals){ .stacks = 200, .cut = 2, .in_exec = 3 };
	expect(f, "R Woken up 0 times to write data\n"
		  "N 3 of 200 stacks end at a call of execve: the memory of its callers had been released\n"
		  "R Captured and wrote 0.000 MB perf.data\n");
}

static void short_tasks_are_named_where_they_matter(void **state)
{
	struct fixture *f = *state;
	f->outcome.totals.exits = 100;
	f->outcome.totals.samples = 399;
	const char *plain = "R Woken up 0 times to write data\nR Captured and wrote 0.000 MB perf.data (399 samples)\n";
	expect(f, plain);
	f->r.lacks_filter = true;
	recorder_say_outcome(&f->r, &f->outcome);
	assert_non_null(strstr(strbuf_str(&f->said), "N 100 tasks ended after few samples or none"));
	f->outcome.totals.exits = 99;
	expect(f, plain);
	f->outcome.totals.exits = 100;
	f->outcome.totals.samples = 400;
	expect(f, "R Woken up 0 times to write data\nR Captured and wrote 0.000 MB perf.data (400 samples)\n");
}

static void events_are_listed_as_requested(void **state)
{
	struct fixture *f = *state;
	struct sys_faked *faked = sys_faked_create();
	struct event_list list;
	struct event_set set;
	struct strbuf text = {};
	event_list_init(&list);
	assert_ok(event_parse(&list, sys_faked_sys(faked), "page-faults,cpu-clock,task-clock,dummy"));
	event_set_init(&set, sys_faked_sys(faked));
	event_set_add_list(&set, &list);
	set.events.data[2].leader = 1;
	set.events.data[0].attr.sample_period = 9;
	set.events.data[1].attr.freq = 1;
	set.events.data[1].attr.sample_freq = 4000;
	recorder_list_events(&set, "", &text);
	assert_string_equal(strbuf_str(&text), "page-faults\ncpu-clock\ntask-clock\ndummy");
	strbuf_reset(&text);
	recorder_list_events(&set, "-g", &text);
	assert_string_equal(strbuf_str(&text), "page-faults\n{cpu-clock,task-clock}\ndummy");
	strbuf_reset(&text);
	set.events.len = 2;
	recorder_list_events(&set, "-F", &text);
	assert_string_equal(strbuf_str(&text), "page-faults: sample_period=9\ncpu-clock: sample_freq=4000");
	recorder_say(&f->r, RECORDER_LIST, "%s", "page-faults");
	assert_string_equal(strbuf_str(&f->said), "E page-faults\n");
	strbuf_deinit(&text);
	event_set_deinit(&set);
	event_list_deinit(&list);
	sys_faked_destroy(faked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_of_rows_and_pipes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(losses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(truncated_stacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(short_tasks_are_named_where_they_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(events_are_listed_as_requested, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
