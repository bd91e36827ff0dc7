#include "session/buildid/file_cache.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vector.h"
#include "session/buildid/cached_file.h"

/* An action on one file that is open. */
typedef struct strobe_error *action(const struct file_cache *c, const struct cached_file *f);

static struct strobe_error *act(const struct file_cache *c, const char *file, action *action, const char *doing)
{
	struct cached_file f;
	TRY(cached_file_open(file, c->pid, &f));
	struct strobe_error *err = action(c, &f);
	if (!err)
		c->done(c->ctx, doing, f.hex, file);
	cached_file_close(&f);
	return err;
}

static struct strobe_error *add(const struct file_cache *c, const struct cached_file *f)
{
	return cached_file_add(c->dir, f, c->servers);
}

static struct strobe_error *take_out(const struct file_cache *c, const struct cached_file *f)
{
	return buildid_cache_remove(c->dir, f->hex);
}

static struct strobe_error *replace(const struct file_cache *c, const struct cached_file *f)
{
	if (buildid_cache_has(c->dir, f->hex))
		TRY(take_out(c, f));
	return add(c, f);
}

struct strobe_error *file_cache_add(const struct file_cache *c, const char *file)
{
	return act(c, file, add, "Adding");
}

struct strobe_error *file_cache_remove(const struct file_cache *c, const char *file)
{
	return act(c, file, take_out, "Removing");
}

struct strobe_error *file_cache_update(const struct file_cache *c, const char *file)
{
	return act(c, file, replace, "Updating");
}

struct by_path {
	const char *path;
	VEC(char *) found; /* build IDs */
};

static bool match_path(void *ctx, const struct buildid_cache_entry *e)
{
	struct by_path *b = ctx;
	if (!strcmp(e->path, b->path))
		vec_push(&b->found, xstrdup(e->hex));
	return true;
}

struct strobe_error *file_cache_purge(const struct file_cache *c, const char *file)
{
	char real[PATH_MAX];
	struct by_path b = { .path = realpath(file, real) ? real : file };
	struct strobe_error *err = NULL;
	buildid_cache_each(c->dir, match_path, &b);
	for (size_t i = 0; i < b.found.len; i++) {
		if (!err)
			err = buildid_cache_remove(c->dir, b.found.data[i]);
		if (!err)
			c->done(c->ctx, "Removing", b.found.data[i], file);
		free(b.found.data[i]);
	}
	if (!err && !b.found.len)
		err = error_create(ERROR_NOT_FOUND, "%s is not in the cache %s", file, c->dir);
	vec_deinit(&b.found);
	return err;
}

struct clearing {
	const struct file_cache *c;
	void (*fail)(void *ctx, struct strobe_error *err);
};

static bool clear_entry(void *ctx, const struct buildid_cache_entry *e)
{
	const struct clearing *clearing = ctx;
	const struct file_cache *c = clearing->c;
	struct strobe_error *err = buildid_cache_remove(c->dir, e->hex);
	if (err)
		clearing->fail(c->ctx, err);
	else
		c->done(c->ctx, "Removing", e->hex, e->path);
	return true;
}

void file_cache_clear(const struct file_cache *c, void (*fail)(void *ctx, struct strobe_error *err))
{
	buildid_cache_each(c->dir, clear_entry, &(struct clearing){ c, fail });
}
