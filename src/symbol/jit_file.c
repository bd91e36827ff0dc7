#include "symbol/jit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "symbol/symbol_priv.h"

static const char *path_for(struct dso *d, const char *format, uint32_t pid)
{
	_cleanup_strbuf_ struct strbuf path = {};
	const char *number = strstr(format, "%u");
	strbuf_add(&path, format, number ? (size_t)(number - format) : strlen(format));
	if (number)
		strbuf_addf(&path, "%u%s", pid, number + 2);
	return dso_below_symfs(d, arena_strdup(&d->arena, strbuf_str(&path)));
}

static int open_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int open_somewhere(struct dso *d, const char *format, const char **ret_path)
{
	const struct symbols_options *o = &d->session->options;
	uint32_t pid = d->file->pid, inner = pid;
	int fd = SYMBOLS_SAME_FILES;
	if (o->processes && !o->symfs) {
		inner = o->processes->inner_pid(o->processes_ctx, pid);
		*ret_path = path_for(d, format, inner);
		fd = o->processes->open(o->processes_ctx, pid, *ret_path);
		if (fd != SYMBOLS_SAME_FILES)
			return fd;
		fd = open_plain(*ret_path);
		if (fd >= 0 || inner == pid)
			return fd;
	}
	*ret_path = path_for(d, format, pid);
	return open_plain(*ret_path);
}

/* If false, the problem is set. */
static bool is_believed(struct dso *d, int fd, const char *path)
{
	const struct symbols_options *o = &d->session->options;
	struct stat st;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		dso_problem(d, "%s is not a regular file", path);
		return false;
	}
	if (o->trust_all || !st.st_uid || st.st_uid == geteuid() ||
	    (o->processes && o->processes->runs_as(o->processes_ctx, d->file->pid, st.st_uid)))
		return true;
	dso_problem(d, "%s is owned by user %u, neither you nor the user of the process: ignored (use -f to override)", path,
		    (unsigned)st.st_uid);
	return false;
}

int jit_file_open(struct dso *d, const char *format, const char **ret_path)
{
	_cleanup_close_ int fd = open_somewhere(d, format, ret_path);
	if (fd < 0) {
		dso_tried(d, *ret_path, strerror(-fd));
		if (fd != -ENOENT)
			dso_problem(d, "cannot open %s: %s", *ret_path, strerror(-fd));
		return -1;
	}
	bool believed = is_believed(d, fd, *ret_path);
	dso_tried(d, *ret_path, believed ? "taken" : "ignored");
	if (!believed)
		return -1;
	return take_fd(fd);
}
