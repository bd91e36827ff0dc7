/* Any bytes as commands to a recording (--control), in pieces of the size given by the first byte. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_all(struct control *c)
{
	struct control_command command;
	bool end = false;
	while (control_next(c, &command, &end)) {
		/* An argument goes into messages and is compared with names: it is one word or none. */
		if (command.verb == CONTROL_NONE || memchr(command.argument, '\n', strlen(command.argument)) ||
		    !memchr(command.argument, '\0', sizeof(command.argument)))
			abort();
		control_ack(c);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int ends[2], acks[2];
	if (!size || size > 32768) /* what a pipe holds in any case */
		return 0;
	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) || pipe2(acks, O_NONBLOCK | O_CLOEXEC))
		abort();
	struct control c = { .fd = ends[0], .ack_fd = acks[1] };
	size_t piece = data[0] ? data[0] : size;
	for (size_t at = 1; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		if (write(ends[1], data + at, n) != (ssize_t)n)
			abort();
		take_all(&c);
	}
	close(ends[1]);
	take_all(&c);
	close(ends[0]);
	close(acks[0]);
	close(acks[1]);
	return 0;
}
