#include "object/dwarf.h"

#include <stdlib.h>

#include "base/mem.h"
#include "object/dwarf_priv.h"

struct dwarf *dwarf_create(struct object *o, struct dwarf_files files)
{
	const struct object_section *s = object_find_section(o, ".debug_info");
	size_t bytes = 0;
	if (!s || !object_section_raw(o, s, &bytes) || !bytes)
		return NULL;
	struct dwarf *d = xcalloc(1, sizeof(*d));
	d->object = o;
	d->files = files;
	pthread_mutex_init(&d->lock, NULL);
	if (files.supplement) {
		d->has_supplement = true;
		dwarf_file_init(&d->supplement, d, files.supplement, false);
		dwarf_read_units(&d->supplement);
	}
	dwarf_file_init(&d->main, d, o, false);
	dwarf_read_units(&d->main);
	dwarf_build_index(d);
	return d;
}

void dwarf_destroy(struct dwarf *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->split.len; i++) {
		struct object *o = d->split.data[i]->object;
		dwarf_file_deinit(d->split.data[i]);
		free(d->split.data[i]);
		object_close(o);
	}
	vec_deinit(&d->split);
	dwarf_file_deinit(&d->main);
	dwarf_file_deinit(&d->supplement);
	vec_deinit(&d->by_aranges.ranges);
	vec_deinit(&d->by_roots.ranges);
	free(d->text);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

bool dwarf_supplement_link(struct object *o, const char **ret_name, const uint8_t **ret_id, size_t *ret_id_bytes)
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

/* ---- what is made on demand ---- */

static void need_lines(struct dwarf_unit *u)
{
	if (atomic_load_explicit(&u->lines_read, memory_order_acquire))
		return;
	pthread_mutex_lock(&u->lock);
	if (!atomic_load_explicit(&u->lines_read, memory_order_relaxed)) {
		dwarf_read_lines(u);
		atomic_store_explicit(&u->lines_read, true, memory_order_release);
	}
	pthread_mutex_unlock(&u->lock);
}

static void need_functions(struct dwarf_unit *u)
{
	if (atomic_load_explicit(&u->functions_read, memory_order_acquire))
		return;
	pthread_mutex_lock(&u->lock);
	if (!atomic_load_explicit(&u->functions_read, memory_order_relaxed)) {
		dwarf_read_functions(u);
		atomic_store_explicit(&u->functions_read, true, memory_order_release);
	}
	pthread_mutex_unlock(&u->lock);
}

static const char *file_path(struct dwarf_unit *u, uint64_t file)
{
	pthread_mutex_lock(&u->lock);
	const char *path = dwarf_file_path(u, file);
	pthread_mutex_unlock(&u->lock);
	return path;
}

/* The name is found without the lock: the way to it may lead through other units. */
static const char *scope_name(struct dwarf_unit *u, struct dwarf_scope *s)
{
	pthread_mutex_lock(&u->lock);
	bool named = s->named;
	const char *name = s->name;
	pthread_mutex_unlock(&u->lock);
	if (named)
		return name;
	name = s->origin_file ? dwarf_die_name(s->origin_file, s->origin) : NULL;
	pthread_mutex_lock(&u->lock);
	if (!s->named) {
		/* A copy: the file may change under us. */
		s->name = name ? arena_strdup(&u->arena, name) : NULL;
		s->named = true;
	}
	name = s->name;
	pthread_mutex_unlock(&u->lock);
	return name;
}

/* ---- what stands at an address ---- */

static bool unit_line(struct dwarf_unit *u, uint64_t addr, struct dwarf_frame *ret)
{
	need_lines(u);
	const struct dwarf_row *row = dwarf_row_find(u, addr);
	if (!row)
		return false;
	ret->file = file_path(u, row->file);
	ret->line = row->line;
	ret->column = row->column;
	return true;
}

bool dwarf_line(struct dwarf *d, uint64_t addr, struct dwarf_frame *ret)
{
	*ret = (struct dwarf_frame){};
	struct dwarf_unit *u;
	for (struct dwarf_search s = dwarf_search(d, addr); (u = dwarf_next_unit(&s));)
		if (unit_line(u, addr, ret))
			return true;
	return false;
}

static unsigned unit_frames(struct dwarf_unit *lines, uint64_t addr, bool with_lines, struct dwarf_frame ret[DWARF_FRAMES_MAX])
{
	struct dwarf_unit *u = dwarf_split_unit(lines);
	need_functions(u);
	uint32_t id = dwarf_segment_find(&u->segments, addr);
	if (id == UINT32_MAX)
		return 0;
	struct dwarf_function *fn = &u->functions[id];
	pthread_mutex_lock(&u->lock);
	if (!fn->read) {
		dwarf_read_scopes(u, fn);
		fn->read = true;
	}
	pthread_mutex_unlock(&u->lock);
	uint32_t scope = dwarf_segment_find(&fn->segments, addr);
	unsigned n = 0;
	struct dwarf_frame at = {};
	if (with_lines)
		unit_line(lines, addr, &at);
	while (scope < fn->scopes_nr && n < DWARF_FRAMES_MAX) {
		struct dwarf_scope *s = &fn->scopes[scope];
		at.name = scope_name(u, s);
		at.inlined = s->parent != UINT32_MAX;
		ret[n++] = at;
		at = (struct dwarf_frame){};
		if (with_lines)
			at = (struct dwarf_frame){ .file = file_path(lines, s->call_file), .line = s->call_line,
						   .column = s->call_column };
		scope = s->parent;
	}
	return n;
}

static unsigned frames_at(struct dwarf *d, uint64_t addr, bool with_lines, struct dwarf_frame ret[DWARF_FRAMES_MAX])
{
	struct dwarf_unit *u;
	for (struct dwarf_search s = dwarf_search(d, addr); (u = dwarf_next_unit(&s));) {
		unsigned n = unit_frames(u, addr, with_lines, ret);
		if (n)
			return n;
	}
	return 0;
}

unsigned dwarf_frames(struct dwarf *d, uint64_t addr, struct dwarf_frame ret[DWARF_FRAMES_MAX])
{
	return frames_at(d, addr, true, ret);
}

unsigned dwarf_functions(struct dwarf *d, uint64_t addr, struct dwarf_frame ret[DWARF_FRAMES_MAX])
{
	return frames_at(d, addr, false, ret);
}

void dwarf_each_line(struct dwarf *d, uint64_t addr,
		     void (*fn)(void *ctx, uint64_t addr, const char *file, uint32_t line), void *ctx)
{
	struct dwarf_search s = dwarf_search(d, addr);
	struct dwarf_unit *u = dwarf_next_unit(&s);
	if (!u)
		return;
	need_lines(u);
	for (size_t i = 0; i < u->rows_nr; i++) {
		const struct dwarf_row *row = &u->rows[i];
		bool end = row->file == UINT32_MAX;
		fn(ctx, row->addr, end ? NULL : file_path(u, row->file), end ? 0 : row->line);
	}
}
