#include "session/buildid/cached_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "object/debuginfod.h"
#include "probe/sdt/sdt_notes.h"
#include "sys/process_files.h"

/* Our path for a file of a process, which is opened by descriptor, so that links of the process cannot lead elsewhere. */
static struct strobe_error *locate(const char *path, uint32_t pid, struct cached_file *f)
{
	char real[PATH_MAX];
	if (!pid && !realpath(path, real))
		return error_errno(errno, "cannot find %s", path);
	int opened = pid ? process_file_open(pid, path) : open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_close_ int fd = opened;
	if (fd < 0 && pid)
		return error_errno(-fd, "cannot open %s as process %u sees it", path, pid);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", path);
	f->path = pid ? process_file_path(pid, fd) : xstrdup(real);
	f->source = pid ? xasprintf("/proc/%u/root%s", pid, f->path) : xstrdup(real);
	return object_open_packed_fd(fd, path, &f->object);
}

struct strobe_error *cached_file_open(const char *path, uint32_t pid, struct cached_file *ret)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	*ret = (struct cached_file){};
	struct strobe_error *err = locate(path, pid, ret);
	size_t n = err ? 0 : object_build_id(ret->object, id);
	if (!err && !n)
		err = error_create(ERROR_NOT_FOUND, "%s has no build-id", path);
	if (err)
		cached_file_close(ret);
	else
		buildid_hex(id, n, ret->hex);
	return err;
}

void cached_file_close(struct cached_file *f)
{
	object_close(f->object);
	free(f->path);
	free(f->source);
	*f = (struct cached_file){};
}

struct debug_search {
	const struct cached_file *file;
	char *found;
};

/* A file of the same build-id with symbols or lines. */
static bool try_debug(void *ctx, const char *path)
{
	struct debug_search *s = ctx;
	struct object *o = object_open_if_there(path);
	bool same = o && object_is_debug_of(o, s->file->object);
	object_close(o);
	if (!same || !strcmp(path, s->file->source))
		return false;
	s->found = realpath(path, NULL);
	return s->found;
}

char *cached_file_debug(const struct cached_file *f, struct debuginfod *servers)
{
	struct debug_search search = { .file = f };
	object_find_debug(f->object, f->source, NULL, try_debug, &search);
	if (search.found || !servers)
		return search.found;
	char *path = NULL;
	/* It is not an error if no server has it; the client has reported servers that do not answer. */
	error_destroy(debuginfod_find(servers, f->hex, DEBUGINFOD_DEBUG, &path));
	return path;
}

struct strobe_error *cached_file_add(const char *dir, const struct cached_file *f, struct debuginfod *servers)
{
	_cleanup_strbuf_ struct strbuf probes = {};
	TRY(buildid_cache_add(dir, f->hex, f->path));
	TRY(buildid_cache_put(dir, f->hex, "elf", f->source));
	_cleanup_free_ char *debug = cached_file_debug(f, servers);
	if (debug)
		TRY(buildid_cache_put(dir, f->hex, "debug", debug));
	sdt_notes_lines(f->object, f->path, &probes);
	return buildid_cache_put_bytes(dir, f->hex, "probes", strbuf_str(&probes), probes.len);
}
