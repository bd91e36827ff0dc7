#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "object/object_priv.h"

bool object_debuglink(struct object *o, const char **ret_name, uint32_t *ret_crc)
{
	const struct object_section *s = object_find_section(o, ".gnu_debuglink");
	if (!s)
		return false;
	struct cursor c = object_section_cursor(o, s);
	const char *name = cursor_cstr(&c);
	if (!name || !*name)
		return false;
	/* The checksum lies on the next multiple of four. */
	cursor_skip(&c, (4 - cursor_offset(&c) % 4) % 4);
	uint32_t crc = cursor_u32(&c);
	if (c.bad)
		return false;
	*ret_name = name;
	*ret_crc = crc;
	return true;
}

struct search {
	const char *sysroot;
	bool (*fn)(void *ctx, const char *path);
	void *ctx;
};

static bool try_path(const struct search *s, const char *before, const char *dir, const char *between, const char *name)
{
	_cleanup_strbuf_ struct strbuf path = {};
	strbuf_addf(&path, "%s%s%s%s%s", s->sysroot ? s->sysroot : "", before, dir, between, name);
	return s->fn(s->ctx, strbuf_str(&path));
}

static bool find_by_build_id(struct object *o, const struct search *s)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t n = object_build_id(o, id);
	if (n < 2)
		return false;
	_cleanup_strbuf_ struct strbuf name = {};
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&name, "%02x%s", id[i], i ? "" : "/");
	strbuf_addstr(&name, ".debug");
	return try_path(s, "/usr/lib/debug/.build-id", "", "/", strbuf_str(&name));
}

bool object_find_debug(struct object *o, const char *path, const char *sysroot, bool (*fn)(void *ctx, const char *path),
		       void *ctx)
{
	struct search s = { .sysroot = sysroot, .fn = fn, .ctx = ctx };
	if (find_by_build_id(o, &s))
		return true;
	const char *link, *slash = strrchr(path, '/');
	uint32_t crc;
	/* A link that names another directory would lead anywhere. */
	if (!object_debuglink(o, &link, &crc) || strchr(link, '/') || !slash)
		return false;
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(slash - path));
	return try_path(&s, "", dir, "/", link) || try_path(&s, "", dir, "/.debug/", link) ||
	       try_path(&s, "/usr/lib/debug", dir, "/", link);
}
