#include "ftrace/duration.h"

#include "base/testing.h"

/* Lines of Linux 6.1. */
static void durations_are_those_of_the_lines(void **state)
{
	static const struct {
		const char *line;
		bool has;
		double us;
		const char *function;
	} rows[] = {
		{ " 1)   4.889 us    |    do_filp_open();", true, 4.889, "do_filp_open" },
		{ " 1) + 10.291 us   |  xfs_read [xfs]();", true, 10.291, "xfs_read [xfs]" },
		{ " 0)   1.254 us    |      } /* auditd_test_task */", true, 1.254, "auditd_test_task" },
		{ " 0) $ 1234567 us  |  } /* xfs_read [xfs] */", true, 1234567, "xfs_read [xfs]" },
		{ " 12) @ 123456.7 us |  }", true, 123456.7, "" },
		{ " 0)   0.271 us    |        f(0x1, 2); /* = 0x0 */", true, 0.271, "f" },
		{ " 0)               |  syscall_trace_enter.isra.0() {", false, 0, "" },
		{ "# CPU  DURATION                  FUNCTION CALLS", false, 0, "" },
		{ " 1)   ==========> |", false, 0, "" },
		{ " 1)  bash-12 us   =>  cat-13", false, 0, "" },
		{ " 1)   1.2.3 us    |  f();", false, 0, "" },
		{ " 1)   99999999999999999999999999999999999 us | f();", false, 0, "" },
		{ " 1)   4 us", false, 0, "" },
		{ "", false, 0, "" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ftrace_duration d = {};
		assert_int_equal(ftrace_duration_parse(rows[i].line, strlen(rows[i].line), &d), rows[i].has);
		if (!rows[i].has)
			continue;
		assert_true(d.us == rows[i].us);
		assert_int_equal(d.function_bytes, strlen(rows[i].function));
		assert_memory_equal(d.function, rows[i].function, d.function_bytes);
	}
}

static void lost_events_are_counted(void **state)
{
	static const char line[] = "CPU:1 [LOST 123 EVENTS]";
	assert_int_equal(ftrace_lost_events(line, sizeof(line) - 1), 123);
	assert_int_equal(ftrace_lost_events(line, 12), 0); /* truncated before the number */
	assert_int_equal(ftrace_lost_events(" a-1 [LOST 3 EVENTS]", 20), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_are_those_of_the_lines),
		cmocka_unit_test(lost_events_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
