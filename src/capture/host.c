#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "capture/host_priv.h"

bool host_read(const struct sys *sys, const char *path, struct strbuf *ret)
{
	strbuf_reset(ret);
	struct strobe_error *err = sys_read(sys, path, ret, 0);
	if (!err)
		return true;
	error_destroy(err);
	strbuf_reset(ret);
	return false;
}

char *host_line(const struct sys *sys, const char *path)
{
	char *line = NULL;
	struct strobe_error *err = sys_read_line(sys, path, &line);
	if (!err)
		return line;
	error_destroy(err);
	return NULL;
}

bool host_number(const struct sys *sys, const char *path, int64_t *ret)
{
	struct strobe_error *err = sys_read_i64(sys, path, ret);
	if (!err)
		return true;
	error_destroy(err);
	return false;
}

long host_small(const struct sys *sys, const char *path, char *buf, size_t cap)
{
	int fd = sys_open(sys, path, O_RDONLY);
	if (fd < 0)
		return -1;
	ssize_t n;
	do
		n = read(fd, buf, cap - 1);
	while (n < 0 && errno == EINTR);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}
