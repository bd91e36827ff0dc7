#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

static void cut(struct lines *l)
{
	const char *text = l->text.data;
	for (size_t at = 0; at < l->text.len;) {
		vec_push(&l->starts, (uint32_t)at);
		const char *end = memchr(text + at, '\n', l->text.len - at);
		at = end ? (size_t)(end - text) + 1 : l->text.len;
	}
}

struct strobe_error *lines_read(const char *path, struct lines *ret)
{
	struct stat st;
	*ret = (struct lines){ 0 };
	/* O_NONBLOCK: it may be a FIFO without a writer. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(errno, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return error_create(ERROR_FORMAT, "%s is not a regular file", path);
	struct strobe_error *err = file_read_fd(fd, path, &ret->text, LINES_MAX_BYTES);
	if (err) {
		lines_deinit(ret);
		return err;
	}
	cut(ret);
	return NULL;
}

void lines_deinit(struct lines *l)
{
	strbuf_deinit(&l->text);
	vec_deinit(&l->starts);
}

const char *lines_get(const struct lines *l, size_t n, size_t *ret_bytes)
{
	*ret_bytes = 0;
	if (!n || n > l->starts.len)
		return NULL;
	size_t from = l->starts.data[n - 1], to = n < l->starts.len ? l->starts.data[n] : l->text.len;
	const char *text = l->text.data;
	if (to > from && text[to - 1] == '\n')
		to--;
	if (to > from && text[to - 1] == '\r')
		to--;
	*ret_bytes = to - from;
	return text + from;
}
