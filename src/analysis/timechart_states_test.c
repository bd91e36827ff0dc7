#include "base/testing.h"

#include <stdio.h>

#include "analysis/timechart_replay.h"
#include "analysis/timechart_states.h"

struct fixture {
	struct time_chart chart;
	struct timechart_states s;
};

static struct fixture begin(void)
{
	struct fixture f = {};
	time_chart_init(&f.chart);
	f.s = (struct timechart_states){ .io_min_ns = 100, .io_merge_ns = 10 };
	return f;
}

static void end(struct fixture *f)
{
	timechart_states_deinit(&f->s);
	time_chart_deinit(&f->chart);
}

static void put(struct fixture *f, uint64_t ns, uint32_t cpu, int32_t prev, uint64_t state, int32_t next)
{
	struct timechart_switch e = { .time_ns = ns, .cpu = cpu, .prev = prev, .next = next, .prev_state = state, .prev_name = "p",
				      .next_name = "n" };
	f->s.chart = &f->chart;
	timechart_states_time(&f->s, ns);
	timechart_states_switch(&f->s, &e);
}

/* A task's spans, as letters and times: "R10-20 W20-30". */
static void expect(struct fixture *f, int32_t pid, const char *expected)
{
	char text[256], *at = text;
	const struct time_task *t = time_chart_find(&f->chart, pid);
	*text = '\0';
	assert_non_null(t);
	for (size_t i = 0; i < t->rows.len; i++)
		for (size_t j = 0; j < t->rows.data[i].spans.len; j++) {
			const struct time_span *s = &t->rows.data[i].spans.data[j];
			at += snprintf(at, (size_t)(text + sizeof(text) - at), "%s%c%llu-%llu", *text ? " " : "", "?RWB"[s->kind],
				       (unsigned long long)s->start_ns, (unsigned long long)s->end_ns);
		}
	assert_string_equal(text, expected);
}

static void wake(struct fixture *f, uint64_t ns, int32_t wakee)
{
	struct time_wake w = { .time_ns = ns, .waker = 9, .wakee = wakee };
	f->s.chart = &f->chart;
	timechart_states_time(&f->s, ns);
	timechart_states_wake(&f->s, &w, 0);
}

static void states_of_tasks(void **state)
{
	struct fixture f = begin();
	put(&f, 100, 0, 0, 0, 5);      /* 5 runs */
	put(&f, 110, 0, 5, 1, 6);      /* sleeps: nothing is drawn */
	wake(&f, 150, 5);
	put(&f, 160, 0, 6, 0x100, 5);  /* 6 is preempted */
	put(&f, 170, 0, 5, 2, 6);      /* blocks */
	wake(&f, 180, 5);
	put(&f, 200, 0, 6, 0, 5);      /* 6 yields */
	put(&f, 230, 0, 5, 0x40 | 2, 0);
	timechart_states_finish(&f.s);
	expect(&f, 5, "R100-110 W150-160 R160-170 B170-180 W180-200 R200-230");
	expect(&f, 6, "R110-160 W160-170 R170-200 W200-230");
	assert_null(time_chart_find(&f.chart, 0));
	assert_int_equal(time_chart_find(&f.chart, 5)->rows.data[0].running_ns, 50);
	end(&f);
}

static void times_that_jump(void **state)
{
	struct fixture f = begin();
	put(&f, 100, 0, 0, 0, 5);
	put(&f, 90, 0, 5, 1, 6); /* backwards: no span of less than nothing */
	put(&f, 120, 9000, 6, 1, 5);
	timechart_states_finish(&f.s);
	expect(&f, 5, "");
	expect(&f, 6, "R90-120");
	assert_int_equal(f.chart.cpus_nr, 1);
	end(&f);
}

static void names_and_rows(void **state)
{
	struct fixture f = begin();
	struct time_chart *c = &f.chart;
	time_chart_name(c, 5, "sh");
	f.s.chart = c;
	timechart_states_fork(&f.s, 7, 5, 50);
	put(&f, 100, 0, 0, 0, 7);
	time_chart_name(c, 7, "ls");
	put(&f, 140, 0, 7, 1, 0);
	timechart_states_exit(&f.s, 7, 150);
	timechart_states_finish(&f.s);
	const struct time_task *t = time_chart_find(c, 7);
	assert_int_equal(t->rows.len, 2);
	assert_string_equal(t->rows.data[0].name, "sh");
	assert_string_equal(t->rows.data[1].name, "ls");
	assert_int_equal(t->rows.data[1].running_ns, 40);
	struct time_chart_choice by_time = { .rows_min = 1 };
	assert_int_equal(time_chart_choose(c, &by_time), 1);
	const char *const sh[] = { "sh" }, *const pid[] = { "7" };
	struct time_chart_choice by_name = { .names = sh, .names_nr = 1, .rows_min = 1 };
	assert_int_equal(time_chart_choose(c, &by_name), 2);
	by_name.names = pid;
	assert_int_equal(time_chart_choose(c, &by_name), 2);
	assert_int_equal(time_chart_choose(c, &(struct time_chart_choice){}), 0);
	end(&f);
}

static void power(void **state)
{
	struct fixture f = begin();
	f.s.chart = &f.chart;
	timechart_states_time(&f.s, 100);
	timechart_states_idle(&f.s, 1, 0, true, 120); /* began before the recording */
	timechart_states_idle(&f.s, 1, 3, false, 130);
	timechart_states_idle(&f.s, 1, 0, true, 150);
	timechart_states_idle(&f.s, 1, 0, true, 155); /* ends twice */
	timechart_states_speed(&f.s, 0, 2000000, 140);
	timechart_states_speed(&f.s, 0, 9000000, 145); /* cannot be */
	timechart_states_time(&f.s, 200);
	timechart_states_finish(&f.s);
	assert_int_equal(f.chart.power.len, 5);
	const struct time_power *p = f.chart.power.data;
	assert_true(p[0].start_ns == 100 && p[0].end_ns == 120 && p[1].state == 3 && p[1].start_ns == 130 && p[1].end_ns == 150);
	assert_true(p[2].is_frequency && p[2].start_ns == 100 && p[2].end_ns == 140);
	assert_true(p[3].state == 2000000 && p[3].end_ns == 200 && p[4].cpu == 1 && p[4].state == 2000000);
	end(&f);
}

static void calls(void **state)
{
	struct fixture f = begin();
	f.s.chart = &f.chart;
	timechart_states_io_end(&f.s, 5, TIME_IO_READ, 7, 10); /* began before */
	timechart_states_io_begin(&f.s, 5, TIME_IO_READ, 3, 1000);
	timechart_states_io_end(&f.s, 5, TIME_IO_READ, 512, 1020);
	timechart_states_io_begin(&f.s, 5, TIME_IO_READ, 3, 1105); /* 5 after the end of the first, which is drawn until 1100 */
	timechart_states_io_end(&f.s, 5, TIME_IO_READ, 100, 1305);
	timechart_states_io_begin(&f.s, 5, TIME_IO_WRITE, 4, 1400);
	timechart_states_io_end(&f.s, 5, TIME_IO_READ, 1, 1500); /* another kind */
	timechart_states_io_end(&f.s, 5, TIME_IO_WRITE, -11, 1600);
	const struct time_row *r = &time_chart_find(&f.chart, 5)->rows.data[0];
	assert_int_equal(r->ios.len, 2);
	assert_int_equal(r->bytes, 612);
	const struct time_io *io = r->ios.data;
	assert_true(io[0].start_ns == 1000 && io[0].end_ns == 1305 && io[0].merges == 1 && io[0].bytes == 612);
	assert_true(io[1].error == -11 && io[1].fd == 4);
	assert_int_equal(f.chart.ios, 3);
	end(&f);
}

static void times_have_units_or_are_nanoseconds(void **state)
{
	(void)state;
	uint64_t ns = 0;
	assert_null(timechart_time_parse("1500", &ns));
	assert_int_equal(ns, 1500);
	assert_null(timechart_time_parse("10us", &ns));
	assert_int_equal(ns, 10000);
	assert_null(timechart_time_parse("5ms", &ns));
	assert_int_equal(ns, 5000000);
	assert_fails(timechart_time_parse("soon", &ns), ERROR_USAGE);
	assert_fails(timechart_time_parse("us", &ns), ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_of_tasks), cmocka_unit_test(times_that_jump), cmocka_unit_test(names_and_rows),
		cmocka_unit_test(power), cmocka_unit_test(calls),
		cmocka_unit_test(times_have_units_or_are_nanoseconds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
