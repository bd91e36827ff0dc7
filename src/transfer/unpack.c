/*
 * Archives are untrusted: only entries with a place in the cache are unpacked, to a path determined by the cache's own rules; links are
 * created anew rather than unpacked. Content is checked before it gets a name.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "object/buildid_cache.h"
#include "object/object.h"
#include "transfer/priv.h"

struct strobe_error *archive_copy_content(struct tar_reader *r, int fd, const char *name)
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

void archive_refuse(struct unpack *u, const char *path, const char *why)
{
	session_say(u->host, "%s: %s; skipped", path, why);
	u->refused++;
}

/* Recorders store 20 bytes: shorter build IDs are padded with zeros, longer ones are truncated. */
static bool is_same_id(const char *its, const char *hex)
{
	size_t n = strlen(its);
	if (!n)
		return false;
	if (strlen(hex) == 40 && n > 40)
		return text_has_prefix(its, hex);
	return text_has_prefix(hex, its) && !hex[n + strspn(hex + n, "0")];
}

static bool is_object_of(int fd, const char *path, const char *hex, const char *name)
{
	struct object *o;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	char its[BUILDID_HEX_MAX];
	_cleanup_error_ struct strobe_error *err = object_open_packed_fd(fd, path, &o);
	if (err)
		return false;
	buildid_hex(id, object_build_id(o, id), its);
	bool has_split = object_find_section(o, ".debug_info.dwo");
	object_close(o);
	/* Split debug information has no build ID: its readers check the IDs of units. */
	return text_has_prefix(name, "dw") ? has_split : is_same_id(its, hex);
}

/* Lists of symbols and of markers have no build ID; they are text. perf's list of markers may be empty. */
static bool is_text(int fd)
{
	char head[4096];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	for (ssize_t i = 0; i < n; i++)
		if ((unsigned char)head[i] < ' ' && !memchr("\t\n\r", head[i], 3))
			return false;
	return n >= 0;
}

/* Reports would trust its name and build ID. */
static bool is_what_it_says(int fd, const char *path, const char *hex, const char *name)
{
	bool is_list = !strcmp(name, "kallsyms") || !strcmp(name, "probes");
	return is_list ? is_text(fd) : is_object_of(fd, path, hex, name);
}

/* Splits "PATH/HEX/NAME"; the caller owns dir and hex. False if it has another form. */
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

/* Its place: DIR/PATH/HEX/NAME, or the target of an existing entry. */
static struct strobe_error *keep_in_cache(struct unpack *u, struct new_file *file, const char *hex, const char *dir, const char *to,
					  uint32_t mode)
{
	if (!buildid_cache_has(u->cache_dir, hex))
		TRY(buildid_cache_add(u->cache_dir, hex, dir));
	return new_file_keep_as(file, to, (mode & 0755) | 0400);
}

static struct strobe_error *unpack_cached(struct unpack *u, struct tar_reader *r, const struct tar_entry *e, bool *ret_taken)
{
	_cleanup_free_ char *dir = NULL, *hex = NULL, *to = NULL, *beside = xasprintf("%s/unpacked", u->cache_dir);
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	const char *name;
	*ret_taken = part_path(e->path, &dir, &hex, &name) && buildid_cache_is_safe(dir) &&
		     (to = buildid_cache_path(u->cache_dir, hex, name));
	/* The content of an existing file was checked when it was stored. */
	if (!*ret_taken || !access(to, F_OK))
		return NULL;
	TRY(file_make_dirs(u->cache_dir));
	TRY(new_file_create(beside, &file));
	TRY(archive_copy_content(r, file.fd, e->path));
	if (!is_what_it_says(file.fd, e->path, hex, name)) {
		archive_refuse(u, e->path, "the content does not match its build ID");
		return NULL;
	}
	TRY(keep_in_cache(u, &file, hex, dir, to, e->mode));
	u->files++;
	if (u->o->verbose)
		session_say(u->host, "unpacked: %s", e->path);
	return NULL;
}

static struct strobe_error *unpack_fd(struct unpack *u, int fd, const char *name, bool outer);

static struct strobe_error *unpack_symbols(struct unpack *u, struct tar_reader *r, const char *name)
{
	_cleanup_new_file_ struct new_file symbols = NEW_FILE_NONE; /* always deleted */
	TRY(new_file_create("strobe-symbols", &symbols));
	TRY(archive_copy_content(r, symbols.fd, name));
	if (lseek(symbols.fd, 0, SEEK_SET))
		return error_errno(errno, "cannot read %s", name);
	return unpack_fd(u, symbols.fd, name, false);
}

static struct strobe_error *unpack_entry(struct unpack *u, struct tar_reader *r, const struct tar_entry *e, bool outer)
{
	bool taken = false;
	if (e->kind == TAR_DIRECTORY || (e->kind == TAR_LINK && strstr(e->path, ".build-id/")))
		return NULL;
	if (outer && e->kind == TAR_FILE && text_has_prefix(e->path, "perf.symbols.tar") && !strchr(e->path, '/'))
		return unpack_symbols(u, r, e->path);
	if (outer && e->kind == TAR_FILE)
		TRY(archive_unpack_recording(u, r, e, &taken));
	if (!taken && e->kind == TAR_FILE)
		TRY(unpack_cached(u, r, e, &taken));
	if (!taken)
		archive_refuse(u, e->path, "neither a recording nor a file of a build ID cache");
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

/* The archive in the current directory, if any. */
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
		err = error_create(ERROR_NOT_FOUND, "no archive in the current directory: specify one");
	else
		err = error_create(ERROR_USAGE, "%zu archives in the current directory: specify one", found.gl_pathc);
	globfree(&found);
	return err;
}

static struct strobe_error *unpack(struct unpack *u, int fd, const char *name)
{
	TRY(session_buildid_dir(u->host, &u->cache_dir));
	if (!u->cache_dir)
		return error_create(ERROR_USAGE, "no home directory for the build ID cache: specify a directory with --buildid-dir");
	TRY(unpack_fd(u, fd, name, true));
	if (!u->files && !u->recording && u->refused)
		return error_create(ERROR_FORMAT, "%s contains neither a recording nor files of a build ID cache", name);
	return NULL;
}

struct strobe_error *archive_unpack_fd(const struct session_host *host, const struct archive_options *o, int fd, const char *name,
				       char **ret_recording)
{
	struct unpack u = { .host = host, .o = o };
	struct strobe_error *err = unpack(&u, fd, name);
	*ret_recording = u.recording;
	free(u.packed_name);
	return err;
}

struct strobe_error *archive_unpack(const struct session_host *host, const struct archive_options *o, const char *archive,
				    char **ret_recording)
{
	_cleanup_free_ char *found = NULL;
	*ret_recording = NULL;
	if (!archive) {
		TRY(find_archive(&found));
		archive = found;
	}
	_cleanup_close_ int fd = open(archive, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", archive);
	return archive_unpack_fd(host, o, fd, archive, ret_recording);
}
