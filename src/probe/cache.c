#include "probe/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/text.h"
#include "object/buildid_cache.h"
#include "object/object.h"

#define FILE_NAME      "probes"
#define FILE_BYTES_MAX (16u << 20)
#define KERNEL_NAME    "[kernel.kallsyms]"

/* ---- files ---- */

/* The file's build ID as text; false: none. */
static bool target_hex(const struct probe_target *t, char ret[BUILDID_HEX_MAX])
{
	uint8_t id[OBJECT_BUILD_ID_MAX] = {};
	size_t n = t->object ? object_build_id(t->object, id) : *t->name ? 0 : object_build_id_of_notes(KERNEL_NOTES, id);
	buildid_hex(id, n, ret);
	return n;
}

/* The cached definitions for a build ID; empty if there are none. */
static void read_kept(const char *dir, const char *hex, struct strbuf *ret)
{
	_cleanup_free_ char *path = buildid_cache_path(dir, hex, FILE_NAME);
	if (path)
		error_destroy(file_read(path, ret, FILE_BYTES_MAX));
}

static struct strobe_error *write_kept(const char *dir, const char *hex, const struct strbuf *text)
{
	_cleanup_free_ char *path = buildid_cache_path(dir, hex, FILE_NAME);
	return new_file_write(path, strbuf_str(text), text->len, 0600);
}

/* ---- entries ---- */

/* An entry: its first line, without the leading character, and the lines up to the next entry. */
struct entry {
	const char *definition;
	size_t definition_bytes, all_bytes;
	bool is_ours; /* not a marker */
};

static bool next_entry(const char **at, struct entry *ret)
{
	const char *start = *at;
	while (*start && *start != '#' && *start != '%')
		start += strcspn(start, "\n"), start += *start == '\n';
	if (!*start)
		return false;
	const char *end = start + strcspn(start, "\n");
	*ret = (struct entry){ .definition = start + 1, .definition_bytes = (size_t)(end - start - 1), .is_ours = *start == '#' };
	end += *end == '\n';
	while (*end && *end != '#' && *end != '%')
		end += strcspn(end, "\n"), end += *end == '\n';
	ret->all_bytes = (size_t)(end - start);
	*at = end;
	return true;
}

/* "GROUP:EVENT=…" in its parts, in the arena. */
static bool entry_name(const struct entry *e, struct arena *arena, const char **ret_group, const char **ret_event)
{
	char *text = arena_strndup(arena, e->definition, e->definition_bytes);
	char *sign = strchr(text, '='), *colon = strchr(text, ':');
	if (!sign || !colon || colon > sign)
		return false;
	*sign = *colon = 0;
	*ret_group = text;
	*ret_event = colon + 1;
	return true;
}

/* Copies entries that do not match, and calls fn for those that do. */
static void copy_others(const char *text, const struct probe_filter *filter, struct strbuf *to,
			void (*fn)(void *ctx, const char *definition), void *ctx, size_t *ret_nr)
{
	struct arena arena;
	struct entry e;
	arena_init(&arena);
	for (const char *at = text; next_entry(&at, &e);) {
		const char *group, *event;
		if (e.is_ours && entry_name(&e, &arena, &group, &event) && probe_filter_matches_event(filter, group, event)) {
			++*ret_nr;
			if (fn)
				fn(ctx, arena_strndup(&arena, e.definition, e.definition_bytes));
			continue;
		}
		strbuf_add(to, e.definition - 1, e.all_bytes);
	}
	arena_deinit(&arena);
}

/* ---- what others call ---- */

struct strobe_error *probe_cache_add(const char *dir, const struct probe_target *t, const struct probe_events *events)
{
	char hex[BUILDID_HEX_MAX];
	_cleanup_strbuf_ struct strbuf before = {}, after = {};
	struct arena arena;
	size_t nr = 0;
	if (!dir || !target_hex(t, hex))
		return error_create(ERROR_UNSUPPORTED, "%s has no build ID: its probes cannot be kept", probe_target_shown(t));
	TRY(buildid_cache_add(dir, hex, *t->name ? t->name : KERNEL_NAME));
	read_kept(dir, hex, &before);
	arena_init(&arena);
	for (size_t i = 0; i < events->list.len; i++) {
		const struct probe_event *e = &events->list.data[i];
		if (strcmp(e->target, t->name))
			continue;
		const struct probe_filter *same = NULL;
		bool is_first = !i || e->definition != e[-1].definition;
		if (is_first) {
			_cleanup_strbuf_ struct strbuf others = {};
			const char *name = arena_printf(&arena, "%s:%s", e->group, e->event);
			/* event names contain no characters of filters */
			error_destroy(probe_filter_parse(name, &arena, &same));
			copy_others(strbuf_str(&before), same, &others, NULL, NULL, &nr);
			before.len = 0;
			strbuf_add(&before, strbuf_str(&others), others.len);
			strbuf_addf(&after, "#%s=%s%s\n", name, e->place, e->arguments);
		}
		strbuf_addf(&after, "%s\n", e->line);
	}
	arena_deinit(&arena);
	strbuf_add(&before, strbuf_str(&after), after.len);
	return write_kept(dir, hex, &before);
}

struct each {
	const char *dir;
	const struct probe_filter *filter;
	void (*fn)(void *ctx, const char *path, const char *hex, const char *definition);
	void (*removed)(void *ctx, const char *definition);
	void *ctx;
	size_t nr;
	struct strobe_error *err;
};

static bool show_file(void *ctx, const struct buildid_cache_entry *file)
{
	struct each *s = ctx;
	_cleanup_strbuf_ struct strbuf text = {};
	struct arena arena;
	struct entry e;
	read_kept(s->dir, file->hex, &text);
	arena_init(&arena);
	for (const char *at = strbuf_str(&text); next_entry(&at, &e);) {
		const char *group, *event;
		if (entry_name(&e, &arena, &group, &event) && probe_filter_matches_event(s->filter, group, event))
			s->fn(s->ctx, file->path, file->hex, arena_printf(&arena, "%s%.*s", e.is_ours ? "" : "%",
									  (int)e.definition_bytes, e.definition));
	}
	arena_deinit(&arena);
	return true;
}

void probe_cache_each(const char *dir, const struct probe_filter *filter,
		      void (*fn)(void *ctx, const char *path, const char *hex, const char *definition), void *ctx)
{
	struct each s = { .dir = dir, .filter = filter, .fn = fn, .ctx = ctx };
	if (dir)
		buildid_cache_each(dir, show_file, &s);
}

static bool remove_of_file(void *ctx, const struct buildid_cache_entry *file)
{
	struct each *s = ctx;
	_cleanup_strbuf_ struct strbuf text = {}, others = {};
	size_t before = s->nr;
	read_kept(s->dir, file->hex, &text);
	copy_others(strbuf_str(&text), s->filter, &others, s->removed, s->ctx, &s->nr);
	if (s->nr != before)
		s->err = error_first(s->err, write_kept(s->dir, file->hex, &others));
	return true;
}

struct strobe_error *probe_cache_remove(const char *dir, const struct probe_filter *filter, void (*fn)(void *ctx, const char *definition),
					void *ctx, size_t *ret_nr)
{
	struct each s = { .dir = dir, .filter = filter, .removed = fn, .ctx = ctx };
	if (dir)
		buildid_cache_each(dir, remove_of_file, &s);
	*ret_nr = s.nr;
	return s.err;
}

/* A line of an entry as a place: the text after the first blank is passed to the kernel unchanged. */
static void add_place(struct probe_target *t, const struct probe_installed *event, struct probe_places *ret)
{
	struct probe_place p = { .name = arena_strdup(&ret->arena, event->event), .group = arena_strdup(&ret->arena, event->group),
				 .arguments = *event->arguments ? arena_printf(&ret->arena, " %s", event->arguments) : NULL };
	if (!probe_place_of_installed(t, event, &p.address))
		return;
	p.function = probe_target_function(t, p.address);
	if (p.function)
		p.offset = p.address - p.function->address;
	vec_push(&ret->list, p);
}

bool probe_cache_find(const char *dir, struct probe_target *t, const char *name, struct probe_places *ret)
{
	char hex[BUILDID_HEX_MAX];
	_cleanup_strbuf_ struct strbuf text = {};
	struct arena arena;
	struct entry e;
	if (!dir || !target_hex(t, hex))
		return false;
	read_kept(dir, hex, &text);
	arena_init(&arena);
	for (const char *at = strbuf_str(&text); next_entry(&at, &e);) {
		const char *group, *event;
		if (!e.is_ours || !entry_name(&e, &arena, &group, &event) ||
		    (strcmp(event, name) && strcmp(arena_printf(&arena, "%s:%s", group, event), name)))
			continue;
		char *lines = arena_strndup(&arena, e.definition - 1, e.all_bytes);
		for (char *line; (line = strsep(&lines, "\n"));) {
			struct probe_installed installed;
			if (*line == 'p' && probe_installed_parse(line, t->kind, &installed))
				add_place(t, &installed, ret);
		}
	}
	arena_deinit(&arena);
	return ret->list.len;
}

struct older {
	const char *dir, *path, *hex, *name;
	bool is_found;
};

static bool has_name(const char *text, const char *name)
{
	struct arena arena;
	struct entry e;
	bool is_found = false;
	arena_init(&arena);
	while (!is_found && next_entry(&text, &e)) {
		const char *group, *event;
		is_found = e.is_ours && entry_name(&e, &arena, &group, &event) &&
			   (!strcmp(event, name) || !strcmp(arena_printf(&arena, "%s:%s", group, event), name));
	}
	arena_deinit(&arena);
	return is_found;
}

static bool look_at_entry(void *ctx, const struct buildid_cache_entry *file)
{
	struct older *o = ctx;
	_cleanup_strbuf_ struct strbuf text = {};
	if (strcmp(file->path, o->path) || !strcmp(file->hex, o->hex))
		return true;
	read_kept(o->dir, file->hex, &text);
	o->is_found = has_name(strbuf_str(&text), o->name);
	return !o->is_found;
}

bool probe_cache_has_older(const char *dir, const struct probe_target *t, const char *event)
{
	char hex[BUILDID_HEX_MAX];
	struct older o = { .dir = dir, .path = *t->name ? t->name : KERNEL_NAME, .hex = hex, .name = event };
	if (!dir)
		return false;
	target_hex(t, hex);
	buildid_cache_each(dir, look_at_entry, &o);
	return o.is_found;
}
