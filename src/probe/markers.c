#include "probe/markers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "probe/names.h"
#include "probe/sdt/sdt_cache.h"
#include "probe/sdt/sdt_notes.h"

#define GROUP_PREFIX "sdt_"

struct marker_search {
	struct probe_target *target;
	const char *provider, *name; /* globs; provider NULL: any */
	struct probe_places *ret;
	const char *odd; /* a matching marker with a name that the kernel does not accept */
};

/* "sdt_PROVIDER:NAME" in two; provider is made in *buffer. */
static void split_name(const char *name, char **buffer, const char **ret_provider, const char **ret_name)
{
	const char *colon = strchr(name, ':');
	*ret_provider = NULL;
	*ret_name = colon ? colon + 1 : name;
	if (!colon)
		return;
	if (text_has_prefix(name, GROUP_PREFIX))
		name += strlen(GROUP_PREFIX);
	*ret_provider = *buffer = xasprintf("%.*s", (int)(colon - name), name);
}

static bool take_note(void *ctx, const struct sdt_note *n)
{
	struct marker_search *s = ctx;
	struct probe_target *t = s->target;
	uint64_t offset;
	if ((s->provider && !text_glob(s->provider, n->provider)) || !text_glob(s->name, n->name))
		return true;
	if (!object_offset_of_vaddr(t->object, n->vaddr, &offset))
		return true;
	if (!probe_name_is_good(n->provider) || !probe_name_is_good(n->name)) {
		s->odd = n->name;
		return true;
	}
	struct arena *a = &s->ret->arena;
	_cleanup_strbuf_ struct strbuf arguments = {};
	sdt_note_arguments(t->object, n, &arguments);
	struct probe_place p = { .function = probe_target_function(t, n->vaddr), .address = n->vaddr, .name = arena_strdup(a, n->name),
				 .group = arena_printf(a, GROUP_PREFIX "%s", n->provider),
				 .arguments = arena_strdup(a, strbuf_str(&arguments)) };
	if (p.function)
		p.offset = n->vaddr - p.function->address;
	if (n->semaphore && !object_offset_of_vaddr(t->object, n->semaphore, &p.semaphore))
		p.semaphore = 0;
	vec_push(&s->ret->list, p);
	return true;
}

struct strobe_error *probe_markers_find(struct probe_target *t, const char *name, struct probe_places *ret)
{
	_cleanup_free_ char *buffer = NULL;
	struct marker_search s = { .target = t, .ret = ret };
	if (t->kind == PROBE_KERNEL)
		return error_create(ERROR_USAGE, "markers are in programs: name the one that has '%s' with -x", name);
	split_name(name, &buffer, &s.provider, &s.name);
	sdt_notes_each(t->object, take_note, &s);
	if (ret->list.len)
		return NULL;
	if (s.odd)
		return error_create(ERROR_UNSUPPORTED, "the marker '%s' of %s has a name that no event can have", name, t->name);
	return error_create(ERROR_NOT_FOUND, "no marker '%s' in %s: 'strobe list sdt' shows those that programs have", name,
			    t->name);
}

/* ---- files that have one ---- */

struct file_search {
	const char *provider, *name;
	probe_paths *ret;
};

/* marker->name is "sdt_PROVIDER:NAME". */
static bool take_cached(void *ctx, const struct sdt_marker *marker)
{
	struct file_search *s = ctx;
	_cleanup_free_ char *buffer = NULL;
	const char *provider, *name;
	split_name(marker->name, &buffer, &provider, &name);
	if (!*marker->path || (s->provider && (!provider || !text_glob(s->provider, provider))) || !text_glob(s->name, name))
		return true;
	for (size_t i = 0; i < s->ret->len; i++)
		if (!strcmp(s->ret->data[i], marker->path))
			return true;
	vec_push(s->ret, xstrdup(marker->path));
	return true;
}

void probe_markers_files(const struct sys *sys, const char *buildid_dir, const char *name, probe_paths *ret)
{
	_cleanup_free_ char *buffer = NULL;
	struct file_search s = { .ret = ret };
	split_name(name, &buffer, &s.provider, &s.name);
	sdt_cache_each(sys, buildid_dir, take_cached, &s);
}
