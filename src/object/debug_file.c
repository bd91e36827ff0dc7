#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/object_priv.h"
#include "object/sysroot.h"

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

/* The same as zlib's crc32(), which not every build has; files without a build ID are rare. */
static uint32_t crc32_of(const uint8_t *p, size_t n)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t crc = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		crc = table[(crc ^ p[i]) & 15] ^ crc >> 4;
		crc = table[(crc ^ p[i] >> 4) & 15] ^ crc >> 4;
	}
	return ~crc;
}

bool object_is_debug_of(const struct object *debug, struct object *of)
{
	uint8_t mine[OBJECT_BUILD_ID_MAX], its[OBJECT_BUILD_ID_MAX];
	const char *link;
	uint32_t crc;
	size_t n = object_build_id(of, mine);
	if (n)
		return object_build_id(debug, its) == n && !memcmp(mine, its, n);
	return object_debuglink(of, &link, &crc) && crc32_of(debug->data, debug->bytes) == crc;
}

struct search {
	const char *sysroot;
	bool (*fn)(void *ctx, const char *path);
	void *ctx;
};

static bool try_path(const struct search *s, const char *before, const char *dir, const char *between, const char *name)
{
	_cleanup_free_ char *inside = xasprintf("%s%s%s%s", before, dir, between, name);
	_cleanup_free_ char *path = sysroot_path(s->sysroot, inside);
	return s->fn(s->ctx, path);
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
	/* A name with a directory could lead anywhere. */
	if (!object_debuglink(o, &link, &crc) || strchr(link, '/') || !slash)
		return false;
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(slash - path));
	return try_path(&s, "", dir, "/", link) || try_path(&s, "", dir, "/.debug/", link) ||
	       try_path(&s, "/usr/lib/debug", dir, "/", link);
}

bool object_supplement_link(struct object *o, const char **ret_name, const uint8_t **ret_id, size_t *ret_id_bytes)
{
	const struct object_section *s = object_find_section(o, ".gnu_debugaltlink");
	if (!s)
		return false;
	struct cursor c = object_section_cursor(o, s);
	*ret_name = cursor_cstr(&c);
	*ret_id = c.at;
	*ret_id_bytes = c.bad ? 0 : cursor_left(&c);
	return *ret_name && **ret_name;
}

#define DWZ_DIRECTORY "/usr/lib/debug/.dwz"

struct supplement_search {
	const uint8_t *id;
	size_t id_bytes;
	struct object *found;
};

/* A file that the link names by build-id too. */
static bool try_supplement(void *ctx, const char *path)
{
	struct supplement_search *s = ctx;
	uint8_t its[OBJECT_BUILD_ID_MAX];
	struct object *o = object_open_if_there(path);
	if (o && object_build_id(o, its) == s->id_bytes && !memcmp(its, s->id, s->id_bytes))
		s->found = o;
	else
		object_close(o);
	return s->found;
}

struct object *object_open_supplement(struct object *o, const char *sysroot)
{
	struct supplement_search found = {};
	struct search s = { .sysroot = sysroot, .fn = try_supplement, .ctx = &found };
	const char *name, *slash = strrchr(object_name(o), '/');
	if (!object_supplement_link(o, &name, &found.id, &found.id_bytes))
		return NULL;
	if (*name == '/') {
		if (!try_path(&s, "", name, "", ""))
			(void)try_supplement(&found, name);
	} else if (slash) {
		_cleanup_free_ char *beside = xasprintf("%.*s/%s", (int)(slash - object_name(o)), object_name(o), name);
		(void)try_supplement(&found, beside);
	}
	if (!found.found)
		(void)try_path(&s, DWZ_DIRECTORY, "", "/", text_base_name(name));
	return found.found;
}

char *object_vmlinux_place(const char *root, const char *release, size_t i)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux",
		"/usr/lib/debug/lib/modules/%s/vmlinux.debug", "/boot/vmlinux-%s", "/usr/lib/debug/boot/vmlinux-%s.debug",
		"/lib/modules/%s/vmlinux",
	};
	if (i >= sizeof(places) / sizeof(*places))
		return NULL;
	const char *gap = strstr(places[i], "%s");
	_cleanup_free_ char *path = xasprintf("%.*s%s%s", (int)(gap - places[i]), places[i], release, gap + 2);
	return sysroot_path(root, path);
}
