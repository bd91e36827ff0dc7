#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "object/buildid_cache.h"
#include "object/dwarf/dwarf.h"
#include "transfer/priv.h"

struct companions {
	struct tar_writer *w;
	const struct archive_entry *e;
	const char *object; /* path of the file that may have debug information */
	bool found;         /* it has debug information */
	struct strobe_error *err;
};

/* False if there is no such file. */
static bool add_if_there(struct companions *c, const char *inside, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	c->err = tar_add_file(c->w, inside, fd, path);
	return true;
}

static bool add_split(void *ctx, const char *path, uint64_t id)
{
	struct companions *c = ctx;
	char name[32];
	snprintf(name, sizeof(name), BUILDID_CACHE_SPLIT, (unsigned long long)id);
	_cleanup_free_ char *inside = xasprintf("%s/%s/%s", c->e->path, c->e->hex, name);
	_cleanup_free_ char *cached = c->e->cache_dir ? buildid_cache_path(c->e->cache_dir, c->e->hex, name) : NULL;
	(void)((cached && add_if_there(c, inside, cached)) || add_if_there(c, inside, path));
	return !c->err;
}

static bool has_split(void *ctx, const char *path, uint64_t id)
{
	bool *found = ctx;
	(void)path;
	(void)id;
	*found = true;
	return false;
}

/* A package with all units is beside the file, or beside the original of the cache's copy. */
static bool add_package(struct companions *c)
{
	_cleanup_free_ char *inside = xasprintf("%s/%s/" BUILDID_CACHE_PACKAGE, c->e->path, c->e->hex);
	_cleanup_free_ char *beside = xasprintf("%s.dwp", c->object), *recorded = xasprintf("/%s.dwp", c->e->path);
	_cleanup_free_ char *cached = c->e->cache_dir ? buildid_cache_path(c->e->cache_dir, c->e->hex, BUILDID_CACHE_PACKAGE) : NULL;
	if (cached && !access(cached, R_OK))
		return true; /* it was packed with the entry */
	return add_if_there(c, inside, beside) || add_if_there(c, inside, recorded);
}

static struct strobe_error *add_split_units(struct companions *c, struct object *o)
{
	bool is_split = false;
	struct dwarf *d = dwarf_create(o, (struct dwarf_files){});
	c->found = d;
	if (d)
		dwarf_each_split(d, has_split, &is_split);
	if (is_split && !add_package(c))
		dwarf_each_split(d, add_split, c);
	dwarf_destroy(d);
	return c->err;
}

/* The cache's own copy of it; *ret_path: its original path, without the first slash. Both are owned by the caller. */
static char *find_cached(const char *cache_dir, const char *hex, char **ret_path)
{
	_cleanup_free_ char *file = cache_dir ? buildid_cache_path(cache_dir, hex, "elf") : NULL;
	_cleanup_free_ char *dir = file && !access(file, R_OK) ? realpath(cache_dir, NULL) : NULL, *real = NULL;
	if (!dir || !(real = realpath(file, NULL)))
		return NULL;
	size_t top = strlen(dir) + 1, bytes = strlen(real), end = strlen(hex) + strlen("//elf");
	if (bytes <= top + end || strncmp(real, dir, top - 1))
		return NULL;
	*ret_path = xstrndup(real + top, bytes - top - end);
	return take_ptr(real);
}

static struct strobe_error *add_supplement(struct companions *c, struct object *o)
{
	char hex[BUILDID_HEX_MAX];
	const char *name;
	const uint8_t *id;
	size_t id_bytes;
	_cleanup_free_ char *path = NULL;
	if (!object_supplement_link(o, &name, &id, &id_bytes))
		return NULL;
	buildid_hex(id, id_bytes, hex);
	struct object *linked = object_open_supplement(o, NULL);
	_cleanup_free_ char *file = linked ? realpath(object_name(linked), NULL) : NULL;
	object_close(linked);
	if (file)
		path = xstrdup(file + 1);
	else
		file = find_cached(c->e->cache_dir, hex, &path);
	if (!file || !buildid_cache_is_safe(path))
		return NULL;
	_cleanup_free_ char *inside = xasprintf("%s/%s/elf", path, hex), *link = xasprintf(".build-id/%.2s/%s", hex, hex + 2);
	_cleanup_free_ char *target = xasprintf("../../%s/%s", path, hex);
	TRY(tar_add_link(c->w, link, target));
	(void)add_if_there(c, inside, file);
	return c->err;
}

struct strobe_error *archive_add_companions(struct tar_writer *w, const struct archive_entry *e)
{
	struct companions c = { .w = w, .e = e };
	struct strobe_error *err = NULL;
	for (int i = 0; i < 2 && !err && !c.found; i++) {
		struct object *o;
		c.object = i ? e->debug : e->elf;
		struct strobe_error *none = c.object ? object_open(c.object, &o) : NULL;
		if (!c.object || none) {
			error_destroy(none); /* it was packed unchanged */
			continue;
		}
		err = add_split_units(&c, o);
		if (!err)
			err = add_supplement(&c, o);
		object_close(o);
	}
	return err;
}
