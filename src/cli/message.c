#include "cli/message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text.h"

static void put_lines(struct out *out, const char *s)
{
	for (;; s++) {
		size_t n = strcspn(s, "\n\t");
		out_text(out, s, n);
		s += n;
		if (!*s)
			return;
		out_ch(out, *s);
	}
}

void message_write(int fd, const char *before, const char *line)
{
	struct out out;
	size_t bytes;
	out_init_mem(&out);
	out_str(&out, before);
	put_lines(&out, line);
	out_ch(&out, '\n');
	const char *text = out_mem(&out, &bytes);
	for (size_t done = 0; done < bytes;) {
		ssize_t n = write(fd, text + done, bytes - done);
		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	error_destroy(out_close(&out));
}

struct strobe_error *message_debug_level(const char *subject, unsigned *ret)
{
	uint64_t level = 1;
	*ret = 0;
	if (!subject)
		return NULL;
	size_t len = strcspn(subject, "=");
	if (subject[len] && (!text_to_u64(subject + len + 1, &level) || level > 9))
		return error_create(ERROR_USAGE, "the level in '%s' must be a number from 0 to 9", subject);
	if (len == strlen("verbose") && !strncmp(subject, "verbose", len))
		*ret = (unsigned)level;
	else if (len == strlen("perf-event-open") && !strncmp(subject, "perf-event-open", len))
		*ret = level ? 2 : 0;
	else
		return error_create(ERROR_USAGE, "unknown subject '%.*s' (expected verbose or perf-event-open)", (int)len, subject);
	return NULL;
}

static void print_log(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	message_write((int)(intptr_t)ctx, "", line);
}

void message_show_log(int fd, enum log_level max)
{
	log_set_sink((struct log_sink){ .fn = print_log, .ctx = (void *)(intptr_t)fd, .max_level = max });
}

static enum log_level log_max(void)
{
	return log_enabled(LOG_DEBUG) ? LOG_DEBUG : log_enabled(LOG_INFO) ? LOG_INFO : LOG_WARN;
}

int message_hold_log(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	if (fd >= 0)
		message_show_log(fd, log_max());
	return fd;
}

void message_release_log(int fd)
{
	char bytes[4096];
	if (fd < 0)
		return;
	message_show_log(STDERR_FILENO, log_max());
	lseek(fd, 0, SEEK_SET);
	for (ssize_t n, done = 1; done > 0 && (n = read(fd, bytes, sizeof(bytes))) > 0;)
		done = write(STDERR_FILENO, bytes, (size_t)n);
	close(fd);
}
