#include "probe/debug.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "object/buildid_cache.h"

static bool has_debug_info(const struct object *o)
{
	return object_find_section(o, ".debug_info");
}

struct debug_search {
	struct object *of, *found;
};

static bool try_file(void *ctx, const char *path)
{
	struct debug_search *s = ctx;
	struct object *o = object_open_if_there(path);
	if (o && has_debug_info(o) && object_is_debug_of(o, s->of))
		s->found = o;
	else
		object_close(o);
	return s->found;
}

static struct object *find_file(struct object *o, const char *path, const struct probe_debug_options *options)
{
	struct debug_search s = { .of = o };
	char hex[BUILDID_HEX_MAX] = "";
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t n = object_build_id(o, id);
	if (n)
		buildid_hex(id, n, hex);
	_cleanup_free_ char *cached = n && options->buildid_dir ? buildid_cache_path(options->buildid_dir, hex, "debug") : NULL;
	if ((cached && try_file(&s, cached)) || object_find_debug(o, path, options->symfs, try_file, &s) || !n || !options->servers)
		return s.found;
	_cleanup_free_ char *fetched = NULL;
	/* It is not an error if no server has it. */
	error_destroy(debuginfod_find(options->servers, hex, DEBUGINFOD_DEBUG, &fetched));
	if (fetched)
		try_file(&s, fetched);
	return s.found;
}

static struct object *open_split(void *ctx, const char *path, uint64_t id)
{
	(void)ctx, (void)id;
	return object_open_if_there(path);
}

bool probe_debug_open(struct object *object, const char *path, const struct probe_debug_options *options, struct probe_debug *ret)
{
	*ret = (struct probe_debug){ .object = object };
	if (!has_debug_info(object))
		ret->file = find_file(object, path, options);
	if (!ret->file && !has_debug_info(object))
		return false;
	ret->supplement = object_open_supplement(probe_debug_file(ret), options->symfs);
	struct dwarf_files files = { .supplement = ret->supplement, .open_split = open_split };
	ret->dwarf = dwarf_create(probe_debug_file(ret), files);
	if (!ret->dwarf)
		probe_debug_close(ret);
	return ret->dwarf;
}

void probe_debug_close(struct probe_debug *d)
{
	dwarf_destroy(d->dwarf);
	object_close(d->supplement);
	object_close(d->file);
	*d = (struct probe_debug){};
}
