/*
 * --control: commands to a recording through a descriptor or a fifo, each answered with an "ack".
 *
 * "fd:N[,M]" borrows descriptors of the caller's parent; "fifo:PATH[,PATH]" opens (and closes) fifos, which must exist.
 * Commands are lines: enable [EVENT], disable [EVENT], snapshot, evlist [-v|-g|-F], ping, stop. Source: perf-record(1).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum control_verb {
	CONTROL_NONE,
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT,
	CONTROL_EVLIST,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
};

struct control_command {
	enum control_verb verb;
	char argument[256]; /* event name, or evlist's option; "" */
};

struct control {
	int fd, ack_fd; /* -1 = none */
	bool owned;
	char line[512]; /* an incomplete line */
	size_t len;
	bool too_long; /* the start of the line has been dropped */
};

struct strobe_error *control_open(const char *text, struct control *ret) _must_check_;
void control_close(struct control *c);
/* The next complete command; false: none yet. *ret_end: the other side has closed. */
bool control_next(struct control *c, struct control_command *ret, bool *ret_end);
void control_ack(struct control *c);
/* One line into a command. */
struct control_command control_parse(const char *line);
