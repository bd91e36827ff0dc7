#include "probe/sdt/sdt_cache.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vector.h"

#define PROBES_MAX_BYTES (16 << 20)

struct cache {
	const struct sys *sys;
	struct arena arena;
	VEC(struct sdt_marker) markers;
};

static void add_lines(struct cache *c, const char *text, const char *build_id, const char *path)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t n = strcspn(line, "=\n");
		if (!text_has_prefix(line, "%sdt_") || line[n] != '=')
			continue;
		struct sdt_marker m = { .name = arena_strndup(&c->arena, line + 1, n - 1), .build_id = build_id, .path = path };
		vec_push(&c->markers, m);
	}
}

/* The link's target is "../../PATH/BUILD-ID": the path of the file that was added. */
static const char *path_of_link(struct cache *c, const char *link)
{
	char target[PATH_MAX];
	_cleanup_free_ char *real = sys_path(c->sys, link);
	ssize_t n = readlink(real, target, sizeof(target) - 1);
	if (n <= 0)
		return "";
	target[n] = '\0';
	const char *start = text_has_prefix(target, "../..") ? target + 5 : target, *slash = strrchr(target, '/');
	return slash > start ? arena_strndup(&c->arena, start, (size_t)(slash - start)) : "";
}

static void read_entry(struct cache *c, const char *dir, const char *first, const char *rest)
{
	_cleanup_free_ char *link = xasprintf("%s/.build-id/%s/%s", dir, first, rest);
	_cleanup_free_ char *probes = xasprintf("%s/probes", link);
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(c->sys, probes, &text, PROBES_MAX_BYTES);
	if (err || !text.len)
		return;
	add_lines(c, strbuf_str(&text), arena_printf(&c->arena, "%s%s", first, rest), path_of_link(c, link));
}

static int compare(const void *pa, const void *pb)
{
	const struct sdt_marker *a = pa, *b = pb;
	int c = strcmp(a->name, b->name);
	return c ? c : strcmp(a->build_id, b->build_id);
}

static void read_all(struct cache *c, const char *dir)
{
	_cleanup_free_ char *top = xasprintf("%s/.build-id", dir);
	sys_names firsts = {};
	_cleanup_error_ struct strobe_error *err = sys_list(c->sys, top, &firsts);
	for (size_t i = 0; i < firsts.len; i++) {
		_cleanup_free_ char *below = xasprintf("%s/%s", top, firsts.data[i]);
		sys_names rests = {};
		_cleanup_error_ struct strobe_error *unreadable = sys_list(c->sys, below, &rests);
		for (size_t k = 0; k < rests.len; k++)
			read_entry(c, dir, firsts.data[i], rests.data[k]);
		sys_names_deinit(&rests);
	}
	sys_names_deinit(&firsts);
}

void sdt_cache_each(const struct sys *sys, const char *dir, bool (*fn)(void *ctx, const struct sdt_marker *marker), void *ctx)
{
	struct cache c = { .sys = sys };
	arena_init(&c.arena);
	read_all(&c, dir);
	if (c.markers.len)
		qsort(c.markers.data, c.markers.len, sizeof(*c.markers.data), compare);
	for (size_t i = 0; i < c.markers.len; i++) {
		struct sdt_marker *m = &c.markers.data[i];
		m->shared_name = (i && !strcmp(m[-1].name, m->name)) || (i + 1 < c.markers.len && !strcmp(m[1].name, m->name));
		if (!fn(ctx, m))
			break;
	}
	vec_deinit(&c.markers);
	arena_deinit(&c.arena);
}
