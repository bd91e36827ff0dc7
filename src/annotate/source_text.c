#include "annotate/source_text.h"

#include <string.h>

#include "base/cleanup.h"
#include "object/sysroot.h"

/* A path without its first n directories: "/a/b/c.c" after 1 is "/b/c.c"; the file name is always kept. */
static const char *strip_directories(const char *path, uint64_t n)
{
	for (; n; n--) {
		const char *next = strchr(path + 1, '/');
		if (!next)
			break;
		path = next;
	}
	return path;
}

static bool try_path(struct listing *l, struct listing_file *f, const char *path)
{
	_cleanup_error_ struct strobe_error *err = lines_read(path, &f->text);
	if (err) {
		f->problem = arena_strdup(&l->arena, err->message);
		return false;
	}
	f->opened = arena_strdup(&l->arena, path);
	f->problem = NULL;
	return true;
}

static void read_file(struct listing *l, struct listing_file *f, const struct annotate_options *options)
{
	const char *path = f->path;
	if (*path == '/' && (options->source_prefix || options->source_strip)) {
		const char *rest = strip_directories(path, options->source_strip);
		const char *prefix = options->source_prefix ? options->source_prefix : "";
		if (try_path(l, f, arena_printf(&l->arena, "%s%s", prefix, rest)))
			return;
	}
	_cleanup_free_ char *below = *path == '/' && options->source_root ? sysroot_path(options->source_root, path) : NULL;
	if (below && try_path(l, f, below))
		return;
	(void)try_path(l, f, path);
}

void source_text_read(struct listing *l, const struct annotate_options *options)
{
	for (size_t i = 0; i < l->files.len; i++)
		read_file(l, &l->files.data[i], options);
}
