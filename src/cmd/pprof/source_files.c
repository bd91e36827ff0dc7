#include "cmd/pprof/source_files.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"

void source_files_init(struct source_files *s, const char *search, const char *trim)
{
	*s = (struct source_files){ .search = search ? search : "", .trim = trim ? trim : "" };
	arena_init(&s->arena);
	char here[4096];
	if (!*s->search && getcwd(here, sizeof(here)))
		s->search = arena_strdup(&s->arena, here);
}

void source_files_deinit(struct source_files *s)
{
	for (size_t i = 0; i < s->files.len; i++)
		lines_deinit(&s->files.data[i]->lines);
	vec_deinit(&s->files);
	arena_deinit(&s->arena);
}

/* The next part of a list with ':' between; false at its end. */
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

const char *source_path_trimmed(struct arena *a, const char *path, const char *search, const char *trim)
{
	static const char *const always[] = { "/proc/self/cwd/./", "/proc/self/cwd/" };
	const char *list = *trim ? trim : search, *part;
	while (next_part(a, &list, &part)) {
		const char *want = *trim ? arena_printf(a, "%s%s", part, text_has_suffix(part, "/") ? "" : "/") :
			arena_printf(a, "/%s/", last_directory(a, part));
		if (*trim && text_has_prefix(path, want))
			return path + strlen(want);
		const char *found = *trim || !want[2] ? NULL : strstr(path, want);
		if (found)
			return found + strlen(want);
	}
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (text_has_prefix(path, always[i]))
			return path + strlen(always[i]);
	return path;
}

static bool try_path(struct source_file *f, const char *path)
{
	_cleanup_error_ struct strobe_error *err = lines_read(path, &f->lines);
	return !err;
}

/* Cuts off the last directory; false at the top. */
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

static bool search(struct source_files *s, struct source_file *f, const char *path)
{
	const char *list = s->search, *part;
	while (next_part(&s->arena, &list, &part)) {
		char *dir = arena_strdup(&s->arena, part);
		do {
			if (try_path(f, arena_printf(&s->arena, "%s/%s", dir, path)))
				return true;
		} while (go_up(dir));
	}
	return false;
}

static void read_file(struct source_files *s, struct source_file *f)
{
	const char *path = source_path_trimmed(&s->arena, f->path, s->search, s->trim);
	if (*path != '/') {
		if (!search(s, f, path))
			f->problem = arena_printf(&s->arena, "could not find file %s on path %s", path, s->search);
		return;
	}
	_cleanup_error_ struct strobe_error *err = lines_read(path, &f->lines);
	if (err)
		f->problem = error_is(err, ERROR_NOT_FOUND) ?
			arena_printf(&s->arena, "open %s: no such file or directory", path) : arena_strdup(&s->arena, err->message);
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
	read_file(s, s->last);
	vec_push(&s->files, s->last);
	return s->last;
}
