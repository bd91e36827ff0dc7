/* Events of the BPF programs as lines: written by hand as bpf/trace/trace_shared.h lays them out. */
#include "tracing/calls.h"

#include "tracing/testing.h"

struct fixture {
	struct line_keeper keeper;
	struct trace_calls calls;
	struct path_choice path;
	struct syscall_table *native, *compat;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	f->native = syscall_table_create(&arch_x86_64);
	f->compat = syscall_table_create(&arch_i386);
	f->keeper = LINE_KEEPER;
	struct trace_lines_setup setup = { .sink = &f->keeper.sink, .counts = true };
	f->calls = (struct trace_calls){ .native = f->native, .compat = f->compat, .path = &f->path, .signals = true,
					 .processes = true, .lines = trace_lines_create(&setup) };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	trace_lines_destroy(f->calls.lines);
	syscall_table_destroy(f->native);
	syscall_table_destroy(f->compat);
	free(f);
	return 0;
}

struct made_event {
	struct trace_event head;
	uint64_t args[6];
	char payload[16];
};

static void take(const struct fixture *f, struct made_event *ev, unsigned args_nr, const char *payload)
{
	uint8_t bytes[sizeof(*ev)];
	size_t n = sizeof(ev->head) + args_nr * sizeof(uint64_t), more = payload ? strlen(payload) + 1 : 0;
	ev->head.args_nr = (uint8_t)args_nr;
	memcpy(bytes, ev, n);
	memcpy(bytes + n, payload ? payload : "", more);
	struct made_event whole;
	memcpy(&whole, bytes, n + more);
	trace_calls_take(&f->calls, &whole.head, n + more, NULL, 0);
}

static struct made_event event(uint8_t type, uint32_t tid, uint64_t time_ns)
{
	return (struct made_event){ .head = { .type = type, .tid = tid, .pid = tid, .time_ns = time_ns } };
}

static void calls_have_a_beginning_and_an_end(void **state)
{
	struct fixture *f = *state;
	struct made_event ev = event(TRACE_EVENT_CALL, 7, 1500);
	ev.head.start_ns = 1000;
	ev.head.number = 3; /* close */
	ev.args[0] = 4;
	take(f, &ev, 1, NULL);
	ev.head.start_ns = 0; /* it began before the trace */
	take(f, &ev, 1, NULL);
	const struct kept_line *l = f->keeper.lines;
	assert_string_equal(l[0].call, "close");
	assert_int_equal(l[0].line.time_ns, 1000);
	assert_true(l[0].line.has_duration);
	assert_int_equal(l[0].line.duration_ns, 500);
	assert_true(l[1].line.start_unknown);
	assert_false(l[1].line.has_duration);
	assert_int_equal(l[1].line.time_ns, 1500);
}

static void calls_of_32_bit_programs_have_their_own_numbers(void **state)
{
	struct fixture *f = *state;
	struct made_event ev = event(TRACE_EVENT_CALL, 7, 1500);
	ev.head.number = 3;
	ev.head.flags = TRACE_FLAG_COMPAT;
	take(f, &ev, 0, NULL);
	assert_string_equal(f->keeper.lines[0].call, "read");
	ev.head.number = 511; /* not in either table: named as by strace */
	take(f, &ev, 0, NULL);
	assert_string_equal(f->keeper.lines[1].call, "syscall_0x1ff");
	assert_ptr_equal(f->keeper.lines[1].arch, &arch_i386);
	ev.head.flags = 0;
	take(f, &ev, 0, NULL);
	assert_ptr_equal(f->keeper.lines[2].arch, &arch_x86_64);
}

static void tasks_start_are_named_and_end(void **state)
{
	struct fixture *f = *state;
	struct made_event fork = event(TRACE_EVENT_FORK, 7, 10), exec = event(TRACE_EVENT_EXEC, 8, 20),
			  end = event(TRACE_EVENT_EXIT, 8, 30);
	fork.args[0] = fork.args[1] = 8;
	take(f, &fork, 2, "parent");
	take(f, &exec, 0, "child");
	end.head.ret = 9; /* as wait(2) has it: killed */
	end.args[2] = 1;
	take(f, &end, 3, NULL);
	assert_int_equal(f->keeper.nr, 2);
	assert_int_equal(f->keeper.lines[0].line.kind, TRACE_LINE_FORK);
	assert_int_equal(f->keeper.lines[0].line.child_pid, 8);
	assert_int_equal(f->keeper.lines[1].line.kind, TRACE_LINE_EXIT);
	assert_string_equal(f->keeper.lines[1].comm, "child");
	assert_int_equal(f->keeper.lines[1].line.exit_code, 9);
	assert_true(f->keeper.lines[1].line.last_thread);
}

/* Of tasks that are not traced the events are for knowing them, not for showing. */
static void what_is_aside_has_no_line(void **state)
{
	struct fixture *f = *state;
	struct made_event fork = event(TRACE_EVENT_FORK, 7, 10), ev = event(TRACE_EVENT_CALL, 8, 20);
	fork.head.flags = TRACE_FLAG_ASIDE;
	fork.args[0] = fork.args[1] = 8;
	take(f, &fork, 2, "stranger");
	assert_int_equal(f->keeper.nr, 0);
	take(f, &ev, 0, NULL);
	assert_string_equal(f->keeper.lines[0].comm, "stranger");
}

static void events_with_too_few_words_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct made_event fork = event(TRACE_EVENT_FORK, 7, 10), end = event(TRACE_EVENT_EXIT, 7, 20),
			  killed = event(TRACE_EVENT_SIGNAL, 7, 30), odd = event(200, 7, 40);
	take(f, &fork, 1, NULL);
	take(f, &end, 2, NULL);
	take(f, &killed, 0, NULL);
	take(f, &odd, 6, NULL);
	assert_int_equal(f->keeper.nr, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(calls_have_a_beginning_and_an_end),
		TEST(calls_of_32_bit_programs_have_their_own_numbers),
		TEST(tasks_start_are_named_and_end),
		TEST(what_is_aside_has_no_line),
		TEST(events_with_too_few_words_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
