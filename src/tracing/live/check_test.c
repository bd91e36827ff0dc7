/* Settings of traces that go together, and those that do not. */
#include "base/testing.h"

#include <string.h>

#include "tracing/live/check.h"

struct settings {
	struct trace_selection s;
	struct trace_summary sums;
	struct live_trace_options live;
	bool has_histograms;
};

static struct settings begin(void)
{
	struct settings q = { .live.ring_bytes = 8 << 20, .sums.in_kernel = true };
	trace_selection_init(&q.s);
	return q;
}

static void end(struct settings *q, struct strobe_error *err, const char *part)
{
	if (part) {
		assert_true(error_is(err, ERROR_USAGE));
		assert_non_null(strstr(err->message, part));
	} else {
		assert_null(err);
	}
	error_destroy(err);
	trace_selection_deinit(&q->s);
}

/* part: of the message, or NULL where all is well. */
static void check(struct settings q, const char *part)
{
	end(&q, live_trace_check(&q.s, &q.sums, &q.live, q.has_histograms), part);
}

static void check_replay(struct settings q, bool with_totals, const char *part)
{
	end(&q, live_trace_check_replay(&q.s, &q.sums, &q.live, with_totals), part);
}

static void lines_and_sums(void **state)
{
	(void)state;
	struct settings q = begin();
	check(q, NULL);
	q = begin();
	q.sums.only = q.s.failure = true;
	check(q, "--failure, --duration and --max-events");
	q = begin();
	q.has_histograms = true;
	check(q, "require -s or -S");
	q = begin();
	q.has_histograms = q.sums.with_lines = true;
	check(q, NULL);
	q = begin();
	q.s.path = "/etc/*";
	check(q, NULL);
	q = begin();
	q.s.path = "*";
	check(q, "-P requires a path");
	q = begin();
	q.s.path = "/etc/*";
	q.sums.only = true;
	check(q, "-P selects lines");
}

static void rings_times_and_stacks(void **state)
{
	(void)state;
	struct settings q = begin();
	q.live.ring_bytes = 0;
	check(q, "-m 0");
	q = begin();
	q.live.delay_ms = -1;
	check(q, "must not be negative");
	q = begin();
	q.live.callgraph.mode = CALLGRAPH_LBR;
	check(q, "lbr requires hardware events");
	q = begin();
	q.s.show_switches = true;
	check(q, "--show-on-off-events requires");
}

static void recordings_have_less(void **state)
{
	(void)state;
	struct settings q = begin();
	check_replay(q, false, NULL);
	q = begin();
	check_replay(q, true, "--tool_stats");
	q = begin();
	q.live.target.pids = "1";
	check_replay(q, false, "they apply to live tracing");
	q = begin();
	q.s.path = "/etc/passwd";
	check_replay(q, false, "-P cannot be combined with -i");
	q = begin();
	q.sums.by = SYSCALL_STATS_BY_CGROUP;
	check_replay(q, false, "a recording has no cgroups");
}

static void what_follows(void **state)
{
	struct settings q = begin();
	q.sums.sched = true;
	assert_ok(live_trace_settle(&q.s, &q.sums, &q.live));
	assert_true(q.sums.with_lines);
	assert_int_equal(q.live.callgraph.mode, CALLGRAPH_NONE);
	q.s.max_stack = 3;
	assert_ok(live_trace_settle(&q.s, &q.sums, &q.live));
	assert_int_equal(q.live.callgraph.mode, CALLGRAPH_DWARF);
	q.live.callgraph.mode = CALLGRAPH_FP; /* chosen */
	q.sums = (struct trace_summary){ .sched = true, .only = true };
	assert_ok(live_trace_settle(&q.s, &q.sums, &q.live));
	assert_int_equal(q.live.callgraph.mode, CALLGRAPH_FP);
	assert_false(q.sums.with_lines);
	trace_selection_deinit(&q.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_follows),
		cmocka_unit_test(lines_and_sums),
		cmocka_unit_test(rings_times_and_stacks),
		cmocka_unit_test(recordings_have_less),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
