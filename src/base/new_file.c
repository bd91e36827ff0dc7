#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/out.h"

#define NAMES_TRIED 1000

/* The path of an open file in /proc, by which unprivileged users can link an unnamed one. */
struct fd_path {
	char text[32];
};

static struct fd_path path_of(int fd)
{
	struct fd_path p;
	snprintf(p.text, sizeof(p.text), "/proc/self/fd/%d", fd);
	return p;
}

/* -1: this file system has no files without a name, or there is no /proc to name one by. */
static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	_cleanup_close_ int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd >= 0 && !access(path_of(fd).text, F_OK) ? take_fd(fd) : -1;
}

/* Names of open files (/dev/stdout) may refer to regular files, which must not be replaced. */
static bool is_written_in_place(const char *path)
{
	struct stat st;
	return !stat(path, &st) && (!S_ISREG(st.st_mode) || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6));
}

struct strobe_error *new_file_create(const char *path, struct new_file *ret)
{
	*ret = (struct new_file){ .path = xstrdup(path), .as_it_is = is_written_in_place(path) };
	ret->fd = ret->as_it_is ? open(path, O_WRONLY | O_CLOEXEC) : open_nameless(path);
	if (ret->fd >= 0)
		return NULL;
	_cleanup_free_ char *name = ret->as_it_is ? NULL : xasprintf("%s.XXXXXX", path);
	if (name && (ret->fd = mkostemp(name, O_CLOEXEC)) >= 0) {
		ret->temporary = take_ptr(name);
		return NULL;
	}
	struct strobe_error *err = error_errno(errno, name ? "cannot create %s" : "cannot open %s", path);
	new_file_deinit(ret);
	return err;
}

static int give_name(const struct new_file *f, const char *name)
{
	return linkat(AT_FDCWD, path_of(f->fd).text, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* A link does not replace a file: it first gets a temporary name beside it. Negative: errno is set. */
static int give_temporary_name(struct new_file *f)
{
	for (unsigned i = 0; i < NAMES_TRIED; i++) {
		_cleanup_free_ char *name = xasprintf("%s.%d.%u", f->path, (int)getpid(), i);
		if (!give_name(f, name)) {
			f->temporary = take_ptr(name);
			return 0;
		}
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

struct strobe_error *new_file_keep(struct new_file *f, mode_t mode)
{
	if (f->as_it_is)
		return NULL;
	if (fchmod(f->fd, mode))
		return error_errno(errno, "cannot set the mode of %s", f->path);
	if (!f->temporary && !give_name(f, f->path))
		return NULL;
	if ((!f->temporary && give_temporary_name(f)) || rename(f->temporary, f->path))
		return error_errno(errno, "cannot create %s", f->path);
	free(take_ptr(f->temporary));
	return NULL;
}

struct strobe_error *new_file_keep_as(struct new_file *f, const char *path, mode_t mode)
{
	free(f->path);
	f->path = xstrdup(path);
	return new_file_keep(f, mode);
}

struct strobe_error *new_file_write(const char *path, const void *p, size_t n, mode_t mode)
{
	_cleanup_new_file_ struct new_file f = NEW_FILE_NONE;
	TRY(new_file_create(path, &f));
	TRY(file_write_fd(f.fd, path, p, n));
	return new_file_keep(&f, mode);
}

void new_file_deinit(struct new_file *f)
{
	if (f->temporary)
		unlink(f->temporary);
	if (f->fd >= 0)
		close(f->fd);
	free(f->temporary);
	free(f->path);
	*f = NEW_FILE_NONE;
}

static struct strobe_error *write_and_close(struct out *out, const char *name,
					    struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct strobe_error *err = write(ctx, out);
	return error_first(err, out_close_file(out, name));
}

static struct strobe_error *write_to_stdout(struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct out out;
	out_init_fd(&out, STDOUT_FILENO);
	return write_and_close(&out, "standard output", write, ctx);
}

struct strobe_error *new_file_write_by(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx)
{
	struct out out;
	struct stat st;
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	if (!strcmp(path, "-"))
		return write_to_stdout(write, ctx);
	TRY(new_file_create(path, &file));
	mode_t mode = !lstat(path, &st) && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0600;
	out_init_fd(&out, file.fd);
	TRY(write_and_close(&out, path, write, ctx));
	return new_file_keep(&file, mode);
}
