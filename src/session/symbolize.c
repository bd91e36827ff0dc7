#include "session/symbolize.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "profile/rewrite.h"
#include "profile/select.h"

static struct strobe_error *parse_part(const char *s, size_t n, struct symbolize *ret)
{
	static const struct {
		const char *word;
		struct symbolize means; /* but for its names */
	} words[] = {
		{ "local", { .where = SYMBOLIZE_LOCAL } },
		{ "fastlocal", { .where = SYMBOLIZE_LOCAL, .names_only = true } },
		{ "remote", { .where = SYMBOLIZE_REMOTE } },
		{ "none", { .is_off = true } },
		{ "no", { .is_off = true } },
	};
	static const struct {
		const char *word;
		enum resolve_names means;
	} demangle[] = {
		{ "demangle=default", RESOLVE_SHORT },
		{ "demangle=templates", RESOLVE_TEMPLATES },
		{ "demangle=full", RESOLVE_FULL },
		{ "demangle=none", RESOLVE_RAW },
	};
	enum resolve_names names = ret->names;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].word) != n || memcmp(words[i].word, s, n))
			continue;
		*ret = words[i].means;
		ret->names = names;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(demangle) / sizeof(*demangle); i++) {
		if (strlen(demangle[i].word) != n || memcmp(demangle[i].word, s, n))
			continue;
		ret->names = demangle[i].means;
		return NULL;
	}
	return error_create(ERROR_USAGE,
			    "-symbolize: unknown value '%.*s'; expected local, fastlocal, remote or none, and "
			    ":demangle=default, full, templates or none", (int)n, s);
}

struct strobe_error *symbolize_parse(const char *word, struct symbolize *ret)
{
	*ret = (struct symbolize){ .names = RESOLVE_SHORT };
	while (word && *word) {
		size_t n = strcspn(word, ":");
		if (n)
			TRY(parse_part(word, n, ret));
		word += n + (word[n] == ':');
	}
	return NULL;
}

void symbolize_use_binary(struct profile *p, const char *path, const char *build_id)
{
	if (!p->mappings.len)
		return;
	struct profile_mapping m = p->mappings.data[0];
	if (path) {
		m.path = strtab_add(&p->strings, path);
		m.name = strtab_add(&p->strings, text_base_name(path));
	}
	if (build_id)
		m.build_id = strtab_add(&p->strings, build_id);
	profile_describe_mapping(p, 0, &m);
}

/* Tries the names of go tool pprof in the directory; NULL: none is a file. */
static const char *find_below(struct arena *a, const char *dir, const char *path, const char *build_id)
{
	const char *name = text_base_name(path);
	const char *const tries[] = {
		*build_id ? arena_printf(a, "%s/%s/%s", dir, build_id, name) : NULL,
		arena_printf(a, "%s/%s", dir, name),
		arena_printf(a, "%s/%s", dir, path),
		*build_id ? arena_printf(a, "%s/%s/%s", dir, path, build_id) : NULL,
	};
	struct stat st;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++)
		if (tries[i] && !stat(tries[i], &st) && S_ISREG(st.st_mode))
			return tries[i];
	return NULL;
}

/* The same in all directories, separated by ':'; the last that has it counts. */
static const char *find_binary(struct arena *a, const char *dirs, const char *path, const char *build_id)
{
	const char *found = NULL;
	char *rest = NULL, *copy = arena_strdup(a, dirs);
	for (char *dir = strtok_r(copy, ":", &rest); dir && *path && *path != '['; dir = strtok_r(NULL, ":", &rest)) {
		const char *below = find_below(a, dir, path, build_id);
		if (below)
			path = found = below;
	}
	return found;
}

static void use_found(void *ctx, struct profile *dst, mapping_id id, struct profile_mapping *m)
{
	const char *const *found = ctx;
	if (found[id])
		m->path = strtab_add(&dst->strings, found[id]);
}

/* *Replaces *p if a binary is found. One of another build is rejected later by build ID. */
static void use_binary_path(struct profile **p)
{
	const char *said = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
	size_t nr = (*p)->mappings.len;
	struct arena arena, *a = &arena;
	arena_init(a);
	const char *dirs = said && *said ? said : home ? arena_printf(a, "%s/pprof/binaries", home) : "";
	const char **found = arena_new_array(a, const char *, nr);
	bool any = false;
	for (size_t i = 0; i < nr; i++) {
		const struct profile_mapping *m = &(*p)->mappings.data[i];
		found[i] = find_binary(a, dirs, profile_str(*p, m->path), profile_str(*p, m->build_id));
		any |= found[i] != NULL;
	}
	if (any) {
		struct profile *made = profile_rewrite(*p, &(struct profile_rewrite){ .ctx = found, .mapping = use_found });
		profile_destroy(*p);
		*p = made;
	}
	arena_deinit(a);
}

static void say_missing(const struct session_host *host, struct profile_objects *o, const struct profile *p)
{
	for (mapping_id i = 0; i < p->mappings.len; i++) {
		struct dso *dso = profile_object(o, i);
		struct dso_facts facts = dso ? dso_facts(dso) : (struct dso_facts){};
		if (facts.loaded && !facts.source)
			session_say(host, "no symbols in %s: %s", profile_str(p, p->mappings.data[i].path),
				    facts.problem ? facts.problem : "none found");
	}
}

bool symbolize_is_needed(const struct symbolize *s, const struct profile *p)
{
	return !s->is_off && s->where != SYMBOLIZE_REMOTE && p->origin.events_are_values && resolve_profile_is_needed(p);
}

struct strobe_error *symbolize_profile(const struct session_host *host, const struct symbolize *s, struct profile **p)
{
	if (!symbolize_is_needed(s, *p))
		return NULL;
	struct symbols_options options = {};
	use_binary_path(p);
	TRY(session_buildid_dir(host, &options.buildid_dir));
	struct profile_objects *o = profile_objects_create(*p, &options);
	struct profile *named = resolve_profile(*p, o, s->names, s->names_only);
	say_missing(host, o, *p);
	profile_objects_destroy(o);
	profile_destroy(*p);
	*p = named;
	return NULL;
}

struct strobe_error *symbolize_drop_uninteresting(struct profile **p)
{
	struct profile *all = *p;
	if (!all->origin.drop_frames)
		return NULL;
	struct strobe_error *err = profile_drop_uninteresting(all, p);
	if (err)
		*p = all;
	else
		profile_destroy(all);
	return err;
}

struct strobe_error *symbolize_for_views(const struct session_host *host, struct profile **p)
{
	TRY(symbolize_profile(host, &(struct symbolize){ .names = RESOLVE_SHORT }, p));
	return symbolize_drop_uninteresting(p);
}
