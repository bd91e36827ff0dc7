/* Calls of functions as nested lines, out of events that are written by hand as bpf/trace/trace_shared.h lays them out. */
#include "tracing/func_calls.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/testing.h"

#define LINES_MAX 16

struct keeper {
	struct trace_sink sink;
	unsigned nr;
	struct {
		enum trace_func_part part;
		uint32_t func, depth;
		bool has_ret;
		uint64_t arg, ret, duration_ns;
	} line[LINES_MAX];
};

struct fixture {
	struct keeper keeper;
	struct func_choice choice;
	struct func_calls_setup setup;
	struct func_calls *calls;
};

static bool keep(struct trace_sink *sink, const struct trace_line *line)
{
	struct keeper *k = (struct keeper *)sink;
	assert_true(k->nr < LINES_MAX);
	k->line[k->nr].part = line->func_part;
	k->line[k->nr].func = (uint32_t)(line->func->func->address);
	k->line[k->nr].depth = line->depth;
	k->line[k->nr].has_ret = line->func->has_ret;
	k->line[k->nr].arg = line->func->arg[0];
	k->line[k->nr].ret = line->func->ret;
	k->line[k->nr++].duration_ns = line->duration_ns;
	return true;
}

static void begin(struct fixture *f)
{
	struct trace_lines_setup lines = { .sink = &f->keeper.sink };
	f->setup.choice = &f->choice;
	f->setup.lines = trace_lines_create(&lines);
	f->calls = func_calls_create(&f->setup);
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	f->keeper.sink.line = keep;
	func_choice_init(&f->choice);
	for (uint64_t i = 0; i < 3; i++)
		vec_push(&f->choice.funcs, ((struct func){ .name = "f", .file = "x", .address = i }));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	func_calls_destroy(f->calls);
	trace_lines_destroy(f->setup.lines);
	func_choice_deinit(&f->choice);
	free(f);
	return 0;
}

#define NORMAL 0x401234 /* a return address that the kernel has not replaced */
#define JUMPED 0x7f0000001000

/* word: of a call where it returns to, of a return its result. */
static void take(struct fixture *f, uint8_t type, uint32_t func, uint64_t time_ns, uint64_t stack, uint64_t word)
{
	struct {
		struct trace_event ev;
		uint64_t arg[TRACE_FUNC_ARGS];
	} e = { { .time_ns = time_ns, .start_ns = stack, .tid = 7, .pid = 7, .number = func, .type = type, .args_nr = TRACE_FUNC_ARGS,
		  .ret = (int64_t)word }, { time_ns } };
	func_calls_take(f->calls, &e.ev, sizeof(e), NULL, 0);
}

static void check(const struct fixture *f, unsigned i, enum trace_func_part part, uint32_t func, uint32_t depth)
{
	assert_true(i < f->keeper.nr);
	assert_int_equal(f->keeper.line[i].part, part);
	assert_int_equal(f->keeper.line[i].func, func);
	assert_int_equal(f->keeper.line[i].depth, depth);
}

static void test_nesting(void **state)
{
	struct fixture *f = *state;
	begin(f);
	take(f, TRACE_EVENT_FUNC, 0, 10, 0x1000, NORMAL);
	assert_int_equal(f->keeper.nr, 0); /* whether it calls anything is not known yet */
	take(f, TRACE_EVENT_FUNC, 1, 20, 0xf00, NORMAL);
	take(f, TRACE_EVENT_FUNC_RETURN, 1, 25, 0xf00, 42);
	take(f, TRACE_EVENT_FUNC_RETURN, 0, 40, 0x1000, 43);
	assert_int_equal(f->keeper.nr, 3);
	check(f, 0, TRACE_FUNC_OPENS, 0, 0);
	check(f, 1, TRACE_FUNC_WHOLE, 1, 1);
	check(f, 2, TRACE_FUNC_CLOSES, 0, 0);
	assert_int_equal(f->keeper.line[1].duration_ns, 5);
	assert_int_equal(f->keeper.line[1].ret, 42);
	assert_int_equal(f->keeper.line[1].arg, 20);
	assert_int_equal(f->keeper.line[2].duration_ns, 30);
	assert_int_equal(func_calls_rows(f->calls)[0].calls, 1);
	assert_int_equal(func_calls_rows(f->calls)[1].total_ns, 5);
}

/* Calls that longjmp() has left: by a call higher up, by a return higher up, by one at the same place. */
static void test_left(void **state)
{
	struct fixture *f = *state;
	begin(f);
	take(f, TRACE_EVENT_FUNC, 0, 1, 0x1000, NORMAL);
	take(f, TRACE_EVENT_FUNC, 1, 2, 0xf00, NORMAL);
	take(f, TRACE_EVENT_FUNC, 2, 3, 0xf80, NORMAL); /* 1 is gone */
	take(f, TRACE_EVENT_FUNC, 2, 4, 0xf80, NORMAL); /* so is the one before */
	take(f, TRACE_EVENT_FUNC_RETURN, 0, 5, 0x1000, 9);
	assert_int_equal(f->keeper.nr, 5);
	check(f, 0, TRACE_FUNC_OPENS, 0, 0);
	check(f, 1, TRACE_FUNC_WHOLE, 1, 1);
	check(f, 2, TRACE_FUNC_WHOLE, 2, 1);
	check(f, 3, TRACE_FUNC_WHOLE, 2, 1);
	check(f, 4, TRACE_FUNC_CLOSES, 0, 0);
	for (unsigned i = 1; i < 4; i++)
		assert_false(f->keeper.line[i].has_ret);
	assert_int_equal(f->keeper.line[4].ret, 9);
}

/* The last deed of one is a jump to another: both return at once, the other first. */
static void test_jump(void **state)
{
	struct fixture *f = *state;
	begin(f);
	take(f, TRACE_EVENT_FUNC, 0, 1, 0x1000, NORMAL);
	take(f, TRACE_EVENT_FUNC, 1, 2, 0x1000, JUMPED);
	take(f, TRACE_EVENT_FUNC_RETURN, 1, 3, 0x1000, 5);
	take(f, TRACE_EVENT_FUNC_RETURN, 0, 4, 0x1000, 5);
	check(f, 0, TRACE_FUNC_OPENS, 0, 0);
	check(f, 1, TRACE_FUNC_WHOLE, 1, 1);
	check(f, 2, TRACE_FUNC_CLOSES, 0, 0);
	assert_true(f->keeper.line[2].has_ret);
}

static void test_durations(void **state)
{
	struct fixture *f = *state;
	f->setup.by_duration = true;
	f->setup.longer_than_ns = 100;
	begin(f);
	take(f, TRACE_EVENT_FUNC, 0, 0, 0x1000, NORMAL);
	take(f, TRACE_EVENT_FUNC, 1, 10, 0xf00, NORMAL);
	take(f, TRACE_EVENT_FUNC_RETURN, 1, 20, 0xf00, 0); /* too short */
	assert_int_equal(f->keeper.nr, 0);
	take(f, TRACE_EVENT_FUNC, 2, 30, 0xf00, NORMAL);
	take(f, TRACE_EVENT_FUNC_RETURN, 2, 200, 0xf00, 0); /* then its caller is long enough, too */
	take(f, TRACE_EVENT_FUNC_RETURN, 0, 210, 0x1000, 0);
	assert_int_equal(f->keeper.nr, 3);
	check(f, 0, TRACE_FUNC_OPENS, 0, 0);
	check(f, 1, TRACE_FUNC_WHOLE, 2, 1);
	check(f, 2, TRACE_FUNC_CLOSES, 0, 0);
}

/* Returns without a call, calls without a return, and numbers that no function has. */
static void test_halves(void **state)
{
	struct fixture *f = *state;
	begin(f);
	take(f, TRACE_EVENT_FUNC_RETURN, 1, 5, 0x1000, 3);
	check(f, 0, TRACE_FUNC_WHOLE, 1, 0);
	take(f, TRACE_EVENT_FUNC, 99, 6, 0x1000, NORMAL);
	take(f, TRACE_EVENT_FUNC, 2, 7, 0x1000, NORMAL);
	func_calls_finish(f->calls);
	func_calls_finish(f->calls);
	assert_int_equal(f->keeper.nr, 2);
	check(f, 1, TRACE_FUNC_WHOLE, 2, 0);
	assert_false(f->keeper.line[1].has_ret);
}

/* A function whose returns are not seen has one line, whatever follows its event. */
static void test_entry_only(void **state)
{
	struct fixture *f = *state;
	f->choice.funcs.data[1].entry_only = true;
	begin(f);
	take(f, TRACE_EVENT_FUNC, 0, 1, 0x1000, NORMAL);
	take(f, TRACE_EVENT_FUNC, 1, 2, 0xf00, NORMAL);
	take(f, TRACE_EVENT_FUNC_RETURN, 0, 3, 0x1000, 6);
	assert_int_equal(f->keeper.nr, 3);
	check(f, 1, TRACE_FUNC_WHOLE, 1, 1);
	assert_false(f->keeper.line[1].has_ret);
	assert_int_equal(func_calls_rows(f->calls)[1].calls, 1);
	assert_int_equal(func_calls_rows(f->calls)[1].returns, 0);
}

/* What a task waits in is shown before it returns. */
static void test_long(void **state)
{
	struct fixture *f = *state;
	begin(f);
	take(f, TRACE_EVENT_FUNC, 0, 1000, 0x1000, NORMAL);
	func_calls_tick(f->calls, 60000000);
	assert_int_equal(f->keeper.nr, 0);
	func_calls_tick(f->calls, 160000000);
	assert_int_equal(f->keeper.nr, 1);
	check(f, 0, TRACE_FUNC_OPENS, 0, 0);
	take(f, TRACE_EVENT_FUNC_RETURN, 0, 170000000, 0x1000, 4);
	check(f, 1, TRACE_FUNC_CLOSES, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nesting, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_left, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_jump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_durations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_halves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_entry_only, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
