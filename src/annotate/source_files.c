#include "annotate/source_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

void source_files_init(struct source_files *s, const struct source_paths *paths)
{
	*s = (struct source_files){ .paths = *paths };
	arena_init(&s->arena);
}

void source_files_deinit(struct source_files *s)
{
	for (size_t i = 0; i < s->files.len; i++)
		lines_deinit(&s->files.data[i]->lines);
	vec_deinit(&s->files);
	arena_deinit(&s->arena);
}

/* The next part of a colon-separated list; false at its end. */
static bool next_part(struct arena *a, const char **list, const char **ret)
{
	while (**list == ':')
		(*list)++;
	size_t n = strcspn(*list, ":");
	if (!n)
		return false;
	*ret = arena_strndup(a, *list, n);
	*list += n;
	return true;
}

static const char *last_directory(struct arena *a, const char *dir)
{
	size_t n = strlen(dir);
	while (n && dir[n - 1] == '/')
		n--;
	size_t from = n;
	while (from && dir[from - 1] != '/')
		from--;
	return arena_strndup(a, dir + from, n - from);
}

const char *source_path_trimmed(struct arena *a, const char *path, const struct source_paths *paths)
{
	static const char *const always[] = { "/proc/self/cwd/./", "/proc/self/cwd/" };
	const char *search = paths->search ? paths->search : "", *trim = paths->trim ? paths->trim : "";
	const char *list = *trim ? trim : search, *part;
	while (next_part(a, &list, &part)) {
		const char *prefix = *trim ? arena_printf(a, "%s%s", part, text_has_suffix(part, "/") ? "" : "/") :
			arena_printf(a, "/%s/", last_directory(a, part));
		if (*trim && text_has_prefix(path, prefix))
			return path + strlen(prefix);
		const char *found = *trim || !prefix[2] ? NULL : strstr(path, prefix);
		if (found)
			return found + strlen(prefix);
	}
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (text_has_prefix(path, always[i]))
			return path + strlen(always[i]);
	return path;
}

/* ---- where it is ---- */

struct search {
	struct arena *arena;
	const struct source_paths *paths;
	const char *dirs; /* the search path, or the current directory */
};

static bool is_below(struct search *s, const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	const char *list = s->dirs, *part;
	while (real && next_part(s->arena, &list, &part)) {
		_cleanup_free_ char *dir = realpath(part, NULL);
		size_t n = dir ? strlen(dir) : 0;
		if (dir && text_has_prefix(real, dir) && (real[n] == '/' || !strcmp(dir, "/")))
			return true;
	}
	return false;
}

static struct strobe_error *read_there(struct search *s, const char *path, struct lines *ret)
{
	*ret = (struct lines){};
	if (s->paths->below_only && !is_below(s, path))
		return error_create(ERROR_NOT_FOUND, "%s is outside of %s, the source directories of this server "
			"(-source_path)", path, s->dirs);
	struct strobe_error *err = lines_read(path, ret);
	if (!error_is(err, ERROR_NOT_FOUND))
		return err;
	error_destroy(err);
	return error_create(ERROR_NOT_FOUND, "open %s: no such file or directory", path);
}

/* Removes the last directory; false at the top. */
static bool go_up(char *dir)
{
	char *slash = strrchr(dir, '/');
	if (!strcmp(dir, "/") || !strcmp(dir, ".") || !*dir)
		return false;
	if (!slash)
		memcpy(dir, ".", 2);
	else
		slash[slash == dir] = 0;
	return true;
}

static struct strobe_error *look_for(struct search *s, const char *path, struct lines *ret)
{
	const char *list = s->dirs, *part;
	while (next_part(s->arena, &list, &part)) {
		char *dir = arena_strdup(s->arena, part);
		do {
			_cleanup_error_ struct strobe_error *err = read_there(s, arena_printf(s->arena, "%s/%s", dir, path), ret);
			if (!err)
				return NULL;
		} while (go_up(dir));
	}
	return error_create(ERROR_NOT_FOUND, "could not find file %s on path %s", path, s->dirs);
}

struct strobe_error *source_file_read(const struct source_paths *paths, const char *path, struct lines *ret)
{
	struct arena arena;
	char here[4096] = "";
	arena_init(&arena);
	struct search s = { .arena = &arena, .paths = paths, .dirs = paths->search };
	if (!s.dirs || !*s.dirs)
		s.dirs = getcwd(here, sizeof(here)) ? here : "";
	const struct source_paths known = { .search = s.dirs, .trim = paths->trim };
	const char *left = source_path_trimmed(&arena, path, &known);
	struct strobe_error *err = *left == '/' ? read_there(&s, left, ret) : look_for(&s, left, ret);
	arena_deinit(&arena);
	return err;
}

const struct source_file *source_files_get(struct source_files *s, const char *path)
{
	if (s->last && !strcmp(s->last->path, path))
		return s->last;
	for (size_t i = 0; i < s->files.len; i++)
		if (!strcmp(s->files.data[i]->path, path))
			return s->last = s->files.data[i];
	s->last = arena_new(&s->arena, struct source_file);
	s->last->path = arena_strdup(&s->arena, path);
	_cleanup_error_ struct strobe_error *err = source_file_read(&s->paths, path, &s->last->lines);
	s->last->problem = err ? arena_strdup(&s->arena, err->message) : NULL;
	vec_push(&s->files, s->last);
	return s->last;
}
