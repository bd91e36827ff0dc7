/* Which lines of a trace are chosen, and what statistics count beside them: by hand. */
#include "tracing/lines.h"

#include <errno.h>

#include "tracing/testing.h"

struct fixture {
	struct syscall_table *table;
	struct line_keeper keeper;
	struct trace_lines_setup setup;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	f->table = syscall_table_create(&arch_x86_64);
	f->keeper = LINE_KEEPER;
	f->setup = (struct trace_lines_setup){ .sink = &f->keeper.sink, .counts = true };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	syscall_table_destroy(f->table);
	free(f);
	return 0;
}

/* One call of thread 11 of process 10, from begin_ns to end_ns. */
static void call(const struct fixture *f, struct trace_lines *l, const char *name, uint64_t begin_ns, uint64_t end_ns, int64_t ret)
{
	struct syscall_event ev = call_named(f->table, name, 10, ret);
	struct trace_line line = { .kind = TRACE_LINE_CALL, .time_ns = begin_ns, .duration_ns = end_ns - begin_ns,
				   .has_duration = true, .tid = 11, .pid = 10, .call = &ev };
	trace_lines_call(l, &line, ev.desc->number);
}

static void entered(const struct fixture *f, struct trace_lines *l, const char *name, uint64_t time_ns)
{
	struct syscall_event ev = call_named(f->table, name, 10, 0);
	struct trace_line line = { .kind = TRACE_LINE_ENTERED, .time_ns = time_ns, .tid = 11, .pid = 10, .call = &ev };
	ev.has_ret = false;
	trace_lines_call(l, &line, ev.desc->number);
}

static void lines_count_from_the_first(void **state)
{
	struct fixture *f = *state;
	struct trace_lines *l = trace_lines_create(&f->setup);
	call(f, l, "read", 1000, 1500, 4);
	call(f, l, "close", 2000, 2100, 0);
	assert_int_equal(f->keeper.nr, 2);
	assert_int_equal(f->keeper.lines[1].line.first_ns, 1000);
	assert_int_equal(trace_lines_count(l), 2);
	trace_lines_destroy(l);

	f->keeper = LINE_KEEPER;
	l = trace_lines_create(&f->setup);
	trace_lines_begin_at(l, 400);
	trace_lines_begin_at(l, 100); /* the first word holds */
	call(f, l, "read", 1000, 1500, 4);
	assert_int_equal(f->keeper.lines[0].line.first_ns, 400);
	trace_lines_destroy(l);
}

static void failures_are_chosen(void **state)
{
	struct fixture *f = *state;
	f->setup.failures_only = true;
	struct trace_lines *l = trace_lines_create(&f->setup);
	call(f, l, "read", 1000, 1500, 4);
	call(f, l, "read", 2000, 2500, -EAGAIN);
	entered(f, l, "read", 3000);
	assert_int_equal(f->keeper.nr, 1);
	assert_int_equal(f->keeper.lines[0].ret, -EAGAIN);
	trace_lines_destroy(l);
}

static void long_calls_are_chosen(void **state)
{
	struct fixture *f = *state;
	f->setup.by_duration = true;
	f->setup.longer_than_ns = 500;
	struct trace_lines *l = trace_lines_create(&f->setup);
	call(f, l, "read", 1000, 1500, 4); /* not longer */
	call(f, l, "write", 2000, 2501, 4);
	assert_int_equal(f->keeper.nr, 1);
	assert_string_equal(f->keeper.lines[0].call, "write");
	trace_lines_finish(l);
	/* What has no line is counted all the same: two calls of two events. */
	assert_int_equal(trace_lines_stats(l)->events, 4);
	trace_lines_destroy(l);
}

static void it_ends_when_there_are_enough(void **state)
{
	struct fixture *f = *state;
	f->setup.max_lines = 2;
	struct trace_lines *l = trace_lines_create(&f->setup);
	call(f, l, "read", 1, 2, 0);
	assert_false(trace_lines_ended(l));
	call(f, l, "read", 3, 4, 0);
	assert_true(trace_lines_ended(l));
	call(f, l, "read", 5, 6, 0);
	assert_int_equal(f->keeper.nr, 2);
	trace_lines_destroy(l);
}

static void it_ends_when_the_sink_takes_no_more(void **state)
{
	struct fixture *f = *state;
	f->keeper.room = 1;
	struct trace_lines *l = trace_lines_create(&f->setup);
	call(f, l, "read", 1, 2, 0);
	assert_true(trace_lines_ended(l));
	trace_lines_destroy(l);
}

static void a_call_that_slept_goes_on(void **state)
{
	struct fixture *f = *state;
	struct trace_lines *l = trace_lines_create(&f->setup);
	entered(f, l, "read", 1000);
	call(f, l, "read", 1000, 9000, 7);
	call(f, l, "read", 9500, 9600, 7);
	assert_int_equal(f->keeper.lines[0].line.kind, TRACE_LINE_ENTERED);
	assert_true(f->keeper.lines[1].line.continued);
	assert_false(f->keeper.lines[2].line.continued);
	trace_lines_destroy(l);
}

/* fork returns twice; the child's return is an event of its own and no call. exit_group begins, and that is all of it. */
static void calls_are_counted_once(void **state)
{
	struct fixture *f = *state;
	struct trace_lines *l = trace_lines_create(&f->setup);
	call(f, l, "fork", 1000, 1400, 12);
	struct syscall_event ev = call_named(f->table, "fork", 12, 0);
	struct trace_line child = { .kind = TRACE_LINE_CALL, .time_ns = 1450, .start_unknown = true, .tid = 12, .pid = 12, .call = &ev };
	trace_lines_call(l, &child, ev.desc->number);
	entered(f, l, "exit_group", 2000);
	trace_lines_finish(l);
	const struct syscall_stats *s = trace_lines_stats(l);
	assert_int_equal(s->threads.len, 2);
	const struct syscall_thread *few = &s->threads.data[0], *many = &s->threads.data[1];
	assert_int_equal(few->tid, 12);
	assert_int_equal(few->events, 1);
	assert_int_equal(few->rows.len, 0);
	assert_int_equal(many->tid, 11);
	assert_int_equal(many->events, 3);
	assert_int_equal(many->rows.len, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(many->rows.data[i].calls, 1);
	assert_string_equal(many->rows.data[0].name, "fork");
	assert_int_equal(many->rows.data[0].total_ns, 400);
	assert_string_equal(many->rows.data[1].name, "exit_group");
	assert_true(many->rows.data[1].never_returns);
	trace_lines_destroy(l);
}

static void statistics_alone_have_no_lines_of_calls(void **state)
{
	struct fixture *f = *state;
	f->setup.only_stats = true;
	f->setup.by = SYSCALL_STATS_BY_NOTHING;
	struct trace_lines *l = trace_lines_create(&f->setup);
	call(f, l, "read", 1000, 1500, 4);
	call(f, l, "read", 2000, 2300, -EINTR);
	trace_lines_finish(l);
	assert_int_equal(f->keeper.nr, 0);
	const struct syscall_stats *s = trace_lines_stats(l);
	assert_int_equal(s->threads.len, 1);
	const struct syscall_stat *row = &s->threads.data[0].rows.data[0];
	assert_int_equal(row->calls, 2);
	assert_int_equal(row->errors, 1);
	assert_int_equal(row->total_ns, 800);
	assert_int_equal(row->errnos.data[0].errnum, EINTR);
	trace_lines_destroy(l);
}

static void tasks_are_called_what_they_were_called_last(void **state)
{
	struct fixture *f = *state;
	struct trace_lines *l = trace_lines_create(&f->setup);
	trace_lines_rename(l, 11, 10, "before", 6);
	call(f, l, "read", 1, 2, 0);
	trace_lines_rename(l, 11, 10, "a name that is far too long", 27);
	call(f, l, "read", 3, 4, 0);
	assert_string_equal(f->keeper.lines[0].comm, "before");
	assert_string_equal(f->keeper.lines[1].comm, "a name that is f");
	trace_lines_finish(l);
	assert_string_equal(trace_lines_stats(l)->threads.data[0].comm, "a name that is f");
	trace_lines_destroy(l);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(lines_count_from_the_first),
		TEST(failures_are_chosen),
		TEST(long_calls_are_chosen),
		TEST(it_ends_when_there_are_enough),
		TEST(it_ends_when_the_sink_takes_no_more),
		TEST(a_call_that_slept_goes_on),
		TEST(calls_are_counted_once),
		TEST(statistics_alone_have_no_lines_of_calls),
		TEST(tasks_are_called_what_they_were_called_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
