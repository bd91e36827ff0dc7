/* Command lines of record; those for all calls are known from perf-trace(1), the filter is by numbers of the table. */
#include "base/testing.h"

#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "tracing/recorded.h"

static void expect(const struct trace_selection *s, const char *text)
{
	struct arena arena;
	struct strbuf line = {};
	arena_init(&arena);
	struct recorded_words words = { .arena = &arena };
	assert_ok(trace_recorded_words(s, &words));
	for (size_t i = 0; i < words.list.len; i++)
		if (strncmp(words.list.data[i], "--user-regs=", 12)) /* of this architecture */
			strbuf_addf(&line, "%s%s", line.len ? " " : "", words.list.data[i]);
	assert_string_equal(strbuf_str(&line), text);
	strbuf_deinit(&line);
	vec_deinit(&words.list);
	arena_deinit(&arena);
}

#define FIRST "record -R -m 1024 -c 1"

static void calls_events_and_faults(void **state)
{
	struct trace_selection s = {};
	trace_selection_init(&s);
	expect(&s, FIRST " -e raw_syscalls:sys_enter,raw_syscalls:sys_exit");
	s.minor_faults = true;
	expect(&s, FIRST " -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -e minor-faults -d");
	s.syscalls_set = true; /* --no-syscalls */
	event_list_add(&s.events, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	s.major_faults = true;
	expect(&s, FIRST " -e cpu-clock -e major-faults -e minor-faults -d");
	trace_selection_deinit(&s);
}

static void wrong_calls(void **state)
{
	struct trace_selection s = {};
	struct arena arena;
	trace_selection_init(&s);
	s.calls = xstrdup("nosuchcall");
	arena_init(&arena);
	struct recorded_words words = { .arena = &arena };
	struct strobe_error *err = trace_recorded_words(&s, &words);
	assert_non_null(err);
	/* An architecture without a table of system calls knows no name at all. */
	assert_non_null(strstr(err->message, error_is(err, ERROR_UNSUPPORTED) ? "no system call table" : "nosuchcall"));
	error_destroy(err);
	assert_int_equal(words.list.len, 0);
	arena_deinit(&arena);
	trace_selection_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_events_and_faults),
		cmocka_unit_test(wrong_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
