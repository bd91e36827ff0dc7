#include "capture/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static struct strobe_error *open_fds(const char *text, struct control *c)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *comma = strchr(copy, ',');
	uint64_t fd, ack = 0;
	if (comma)
		*comma++ = '\0';
	if (!text_to_u64(copy, &fd) || fd > INT32_MAX || (comma && (!text_to_u64(comma, &ack) || ack > INT32_MAX)))
		return error_create(ERROR_USAGE, "\"fd:%s\": expected numbers of open descriptors, fd:ctl[,ack]", text);
	if (fcntl((int)fd, F_GETFD) < 0 || (comma && fcntl((int)ack, F_GETFD) < 0))
		return error_create(ERROR_USAGE, "\"fd:%s\": no such open descriptor", text);
	c->fd = (int)fd;
	c->ack_fd = comma ? (int)ack : -1;
	return NULL;
}

static struct strobe_error *open_fifos(const char *text, struct control *c)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *comma = strchr(copy, ',');
	if (comma)
		*comma++ = '\0';
	c->owned = true;
	/* Read and write, so that it neither waits for the other side nor ends when that closes. */
	c->fd = open(copy, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->fd < 0)
		return error_errno(errno, "cannot open the control fifo %s (make it with mkfifo)", copy);
	if (comma && *comma) {
		c->ack_fd = open(comma, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (c->ack_fd < 0)
			return error_errno(errno, "cannot open the ack fifo %s (make it with mkfifo)", comma);
	}
	return NULL;
}

struct strobe_error *control_open(const char *text, struct control *ret)
{
	*ret = (struct control){ .fd = -1, .ack_fd = -1 };
	if (text_has_prefix(text, "fd:"))
		return open_fds(text + 3, ret);
	if (text_has_prefix(text, "fifo:"))
		return open_fifos(text + 5, ret);
	return error_create(ERROR_USAGE, "\"%s\": expected fd:ctl[,ack] or fifo:ctl[,ack]", text);
}

void control_close(struct control *c)
{
	if (c->owned && c->fd >= 0)
		close(c->fd);
	if (c->owned && c->ack_fd >= 0)
		close(c->ack_fd);
	c->fd = c->ack_fd = -1;
}

struct control_command control_parse(const char *line)
{
	static const struct {
		const char *name;
		enum control_verb verb;
	} verbs[] = {
		{ "enable", CONTROL_ENABLE }, { "disable", CONTROL_DISABLE }, { "snapshot", CONTROL_SNAPSHOT },
		{ "evlist", CONTROL_EVLIST }, { "ping", CONTROL_PING },       { "stop", CONTROL_STOP },
	};
	struct control_command c = { .verb = CONTROL_UNKNOWN };
	line += strspn(line, " \t");
	size_t n = strcspn(line, " \t");
	if (!n)
		c.verb = CONTROL_NONE;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strlen(verbs[i].name) == n && !memcmp(verbs[i].name, line, n))
			c.verb = verbs[i].verb;
	const char *argument = line + n + strspn(line + n, " \t");
	size_t length = strcspn(argument, "\r");
	while (length && (argument[length - 1] == ' ' || argument[length - 1] == '\t'))
		length--;
	if (c.verb == CONTROL_UNKNOWN) /* for the message: the word itself */
		argument = line, length = n;
	if (length >= sizeof(c.argument))
		length = sizeof(c.argument) - 1;
	memcpy(c.argument, argument, length);
	c.argument[length] = '\0';
	return c;
}

bool control_next(struct control *c, struct control_command *ret, bool *ret_end)
{
	*ret_end = false;
	if (c->fd < 0)
		return false;
	for (;;) {
		char *newline = memchr(c->line, '\n', c->len);
		/* Some senders write the bare word; a NUL ends a command as well. */
		if (!newline)
			newline = memchr(c->line, '\0', c->len);
		if (newline) {
			*newline = '\0';
			*ret = control_parse(c->line);
			size_t used = (size_t)(newline - c->line) + 1;
			memmove(c->line, c->line + used, c->len - used);
			c->len -= used;
			if (c->too_long) /* the rest of a long line is not a command */
				*ret = (struct control_command){ .verb = CONTROL_UNKNOWN, .argument = "(longer than any is)" };
			c->too_long = false;
			if (ret->verb == CONTROL_NONE)
				continue;
			return true;
		}
		if (c->len == sizeof(c->line)) { /* no command is that long */
			c->len = 0;
			c->too_long = true;
		}
		struct pollfd p = { .fd = c->fd, .events = POLLIN };
		if (poll(&p, 1, 0) <= 0)
			return false;
		ssize_t n = read(c->fd, c->line + c->len, sizeof(c->line) - c->len);
		if (n < 0)
			return false;
		if (n == 0) {
			*ret_end = true;
			if (!c->len || c->too_long)
				return false;
			c->line[c->len++] = '\n'; /* a last line without its end */
			continue;
		}
		c->len += (size_t)n;
	}
}

void control_ack(struct control *c)
{
	if (c->ack_fd < 0)
		return;
	ssize_t n;
	do
		n = write(c->ack_fd, "ack\n", 4);
	while (n < 0 && errno == EINTR);
}
