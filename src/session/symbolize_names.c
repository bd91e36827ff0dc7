/* Converts names for reports: mangled ones, and those with parameters and template arguments. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "demangle/demangle.h"
#include "profile/rewrite.h"
#include "session/symbolize.h"

/* Distinguishes them like pprof from names of Go ("bytes.(*Buffer).Write") and Java ("Type.<init>"), which have brackets as well. */
static bool is_cxx(const char *name)
{
	/* most names have none of these characters */
	if (!strpbrk(name, "<>[]:"))
		return false;
	return !strstr(name, ".<") && !strstr(name, "]).") && (strpbrk(name, "<>[]") || strstr(name, "::"));
}

/* Mach-O prepends an underscore to all names. */
static char *written_name(const char *linked, bool whole)
{
	char *(*written)(const char *name) = whole ? demangle_whole_name : demangle_name;
	char *ret = written(linked);
	return ret || strncmp(linked, "__Z", 3) ? ret : written(linked + 1);
}

str_id symbolize_readable(struct profile *dst, const char *linked, enum resolve_names form)
{
	_cleanup_free_ char *written = form == RESOLVE_RAW ? NULL : written_name(linked, form == RESOLVE_FULL);
	const char *name = written ? written : linked;
	return written || is_cxx(name) ? resolve_readable_name(dst, name, form) : strtab_add(&dst->strings, name);
}

/* Whether a function has, or is to get, its linkage name. */
static bool is_linked_name(const struct symbolize *s, const struct profile_function *f)
{
	bool is_forced = s->names != RESOLVE_SHORT && f->system_name;
	return f->name == f->system_name || !f->name || is_forced;
}

bool symbolize_changes_names(const struct symbolize *s, const struct profile *p)
{
	if (s->is_off || !p->origin.events_are_values)
		return false;
	for (size_t i = 0; i < p->functions.len; i++) {
		const struct profile_function *f = &p->functions.data[i];
		const char *linked = profile_str(p, f->system_name);
		if (!is_linked_name(s, f))
			continue;
		bool is_written = f->name != f->system_name || demangle_is_mangled(linked + !strncmp(linked, "__Z", 3));
		if (is_written || (s->names != RESOLVE_RAW && is_cxx(linked)))
			return true;
	}
	return false;
}

static void name_function(void *ctx, struct profile *dst, struct profile_function *f)
{
	const struct symbolize *s = ctx;
	if (!is_linked_name(s, f))
		return;
	_cleanup_free_ char *linked = xstrdup(profile_str(dst, f->system_name));
	f->name = symbolize_readable(dst, linked, s->names);
}

void symbolize_names(const struct symbolize *s, struct profile **p)
{
	struct symbolize how = *s;
	if (!symbolize_changes_names(s, *p))
		return;
	struct profile *named = profile_rewrite(*p, &(struct profile_rewrite){ .ctx = &how, .function = name_function });
	profile_destroy(*p);
	*p = named;
}
