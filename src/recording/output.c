#include "recording/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "session/input.h"
#include "symbol/kcore.h"

/* Smaller files are freed within a millisecond: not worth a thread. */
#define SLOW_REMOVAL_BYTES (4 << 20)

struct strobe_error *record_output_init(struct record_output *o, const char *path, bool directory)
{
	struct stat st;
	*o = (struct record_output){ .path = path ? path : "perf.data", .directory = directory };
	if (path ? !strcmp(path, "-") : !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode))
		o->pipe = true;
	if (!o->pipe)
		return NULL;
	if (directory)
		return error_create(ERROR_USAGE, "--threads writes a directory of files and cannot go to a pipe");
	if (isatty(STDOUT_FILENO))
		return error_create(ERROR_USAGE, "-o -: refusing to write binary data to a terminal");
	o->options.pipe = true;
	o->path = "standard output";
	return NULL;
}

struct strobe_error *record_output_plan_removals(struct record_output *o)
{
	struct stat st;
	_cleanup_free_ char *old = xasprintf("%s.old", o->path);
	bool large = !lstat(old, &st) && (S_ISDIR(st.st_mode) || st.st_size >= SLOW_REMOVAL_BYTES);
	/* A row of files removes old ones as it grows. */
	if (o->pipe || (!large && !o->max_files))
		return NULL;
	return record_remover_start(&o->remover);
}

void record_output_deinit(struct record_output *o)
{
	record_remover_stop(&o->remover);
	writer_destroy(o->writer);
	for (size_t i = 0; i < o->parts.len; i++)
		writer_destroy(o->parts.data[i]);
	vec_deinit(&o->parts);
	for (size_t i = 0; i < o->row.len; i++)
		free(o->row.data[i]);
	vec_deinit(&o->row);
	free(o->temporary);
	o->temporary = NULL;
	o->writer = NULL;
}

/* Removes a file; its data is freed by the remover, if it was started. */
static bool remove_file(struct record_output *o, const char *path)
{
	int held = record_remover_hold(&o->remover, path);
	bool done = !unlink(path);
	int errnum = errno;
	record_remover_let_go(&o->remover, held);
	errno = errnum;
	return done;
}

/* Removes a recording: a file, or a directory with a recording's files. */
static void remove_recording(struct record_output *o, const char *path)
{
	if (remove_file(o, path) || errno != EISDIR)
		return;
	_cleanup_free_ char *data = xasprintf("%s/data", path), *kcore = xasprintf("%s/kcore_dir", path);
	remove_file(o, data);
	kcore_copy_remove(kcore);
	for (unsigned i = 0;; i++) {
		_cleanup_free_ char *file = xasprintf("%s/data.%u", path, i);
		if (!remove_file(o, file))
			break;
	}
	/* Fails if it has other files: then it is kept. */
	rmdir(path);
}

static int create(const char *path)
{
	return open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
}

static struct strobe_error *open_part(struct record_output *o, const struct env *env, unsigned i)
{
	struct writer_options options = o->options;
	struct writer *w;
	_cleanup_free_ char *path = xasprintf("%s/data.%u", o->temporary, i);
	int fd = create(path);
	if (fd < 0)
		return error_with_status(error_errno(errno, "cannot create %s", path), OUTPUT_OPEN_STATUS);
	options.bare = true;
	TRY(writer_create(fd, path, env, options, &w));
	vec_push(&o->parts, w);
	return NULL;
}

/* Creates a directory, with the copy of the kernel's memory if requested. */
static struct strobe_error *open_directory(const struct record_output *o)
{
	if (mkdir(o->temporary, 0700))
		return error_with_status(error_errno(errno, "cannot create the directory %s", o->path), OUTPUT_OPEN_STATUS);
	_cleanup_free_ char *kcore = xasprintf("%s/kcore_dir", o->temporary);
	struct strobe_error *err = o->kcore ? kcore_copy(kcore, KCORE_PATH) : NULL;
	if (err)
		rmdir(o->temporary);
	return error_prefix(err, "--kcore");
}

struct strobe_error *record_output_open(struct record_output *o, const struct env *env, unsigned parts)
{
	int fd;
	if (o->pipe) {
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (fd < 0)
			return error_errno(errno, "cannot write to standard output");
		return writer_create(fd, o->path, env, o->options, &o->writer);
	}
	/* Not a device or socket, which have no older content to keep. */
	struct stat st;
	if (!stat(o->path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		fd = open(o->path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return error_errno(errno, "cannot open %s", o->path);
		struct writer_options options = o->options;
		options.pipe = true;
		return writer_create(fd, o->path, env, options, &o->writer);
	}
	free(o->temporary);
	o->temporary = xasprintf("%s.%d.tmp", o->path, getpid());
	remove_recording(o, o->temporary);
	_cleanup_free_ char *file = NULL;
	if (o->directory || o->kcore) {
		struct strobe_error *err = open_directory(o);
		if (err) {
			free(take_ptr(o->temporary));
			return err;
		}
		file = xasprintf("%s/data", o->temporary);
	} else {
		file = xstrdup(o->temporary);
	}
	fd = create(file);
	if (fd < 0) {
		struct strobe_error *err = error_errno(errno, "cannot create %s", o->path);
		record_output_discard(o); /* a directory with a copy of the kernel's memory may be there */
		return error_with_status(err, OUTPUT_OPEN_STATUS);
	}
	TRY(writer_create(fd, o->path, env, o->options, &o->writer));
	for (unsigned i = 0; o->directory && i < parts; i++)
		TRY(open_part(o, env, i));
	return NULL;
}

struct strobe_error *record_output_commit(struct record_output *o)
{
	struct stat st;
	if (!o->temporary)
		return NULL;
	if (!lstat(o->path, &st) && (st.st_size > 0 || S_ISDIR(st.st_mode))) {
		_cleanup_free_ char *old = xasprintf("%s.old", o->path);
		remove_recording(o, old);
		if (rename(o->path, old))
			return error_errno(errno, "cannot move the older %s to %s", o->path, old);
	}
	if (rename(o->temporary, o->path))
		return error_errno(errno, "cannot name the recording %s", o->path);
	free(take_ptr(o->temporary));
	return NULL;
}

void record_output_discard(struct record_output *o)
{
	if (o->temporary)
		remove_recording(o, o->temporary);
	free(take_ptr(o->temporary));
}

void record_output_abandon(const struct record_output *o)
{
	char path[8192];
	if (!o->temporary || !unlink(o->temporary) || errno != EISDIR)
		return;
	for (int i = -1;; i++) {
		int n = i < 0 ? snprintf(path, sizeof(path), "%s/data", o->temporary) :
				snprintf(path, sizeof(path), "%s/data.%d", o->temporary, i);
		if (n >= (int)sizeof(path) || (unlink(path) && i >= 0))
			break;
	}
	rmdir(o->temporary);
}

/* "perf.data.2026112101234567", as named by perf. */
static struct strobe_error *add_to_row(struct record_output *o, const char **ret_name)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	_cleanup_free_ char *stamp = text_timestamp(now);
	char *name = xasprintf("%s.%s", o->path, stamp);
	/* Two in one hundredth of a second must not replace each other. */
	for (unsigned i = 1; !access(name, F_OK); i++) {
		free(name);
		name = xasprintf("%s.%s.%u", o->path, stamp, i);
	}
	if (rename(o->path, name)) {
		struct strobe_error *err = error_errno(errno, "cannot name the recording %s", name);
		free(name);
		return err;
	}
	vec_push(&o->row, name);
	*ret_name = name;
	if (o->max_files && o->row.len > o->max_files) {
		remove_recording(o, o->row.data[0]);
		free(o->row.data[0]);
		memmove(o->row.data, o->row.data + 1, (o->row.len - 1) * sizeof(char *));
		o->row.len--;
	}
	return NULL;
}

static struct strobe_error *finish_writer(struct record_output *o, struct writer *w, const struct env *env)
{
	struct strobe_error *err = w ? writer_finish(w, env) : NULL;
	o->bytes += w ? w->bytes_written : 0;
	writer_destroy(w);
	return err;
}

struct strobe_error *record_output_finish(struct record_output *o, const struct env *env, const char **ret_name)
{
	struct strobe_error *err = NULL;
	*ret_name = o->path;
	for (size_t i = 0; i < o->parts.len; i++)
		err = error_first(err, finish_writer(o, o->parts.data[i], env));
	vec_clear(&o->parts);
	err = error_first(err, finish_writer(o, take_ptr(o->writer), env));
	if (o->timestamped && !o->pipe && !o->temporary)
		err = error_first(err, add_to_row(o, ret_name));
	return err;
}

uint64_t record_output_bytes(const struct record_output *o)
{
	uint64_t bytes = o->bytes + (o->writer ? o->writer->bytes_written : 0);
	for (size_t i = 0; i < o->parts.len; i++)
		bytes += o->parts.data[i]->bytes_written;
	return bytes;
}
