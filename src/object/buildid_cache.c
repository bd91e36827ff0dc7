#include "object/buildid_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/text.h"
#include "base/vector.h"
#include "object/symbols_file.h"

#define LINK_UP "../.." /* from .build-id/xx/ to the cache */

const char *const buildid_cache_names[] = { "elf", "debug", "vdso", "kallsyms", "probes", BUILDID_CACHE_PACKAGE, NULL };

void buildid_hex(const uint8_t *id, size_t bytes, char ret[BUILDID_HEX_MAX])
{
	size_t n = bytes < BUILDID_HEX_MAX / 2 ? bytes : BUILDID_HEX_MAX / 2;
	text_bytes_to_hex(id, n, ret);
	ret[2 * n] = 0;
}

static bool is_hex(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");
	return n > 2 && n < BUILDID_HEX_MAX && !s[n];
}

char *buildid_cache_path(const char *dir, const char *hex, const char *name)
{
	if (!is_hex(hex))
		return NULL;
	return xasprintf("%s/.build-id/%.2s/%s%s%s", dir, hex, hex + 2, name ? "/" : "", name ? name : "");
}

bool buildid_cache_has(const char *dir, const char *hex)
{
	_cleanup_free_ char *link = buildid_cache_path(dir, hex, NULL);
	struct stat st;
	return link && !stat(link, &st) && S_ISDIR(st.st_mode);
}

bool buildid_cache_is_name(const char *name)
{
	for (const char *const *n = buildid_cache_names; *n; n++)
		if (!strcmp(name, *n))
			return true;
	return text_has_prefix(name, "dwo-") && strspn(name + 4, "0123456789abcdef") == 16 && !name[20];
}

/* A path in a recording becomes a path below the cache: it must not leave the cache, nor enter its links. */
bool buildid_cache_is_safe(const char *path)
{
	if (!*path || strlen(path) >= PATH_MAX || !strncmp(path, ".build-id", 9))
		return false;
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (at[0] == '.' && (!at[1] || at[1] == '/' || (at[1] == '.' && (!at[2] || at[2] == '/'))))
			return false;
	}
	return true;
}

static struct strobe_error *make_link(const char *link, const char *target)
{
	char now[PATH_MAX];
	ssize_t n = readlink(link, now, sizeof(now) - 1);
	if (n >= 0) {
		now[n] = 0;
		if (!strcmp(now, target))
			return NULL;
		/* The same file under another path: the newer path is the current one. */
		unlink(link);
	}
	if (symlink(target, link) && errno != EEXIST)
		return error_errno(errno, "cannot create the link %s", link);
	return NULL;
}

struct strobe_error *buildid_cache_add(const char *dir, const char *hex, const char *path)
{
	while (*path == '/')
		path++;
	if (!is_hex(hex) || !buildid_cache_is_safe(path))
		return error_create(ERROR_FORMAT, "'%s' with the build ID '%s' cannot be cached", path, hex);
	_cleanup_free_ char *entry = xasprintf("%s/%s/%s", dir, path, hex);
	_cleanup_free_ char *links = xasprintf("%s/.build-id/%.2s", dir, hex);
	_cleanup_free_ char *link = xasprintf("%s/%s", links, hex + 2);
	_cleanup_free_ char *target = xasprintf(LINK_UP "/%s/%s", path, hex);
	TRY(file_make_dirs(entry));
	TRY(file_make_dirs(links));
	return make_link(link, target);
}

static struct strobe_error *copy_bytes(int from, const char *from_name, int to, const char *to_name)
{
	_cleanup_free_ char *buffer = xmalloc(1 << 16);
	for (;;) {
		ssize_t n = read(from, buffer, 1 << 16);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "cannot read %s", from_name);
		if (!n)
			return NULL;
		TRY(file_write_fd(to, to_name, buffer, (size_t)n));
	}
}

/* from NULL: of the bytes. */
static struct strobe_error *put_copy(const char *to, const char *from, const void *p, size_t n)
{
	_cleanup_close_ int in = from ? open(from, O_RDONLY | O_CLOEXEC) : -1;
	if (from && in < 0)
		return error_errno(errno, "cannot open %s", from);
	_cleanup_new_file_ struct new_file out = NEW_FILE_NONE;
	TRY(new_file_create(to, &out));
	TRY(from ? copy_bytes(in, from, out.fd, to) : file_write_fd(out.fd, to, p, n));
	struct stat st;
	return new_file_keep(&out, from && !fstat(in, &st) ? (st.st_mode & 0755) | 0400 : 0644);
}

bool buildid_cache_link(const char *dir, const char *hex, const char *name, const char *from)
{
	_cleanup_free_ char *to = buildid_cache_path(dir, hex, name);
	struct stat st;
	/* Not a hard link to a symbolic link, which may be redirected. */
	return to && (!lstat(to, &st) || (!lstat(from, &st) && S_ISREG(st.st_mode) && st.st_size && !link(from, to)));
}

struct strobe_error *buildid_cache_copy(const char *dir, const char *hex, const char *name, const char *from)
{
	_cleanup_free_ char *to = buildid_cache_path(dir, hex, name);
	struct stat st;
	if (!to)
		return error_create(ERROR_FORMAT, "'%s' is not a valid build ID", hex);
	return lstat(to, &st) ? put_copy(to, from, NULL, 0) : NULL;
}

struct strobe_error *buildid_cache_put(const char *dir, const char *hex, const char *name, const char *from)
{
	return buildid_cache_link(dir, hex, name, from) ? NULL : buildid_cache_copy(dir, hex, name, from);
}

struct strobe_error *buildid_cache_put_bytes(const char *dir, const char *hex, const char *name, const void *p, size_t n)
{
	_cleanup_free_ char *to = buildid_cache_path(dir, hex, name);
	if (!to)
		return error_create(ERROR_FORMAT, "'%s' is not a valid build ID", hex);
	return put_copy(to, NULL, p, n);
}

struct strobe_error *buildid_cache_put_symbols(const char *dir, const char *hex, const struct object *o)
{
	_cleanup_free_ char *to = buildid_cache_path(dir, hex, BUILDID_CACHE_SYMBOLS);
	_cleanup_new_file_ struct new_file out = NEW_FILE_NONE;
	if (!to)
		return error_create(ERROR_FORMAT, "'%s' is not a valid build ID", hex);
	TRY(new_file_create(to, &out));
	TRY(object_write_symbols(o, out.fd, to));
	return new_file_keep(&out, 0644);
}

/* The files of an entry; entries hold no directories. */
static void empty_directory(const char *path)
{
	DIR *d = opendir(path);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

/* Removes path and its empty parents below `top`. */
static void remove_empty(const char *top, const char *path)
{
	_cleanup_free_ char *at = xstrdup(path);
	size_t top_bytes = strlen(top);
	while (strlen(at) > top_bytes && !rmdir(at)) {
		char *slash = strrchr(at, '/');
		if (!slash)
			return;
		*slash = 0;
	}
}

struct strobe_error *buildid_cache_remove(const char *dir, const char *hex)
{
	_cleanup_free_ char *link = buildid_cache_path(dir, hex, NULL);
	char target[PATH_MAX];
	ssize_t n = link ? readlink(link, target, sizeof(target) - 1) : -1;
	if (n < 0)
		return error_create(ERROR_NOT_FOUND, "%s is not in the cache %s", hex, dir);
	target[n] = 0;
	const char *below = target + strlen(LINK_UP "/");
	/* Only directories made by add() are emptied: of a link that leads elsewhere only the link is removed. */
	if (text_has_prefix(target, LINK_UP "/") && buildid_cache_is_safe(below)) {
		_cleanup_free_ char *entry = xasprintf("%s/%s", dir, below);
		empty_directory(entry);
		remove_empty(dir, entry);
	}
	if (unlink(link))
		return error_errno(errno, "cannot remove %s", link);
	*strrchr(link, '/') = 0;
	remove_empty(dir, link);
	return NULL;
}

/* ---- what there is ---- */

struct listing {
	struct arena arena;
	VEC(struct buildid_cache_entry) entries;
};

static const char *path_of(struct listing *l, const char *dir, const char *hex)
{
	_cleanup_free_ char *link = buildid_cache_path(dir, hex, NULL);
	char target[PATH_MAX];
	ssize_t n = link ? readlink(link, target, sizeof(target) - 1) : -1;
	if (n < 0)
		return NULL;
	target[n] = 0;
	const char *path = text_has_prefix(target, LINK_UP) ? target + strlen(LINK_UP) : target;
	const char *slash = strrchr(target, '/');
	if (slash <= path)
		return "";
	path += path[1] == '['; /* "[vdso]" is not a path */
	return arena_strndup(&l->arena, path, (size_t)(slash - path));
}

static void list_links(struct listing *l, const char *dir, const char *first, bool with_paths)
{
	_cleanup_free_ char *below = xasprintf("%s/.build-id/%s", dir, first);
	DIR *d = opendir(below);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		struct buildid_cache_entry add = { .hex = arena_printf(&l->arena, "%s%s", first, e->d_name) };
		if (!is_hex(add.hex))
			continue;
		add.path = with_paths ? path_of(l, dir, add.hex) : NULL;
		if (add.path || !with_paths)
			vec_push(&l->entries, add);
	}
	closedir(d);
}

static int compare(const void *pa, const void *pb)
{
	const struct buildid_cache_entry *a = pa, *b = pb;
	int c = strcmp(a->path, b->path);
	return c ? c : strcmp(a->hex, b->hex);
}

static void for_each(const char *dir, bool with_paths, bool (*fn)(void *ctx, const struct buildid_cache_entry *e), void *ctx)
{
	struct listing l = {};
	_cleanup_free_ char *top = xasprintf("%s/.build-id", dir);
	DIR *d = opendir(top);
	if (!d)
		return;
	arena_init(&l.arena);
	for (struct dirent *e; (e = readdir(d));)
		if (strlen(e->d_name) == 2 && strspn(e->d_name, "0123456789abcdef") == 2)
			list_links(&l, dir, e->d_name, with_paths);
	closedir(d);
	if (l.entries.len && with_paths)
		qsort(l.entries.data, l.entries.len, sizeof(*l.entries.data), compare);
	for (size_t i = 0; i < l.entries.len; i++)
		if (!fn(ctx, &l.entries.data[i]))
			break;
	vec_deinit(&l.entries);
	arena_deinit(&l.arena);
}

void buildid_cache_each(const char *dir, bool (*fn)(void *ctx, const struct buildid_cache_entry *e), void *ctx)
{
	for_each(dir, true, fn, ctx);
}

void buildid_cache_each_id(const char *dir, bool (*fn)(void *ctx, const struct buildid_cache_entry *e), void *ctx)
{
	for_each(dir, false, fn, ctx);
}
