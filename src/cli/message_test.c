/* Lines are written whole, escaped, and held back while a screen uses the terminal. */
#include "base/testing.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/message.h"

static void expect(int fd, const char *text)
{
	char has[256] = "";
	assert_true(read(fd, has, sizeof(has) - 1) >= 0);
	assert_string_equal(has, text);
}

static void a_line_cannot_steer_the_terminal(void **state)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	message_write(ends[1], "strobe x: ", "no \033[31mfile");
	expect(ends[0], "strobe x: no \\x1b[31mfile\n");
	message_write(ends[1], "", "one\n\ttwo");
	expect(ends[0], "one\n\ttwo\n");
	message_show_log(ends[1], LOG_INFO);
	log_info("shown");
	log_debug("not shown");
	expect(ends[0], "shown\n");
	close(ends[0]);
	close(ends[1]);
}

static void what_is_held_is_printed_on_release(void **state)
{
	int ends[2], err = dup(STDERR_FILENO);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	message_show_log(STDERR_FILENO, LOG_INFO);
	int held = message_hold_log();
	assert_true(held >= 0);
	log_info("one");
	log_info("two");
	log_debug("three");
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	message_release_log(held);
	log_info("four");
	assert_int_equal(dup2(err, STDERR_FILENO), STDERR_FILENO);
	expect(ends[0], "one\ntwo\nfour\n");
	close(err);
	close(ends[0]);
	close(ends[1]);
}

static void assert_level(const char *subject, unsigned expected)
{
	unsigned level = 99;
	assert_null(message_debug_level(subject, &level));
	assert_int_equal(level, expected);
}

static void subjects_of_debugging_have_levels(void **state)
{
	(void)state;
	unsigned level;
	assert_level(NULL, 0);
	assert_level("verbose", 1);
	assert_level("verbose=3", 3);
	assert_level("perf-event-open", 2);
	assert_level("perf-event-open=0", 0);
	static const char *const wrong[] = { "verbose=10", "verbose=", "verb", "perf" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct strobe_error *err = message_debug_level(wrong[i], &level);
		assert_true(error_is(err, ERROR_USAGE));
		error_destroy(err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_cannot_steer_the_terminal),
		cmocka_unit_test(what_is_held_is_printed_on_release),
		cmocka_unit_test(subjects_of_debugging_have_levels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
