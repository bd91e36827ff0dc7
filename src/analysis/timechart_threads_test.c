#include "base/testing.h"

#include <stdio.h>
#include <string.h>

#include "analysis/timechart_threads.h"

struct fixture {
	struct time_chart chart;
	struct timechart_threads t;
};

static void begin(struct fixture *f, bool has_wakes)
{
	time_chart_init(&f->chart);
	timechart_threads_init(&f->t, &f->chart, has_wakes);
}

static void end(struct fixture *f)
{
	timechart_threads_deinit(&f->t);
	time_chart_deinit(&f->chart);
}

static struct timechart_switch a_switch(uint64_t ns, uint32_t cpu, int32_t prev, int32_t next)
{
	return (struct timechart_switch){ .time_ns = ns, .cpu = cpu, .prev = prev, .next = next, .prev_name = "p", .next_name = "n" };
}

static void put(struct fixture *f, uint64_t ns, uint32_t cpu, int32_t prev, char letter, int32_t next)
{
	struct timechart_switch e = a_switch(ns, cpu, prev, next);
	timechart_threads_switch(&f->t, &e, letter);
	f->chart.last_ns = ns;
}

static void wake(struct fixture *f, uint64_t ns, int32_t waker, int32_t wakee)
{
	struct time_wake w = { .time_ns = ns, .waker = waker, .wakee = wakee };
	timechart_threads_wake(&f->t, &w, 0, false);
}

/* A task's spans, as letters and times: "R10-20 S20-30"; in brackets why, a star where it was preempted. */
static void expect(struct fixture *f, int32_t tid, const char *expected)
{
	char text[512] = "", *at = text;
	const struct time_task *t = time_chart_find(&f->chart, tid);
	assert_non_null(t);
	for (size_t i = 0; i < t->rows.len; i++)
		for (size_t j = 0; j < t->rows.data[i].spans.len; j++) {
			const struct time_span *s = &t->rows.data[i].spans.data[j];
			at += snprintf(at, (size_t)(text + sizeof(text) - at), "%s%c%s%llu-%llu", *text ? " " : "", "?RWBSTU"[s->kind],
				       s->is_preempted ? "*" : "", (unsigned long long)s->start_ns, (unsigned long long)s->end_ns);
			if (s->reason)
				at += snprintf(at, (size_t)(text + sizeof(text) - at), "(%s)", s->reason);
		}
	assert_string_equal(text, expected);
}

static void all_states(void **state)
{
	struct fixture f;
	begin(&f, true);
	put(&f, 100, 0, 0, 'R', 5);
	put(&f, 110, 0, 5, 'S', 6);  /* 5 sleeps */
	wake(&f, 150, 6, 5);
	put(&f, 160, 0, 6, 'R', 5);  /* 6 is preempted */
	put(&f, 170, 0, 5, 'D', 6);  /* 5 blocks */
	put(&f, 180, 0, 6, 'T', 5);  /* and runs without a wakeup; 6 is stopped */
	put(&f, 200, 0, 5, 'X', 0);  /* 5 ends */
	timechart_threads_finish(&f.t);
	expect(&f, 5, "R100-110 S110-150 W150-160 R160-170 B170-180(its wake-up was not recorded) R180-200");
	expect(&f, 6, "R110-160 W*160-170 R170-180 T180-200");
	assert_null(time_chart_find(&f.chart, 0));
	assert_int_equal(f.chart.wakes.len, 1);
	assert_int_equal(f.chart.cpus_nr, 1);
	end(&f);
}

/* Stacks: of a wait the one that began it, of running the one that ended it, of waiting for a CPU the waker's. */
static void stacks_of_spans(void **state)
{
	struct fixture f;
	begin(&f, true);
	struct time_stack *leaves = time_chart_stack(&f.chart, 0), *wakes = time_chart_stack(&f.chart, 0);
	struct timechart_switch e = a_switch(10, 0, 0, 5);
	timechart_threads_switch(&f.t, &e, 'R');
	e = a_switch(20, 0, 5, 0);
	e.stack = leaves;
	timechart_threads_switch(&f.t, &e, 'S');
	timechart_threads_wake(&f.t, &(struct time_wake){ .time_ns = 30, .waker = -1, .wakee = 5, .stack = wakes }, 0, false);
	e = a_switch(40, 0, 0, 5);
	timechart_threads_switch(&f.t, &e, 'R');
	const struct time_row *r = time_task_row(time_chart_task(&f.chart, 5));
	assert_int_equal(r->spans.len, 3);
	assert_ptr_equal(r->spans.data[0].stack, leaves);
	assert_ptr_equal(r->spans.data[1].stack, leaves);
	assert_ptr_equal(r->spans.data[2].stack, wakes);
	assert_int_equal(wakes->number, 1);
	end(&f);
}

/* Context-switch records of the recorded threads alone: what else runs is not known; of whole CPUs both sides write one. */
static void switch_records(void **state)
{
	struct fixture f;
	begin(&f, false);
	const struct {
		uint64_t ns;
		int32_t prev, next;
		bool is_preempted;
	} records[] = { { 10, 0, 5, false }, { 20, 5, 0, false }, { 20, 0, 6, false }, { 35, 6, 0, true }, { 40, 0, 6, false },
			{ 50, 6, 5, false }, { 50, 6, 5, false }, { 70, 5, 0, false } };
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		struct timechart_switch e = a_switch(records[i].ns, 1, records[i].prev, records[i].next);
		timechart_threads_record(&f.t, &e, records[i].is_preempted);
	}
	expect(&f, 5, "R10-20 S20-50 R50-70");
	expect(&f, 6, "R20-35 W*35-40 R40-50");
	end(&f);
}

static void records_without_cpus(void **state)
{
	struct fixture f;
	begin(&f, false);
	timechart_threads_come(&f.t, 5, 10);
	timechart_threads_go(&f.t, 5, 30, true);
	timechart_threads_come(&f.t, 5, 35);
	timechart_threads_go(&f.t, 5, 50, false);
	timechart_threads_come(&f.t, 5, 90);
	timechart_threads_go(&f.t, 6, 95, false); /* when it came is not known */
	timechart_threads_come(&f.t, 6, 99);
	timechart_threads_end(&f.t, 6, 110);
	expect(&f, 5, "R10-30 W*30-35 R35-50 S50-90");
	expect(&f, 6, "S95-99 R99-110");
	end(&f);
}

static void span(struct fixture *f, uint64_t start_ns, uint64_t end_ns, enum time_span_kind kind)
{
	struct timechart_thread_span e = { .tid = 7, .name = "n",
					   .span = { .start_ns = start_ns, .end_ns = end_ns, .kind = (uint8_t)kind, .cpu = TIME_NO_CPU } };
	timechart_threads_span(&f->t, &e);
}

static void waits_and_clocks(void **state)
{
	struct fixture f;
	begin(&f, false);
	span(&f, 0, 10, TIME_SPAN_RUNNING);
	span(&f, 10, 50, TIME_SPAN_SLEEPING);
	span(&f, 45, 60, TIME_SPAN_RUNNING); /* a period that began before the wait ended */
	span(&f, 20, 55, TIME_SPAN_BLOCKED); /* a sum of waits that is written late */
	span(&f, 80, 90, TIME_SPAN_WAITING);
	expect(&f, 7, "R0-10 S10-50 R50-60 W80-90");
	assert_int_equal(f.chart.cpus_nr, 0);
	end(&f);
}

/* A wait is written when its thread runs again, and then how long that waited for a CPU. */
static void waits_end_with_wakeups(void **state)
{
	struct fixture f;
	begin(&f, false);
	span(&f, 0, 10, TIME_SPAN_RUNNING);
	span(&f, 40, 90, TIME_SPAN_SLEEPING);
	vec_push(&f.chart.wakes, ((struct time_wake){ .time_ns = 90, .waker = 3, .wakee = 7 }));
	vec_push(&f.chart.wakes, ((struct time_wake){ .time_ns = 90, .waker = 3, .wakee = 8 }));
	struct timechart_thread_span e = { .tid = 7, .is_after_wake = true,
					   .span = { .start_ns = 62, .end_ns = 92, .kind = TIME_SPAN_WAITING, .cpu = TIME_NO_CPU } };
	timechart_threads_span(&f.t, &e);
	expect(&f, 7, "R0-10 S12-62 W62-92");
	assert_int_equal(f.chart.wakes.data[0].time_ns, 62);
	assert_int_equal(f.chart.wakes.data[1].time_ns, 90);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_states),
		cmocka_unit_test(stacks_of_spans),
		cmocka_unit_test(switch_records),
		cmocka_unit_test(records_without_cpus),
		cmocka_unit_test(waits_and_clocks),
		cmocka_unit_test(waits_end_with_wakeups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
