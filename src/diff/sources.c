#include "diff/sources.h"

#include <glob.h>
#include <string.h>

#include "base/lists.h"

struct diff_sources diff_sources_of_words(struct arena *arena, int argc, char *const *argv)
{
	static const char *const defaults[] = { "perf.data.old", "perf.data" };
	struct diff_sources ret = { .nr = argc > 1 ? (uint32_t)argc : 2 };
	const char **paths = arena_new_array(arena, const char *, ret.nr);
	ret.data = arena_new_array(arena, struct diff_source, ret.nr);
	for (uint32_t i = 0; i < ret.nr; i++) {
		paths[i] = argc > 1 ? argv[i] : i && argc ? argv[0] : defaults[i];
		ret.data[i] = (struct diff_source){ .paths = &paths[i], .nr = 1 };
	}
	return ret;
}

/* Adds the files that match a pattern, in alphabetical order; a name that is not a pattern is a file. */
static struct strobe_error *add_pattern(struct arena *arena, const char *pattern, const char **paths, uint32_t *nr)
{
	glob_t found;
	if (glob(pattern, GLOB_NOCHECK | GLOB_TILDE, NULL, &found))
		return error_create(ERROR_IO, "cannot list files of %s", pattern);
	struct strobe_error *err = NULL;
	if (*nr + found.gl_pathc > DIFF_INPUTS_MAX)
		err = error_create(ERROR_USAGE, "%s matches %zu files: at most %d can be compared", pattern, (size_t)found.gl_pathc,
				   DIFF_INPUTS_MAX);
	for (size_t i = 0; !err && i < found.gl_pathc; i++)
		paths[(*nr)++] = arena_strdup(arena, found.gl_pathv[i]);
	globfree(&found);
	return err;
}

static struct strobe_error *add_runs(struct arena *arena, const char *patterns, struct diff_source *ret)
{
	const char **paths = arena_new_array(arena, const char *, DIFF_INPUTS_MAX);
	struct list_strings list;
	*ret = (struct diff_source){ .paths = paths };
	TRY(list_strings_parse(arena, patterns, &list));
	for (uint32_t i = 0; i < list.nr; i++)
		TRY(add_pattern(arena, list.data[i], paths, &ret->nr));
	return ret->nr ? NULL : error_create(ERROR_USAGE, "--before and --after require files");
}

struct strobe_error *diff_sources_of_runs(struct arena *arena, const char *before, const char *after, struct diff_sources *ret)
{
	*ret = (struct diff_sources){ .data = arena_new_array(arena, struct diff_source, 2), .nr = 2 };
	TRY(add_runs(arena, before, &ret->data[0]));
	return add_runs(arena, after, &ret->data[1]);
}

struct strobe_error *diff_sources_set_times(struct arena *arena, const char *times, struct diff_sources *s)
{
	char *rest = times && strchr(times, ':') ? arena_strdup(arena, times) : NULL;
	if (!rest)
		return NULL;
	for (uint32_t i = 0; i < s->nr; i++) {
		const char *own = strsep(&rest, ":");
		if (!own || !*own)
			return error_create(ERROR_USAGE, "--time: expected a time range of each of %u files, with ':' between them",
					    s->nr);
		s->data[i].times = own;
	}
	return rest ? error_create(ERROR_USAGE, "--time has more time ranges than there are files") : NULL;
}
