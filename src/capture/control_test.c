/* Commands of --control, as they come through a pipe. */
#include "base/testing.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/control.h"

struct pipe_ends {
	struct control c;
	int to;
};

static struct pipe_ends open_pipe(void)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	return (struct pipe_ends){ .c = { .fd = ends[0], .ack_fd = -1, .owned = true }, .to = ends[1] };
}

static void send(const struct pipe_ends *p, const char *text)
{
	assert_int_equal(write(p->to, text, strlen(text)), strlen(text));
}

static void expect(struct pipe_ends *p, enum control_verb verb, const char *argument)
{
	struct control_command command;
	bool end;
	assert_true(control_next(&p->c, &command, &end));
	assert_int_equal(command.verb, verb);
	assert_string_equal(command.argument, argument);
}

static void expect_nothing(struct pipe_ends *p, bool want_end)
{
	struct control_command command;
	bool end;
	assert_false(control_next(&p->c, &command, &end));
	assert_int_equal(end, want_end);
}

static void test_pieces(void **state)
{
	(void)state;
	struct pipe_ends p = open_pipe();
	send(&p, "ena");
	expect_nothing(&p, false);
	send(&p, "ble  cpu-clock \r\n\n \nevlist -v\nwhat is this\nsto");
	expect(&p, CONTROL_ENABLE, "cpu-clock");
	expect(&p, CONTROL_EVLIST, "-v");
	expect(&p, CONTROL_UNKNOWN, "what");
	expect_nothing(&p, false);
	send(&p, "p");
	close(p.to);
	expect(&p, CONTROL_STOP, "");
	expect_nothing(&p, true);
	control_close(&p.c);
}

/* What follows the first 512 bytes of a line is not a command, whatever it says. */
static void test_long_line(void **state)
{
	(void)state;
	char line[600];
	struct pipe_ends p = open_pipe();
	memset(line, 'x', sizeof(line));
	memcpy(line + sizeof(p.c.line), "stop\nping\n", sizeof("stop\nping\n"));
	send(&p, line);
	expect(&p, CONTROL_UNKNOWN, "(longer than any is)");
	expect(&p, CONTROL_PING, "");
	expect_nothing(&p, false);
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	send(&p, line);
	close(p.to);
	expect_nothing(&p, true);
	control_close(&p.c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_long_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
