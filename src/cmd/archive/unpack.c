/*
 * An archive may come from anywhere: of its entries only those are taken that the cache has a place for, and there they go by
 * the cache's own rules; links in it are made anew rather than unpacked.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/text.h"
#include "cmd/archive/archive.h"
#include "object/buildid_cache.h"
#include "object/object.h"

struct unpack {
	struct cmd_context *ctx;
	const struct archive_options *o;
	const char *cache_dir;
	unsigned files, refused;
	char *recording; /* unpacked here, or NULL */
};

static struct strobe_error *copy_content(struct tar_reader *r, int fd, const char *name)
{
	for (;;) {
		const void *p;
		size_t n;
		TRY(tar_content(r, &p, &n));
		if (!n)
			return NULL;
		TRY(file_write_fd(fd, name, p, n));
	}
}

/* Into a file that only appears when it is whole. */
static struct strobe_error *save(struct tar_reader *r, const char *to, uint32_t mode)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	TRY(new_file_create(to, &file));
	TRY(copy_content(r, file.fd, to));
	return new_file_keep(&file, mode);
}

/* What is said to be of a build-id has to be: a report would take it for that. */
static bool is_what_it_says(const char *path, const char *hex, const char *name)
{
	struct object *o;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	char its[BUILDID_HEX_MAX];
	if (!strcmp(name, "kallsyms") || !strcmp(name, "probes"))
		return true;
	bool is_split = text_has_prefix(name, "dw");
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_error_ struct strobe_error *err = object_open_packed_fd(fd, path, &o);
	if (err)
		return false;
	buildid_hex(id, object_build_id(o, id), its);
	bool has_split = object_find_section(o, ".debug_info.dwo");
	object_close(o);
	/* Split debug information has no build-id: whoever reads it looks for the ids of units. */
	if (is_split)
		return has_split;
	return text_has_prefix(its, hex) || text_has_prefix(hex, its);
}

/* "PATH/HEX/NAME": its parts, of which dir and hex are the caller's to free. False where it is none. */
static bool part_path(const char *path, char **ret_dir, char **ret_hex, const char **ret_name)
{
	while (text_has_prefix(path, "./"))
		path += 2;
	const char *name = strrchr(path, '/'), *hex = name;
	if (!name || !buildid_cache_is_name(name + 1))
		return false;
	while (hex > path && hex[-1] != '/')
		hex--;
	if (hex <= path + 1)
		return false;
	*ret_dir = xstrndup(path, (size_t)(hex - path) - 1);
	*ret_hex = xstrndup(hex, (size_t)(name - hex));
	*ret_name = name + 1;
	return true;
}

static struct strobe_error *unpack_cached(struct unpack *u, struct tar_reader *r, const struct tar_entry *e, bool *ret_taken)
{
	_cleanup_free_ char *dir = NULL, *hex = NULL, *to = NULL;
	const char *name;
	*ret_taken = part_path(e->path, &dir, &hex, &name) && buildid_cache_is_safe(dir) &&
		     (to = buildid_cache_path(u->cache_dir, hex, name));
	if (!*ret_taken)
		return NULL;
	bool is_new = !buildid_cache_has(u->cache_dir, hex);
	TRY(buildid_cache_add(u->cache_dir, hex, dir));
	/* What is there was checked when it came. */
	if (!access(to, F_OK))
		return NULL;
	TRY(save(r, to, (e->mode & 0755) | 0400));
	if (!is_what_it_says(to, hex, name)) {
		cmd_say(u->ctx, "%s is not what its build-id says and is left out", e->path);
		unlink(to);
		if (is_new)
			error_destroy(buildid_cache_remove(u->cache_dir, hex));
		u->refused++;
		return NULL;
	}
	u->files++;
	if (u->o->verbose)
		cmd_say(u->ctx, "unpacked: %s", e->path);
	return NULL;
}

bool archive_is_recorded(const char *name)
{
	if (!text_has_prefix(name, "data"))
		return false;
	return !name[4] || (name[4] == '.' && name[5] && !name[5 + strspn(name + 5, "0123456789")]);
}

static bool is_plain_name(const char *name, size_t bytes)
{
	return bytes && !memchr(name, '/', bytes) && !(bytes <= 2 && !memcmp(name, "..", bytes));
}

/* "DIR/data" or "DIR/data.0": of a recording that is a directory. */
static bool is_in_directory(const char *path)
{
	const char *slash = strchr(path, '/');
	return slash && is_plain_name(path, (size_t)(slash - path)) && archive_is_recorded(slash + 1);
}

static struct strobe_error *unpack_into_directory(struct unpack *u, struct tar_reader *r, const struct tar_entry *e)
{
	_cleanup_free_ char *dir = xstrndup(e->path, strcspn(e->path, "/"));
	struct stat st;
	bool started = u->recording && !strcmp(u->recording, dir);
	if (mkdir(dir, 0700) && errno != EEXIST)
		return error_errno(errno, "cannot create %s", dir);
	/* A link could lead anywhere. */
	if (lstat(dir, &st) || !S_ISDIR(st.st_mode))
		return error_create(ERROR_USAGE, "%s is here already, and no directory", dir);
	if (!u->o->force && !started && !access(e->path, F_OK))
		return error_create(ERROR_USAGE, "%s is here already: unpack in another directory, or write over it with -f", dir);
	TRY(save(r, e->path, 0600));
	free(u->recording);
	u->recording = take_ptr(dir);
	return NULL;
}

static struct strobe_error *unpack_recording(struct unpack *u, struct tar_reader *r, const struct tar_entry *e)
{
	if (!u->o->force && !access(e->path, F_OK))
		return error_create(ERROR_USAGE, "%s is here already: unpack in another directory, or write over it with -f", e->path);
	TRY(save(r, e->path, 0600));
	free(u->recording);
	u->recording = xstrdup(e->path);
	return NULL;
}

static struct strobe_error *unpack_fd(struct unpack *u, int fd, const char *name, bool outer);

static struct strobe_error *unpack_symbols(struct unpack *u, struct tar_reader *r, const char *name)
{
	_cleanup_new_file_ struct new_file symbols = NEW_FILE_NONE; /* never kept */
	TRY(new_file_create("strobe-symbols", &symbols));
	TRY(copy_content(r, symbols.fd, name));
	if (lseek(symbols.fd, 0, SEEK_SET))
		return error_errno(errno, "cannot read %s", name);
	return unpack_fd(u, symbols.fd, name, false);
}

static struct strobe_error *unpack_entry(struct unpack *u, struct tar_reader *r, const struct tar_entry *e, bool outer)
{
	bool taken = false;
	if (e->kind == TAR_DIRECTORY || (e->kind == TAR_LINK && strstr(e->path, ".build-id/")))
		return NULL;
	if (outer && e->kind == TAR_FILE && is_in_directory(e->path))
		return unpack_into_directory(u, r, e);
	if (outer && e->kind == TAR_FILE && is_plain_name(e->path, strlen(e->path)))
		return text_has_prefix(e->path, "perf.symbols.tar") ? unpack_symbols(u, r, e->path) : unpack_recording(u, r, e);
	if (e->kind == TAR_FILE)
		TRY(unpack_cached(u, r, e, &taken));
	if (!taken) {
		u->refused++;
		cmd_say(u->ctx, "%s is nothing that the build-id cache holds, and is left out", e->path);
	}
	return NULL;
}

static struct strobe_error *unpack_fd(struct unpack *u, int fd, const char *name, bool outer)
{
	struct tar_reader *r;
	bool end = false;
	TRY(tar_reader_create(fd, name, &r));
	struct strobe_error *err = NULL;
	while (!err && !end) {
		struct tar_entry e;
		err = tar_next(r, &e, &end);
		if (!err && !end)
			err = unpack_entry(u, r, &e, outer);
	}
	tar_reader_destroy(r);
	return err;
}

/* The archive that the current directory has, where it has one. */
static struct strobe_error *find_archive(char **ret)
{
	static const char *const patterns[] = { "perf.all-*.tar.*", "*.data.tar.*" };
	glob_t found = {};
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	struct strobe_error *err = NULL;
	if (found.gl_pathc == 1)
		*ret = xstrdup(found.gl_pathv[0]);
	else if (!found.gl_pathc)
		err = error_create(ERROR_NOT_FOUND, "there is no archive here: name one");
	else
		err = error_create(ERROR_USAGE, "there are %zu archives here: name one", found.gl_pathc);
	globfree(&found);
	return err;
}

static struct strobe_error *unpack(struct unpack *u, const char *archive)
{
	_cleanup_free_ char *found = NULL;
	if (!u->cache_dir)
		return error_create(ERROR_USAGE, "there is no home directory to keep the cache in: name one with --buildid-dir");
	if (!archive) {
		TRY(find_archive(&found));
		archive = found;
	}
	_cleanup_close_ int fd = open(archive, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", archive);
	TRY(unpack_fd(u, fd, archive, true));
	if (!u->files && !u->recording && u->refused)
		return error_create(ERROR_FORMAT, "%s holds nothing of a build-id cache", archive);
	return NULL;
}

int archive_unpack(struct cmd_context *ctx, const struct archive_options *o, const char *archive, const char *cache_dir)
{
	struct unpack u = { .ctx = ctx, .o = o, .cache_dir = cache_dir };
	struct strobe_error *err = unpack(&u, archive);
	if (u.recording)
		cmd_say(ctx, "%s is here now: strobe report -i %s", u.recording, u.recording);
	free(u.recording);
	return cmd_fail(ctx, err);
}
