#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define DEFAULT_MAX ((size_t)256 << 20)

struct strobe_error *file_read(const char *path, struct strbuf *ret, size_t max_bytes)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", path);
	return file_read_fd(fd, path, ret, max_bytes);
}

struct strobe_error *file_read_fd(int fd, const char *name, struct strbuf *ret, size_t max_bytes)
{
	size_t start = ret->len, step = 4096;
	struct stat st;
	if (!max_bytes)
		max_bytes = DEFAULT_MAX;
	/* One byte more than the size, so that a regular file needs one reading call and one that says end. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= max_bytes)
		step = (size_t)st.st_size + 1;
	for (;;) {
		strbuf_reserve(ret, step);
		ssize_t n = read(fd, ret->data + ret->len, ret->cap - ret->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "cannot read %s", name);
		if (!n)
			return NULL;
		ret->len += (size_t)n;
		ret->data[ret->len] = 0;
		if (ret->len - start > max_bytes)
			return error_create(ERROR_LIMIT, "%s has more than the %zu bytes that are read of it", name,
					    max_bytes);
		step = 4096;
	}
}

struct strobe_error *file_write_fd(int fd, const char *name, const void *p, size_t n)
{
	for (const char *at = p; n;) {
		ssize_t done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_errno(errno, "cannot write to %s", name);
		at += done;
		n -= (size_t)done;
	}
	return NULL;
}

struct strobe_error *file_make_dirs(const char *path)
{
	_cleanup_free_ char *part = xstrdup(path);
	for (char *p = part + 1; *part; p++) {
		if (*p && *p != '/')
			continue;
		char was = *p;
		*p = 0;
		if (mkdir(part, 0700) && errno != EEXIST) {
			int errnum = errno;
			struct stat st;
			/* A read-only or forbidden parent does not matter where the directory exists. */
			if (stat(part, &st) || !S_ISDIR(st.st_mode))
				return error_errno(errnum, "cannot create the directory %s", part);
		}
		*p = was;
		if (!was)
			break;
	}
	struct stat st;
	if (stat(path, &st))
		return error_errno(errno, "cannot create the directory %s", path);
	if (!S_ISDIR(st.st_mode))
		return error_errno(ENOTDIR, "cannot create the directory %s", path);
	return NULL;
}

struct strobe_error *file_open_output(const char *path, bool append, int *ret_fd)
{
	*ret_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0600);
	return *ret_fd < 0 ? error_errno(errno, "cannot write %s", path) : NULL;
}

void file_occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}
