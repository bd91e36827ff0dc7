#include "object/dwarf/dwarf.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/brief_lock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "object/dwarf/priv.h"

struct dwarf *dwarf_create(struct object *o, struct dwarf_files files)
{
	const struct object_section *s = object_find_section(o, ".debug_info");
	size_t bytes = 0;
	if (!s || !object_section_raw(o, s, &bytes) || !bytes)
		return NULL;
	struct dwarf *d = xcalloc_apart(1, sizeof(*d));
	d->object = o;
	d->files = files;
	brief_lock_init(&d->lock);
	for (unsigned i = 0; i < DWARF_SHARES; i++)
		dwarf_share_init(&d->scopes[i].share);
	if (files.supplement) {
		d->has_supplement = true;
		dwarf_file_init(&d->supplement, d, files.supplement, false);
		dwarf_read_units(&d->supplement);
	}
	dwarf_file_init(&d->main, d, o, false);
	dwarf_read_units(&d->main);
	dwarf_open_strings(d);
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
	if (d->strings.bytes && !d->are_strings_taken)
		close(d->strings.fd);
	dwarf_file_deinit(&d->main);
	dwarf_file_deinit(&d->supplement);
	vec_deinit(&d->by_aranges.ranges);
	vec_deinit(&d->by_roots.ranges);
	free(d->text);
	vec_deinit(&d->stubs);
	pthread_mutex_destroy(&d->lock);
	for (unsigned i = 0; i < DWARF_SHARES; i++)
		dwarf_share_deinit(&d->scopes[i].share);
	free(d);
}

/* ---- what is made on demand ---- */

static void read_lines_locked(struct dwarf_unit *u)
{
	dwarf_read_lines(u, !atomic_load_explicit(&u->files_read, memory_order_relaxed));
	atomic_store_explicit(&u->files_read, true, memory_order_release);
	atomic_store_explicit(&u->lines_read, true, memory_order_release);
}

void dwarf_need_lines(struct dwarf_unit *u)
{
	if (atomic_load_explicit(&u->lines_read, memory_order_acquire))
		return;
	pthread_mutex_lock(&u->lines_share.lock);
	if (!atomic_load_explicit(&u->lines_read, memory_order_relaxed))
		read_lines_locked(u);
	pthread_mutex_unlock(&u->lines_share.lock);
}

void dwarf_need_files(struct dwarf_unit *u)
{
	if (atomic_load_explicit(&u->files_read, memory_order_acquire))
		return;
	pthread_mutex_lock(&u->lines_share.lock);
	if (!atomic_load_explicit(&u->files_read, memory_order_relaxed)) {
		if (dwarf_read_files(u))
			atomic_store_explicit(&u->files_read, true, memory_order_release);
		else
			read_lines_locked(u);
	}
	pthread_mutex_unlock(&u->lines_share.lock);
}

/* lines: a unit whose lines will also be needed, or NULL. */
static void need_functions(struct dwarf_unit *u, struct dwarf_functions *of, struct dwarf_unit *lines)
{
	if (atomic_load_explicit(&of->read, memory_order_acquire))
		return;
	if (pthread_mutex_trylock(&u->functions_share.lock)) {
		/* Another thread is reading the functions. */
		if (lines)
			dwarf_need_lines(lines);
		pthread_mutex_lock(&u->functions_share.lock);
	}
	if (!atomic_load_explicit(&of->read, memory_order_relaxed)) {
		dwarf_read_functions(u, of);
		atomic_store_explicit(&of->read, true, memory_order_release);
	}
	pthread_mutex_unlock(&u->functions_share.lock);
}

/* NULL where none is at addr. */
static struct dwarf_function *find_function(struct dwarf_unit *u, struct dwarf_unit *lines, uint64_t addr)
{
	struct dwarf_functions *of = &u->functions;
	need_functions(u, of, lines);
	uint32_t id = dwarf_segment_find(&of->segments, addr);
	if (id == UINT32_MAX && of->has_skipped) {
		of = &u->nested;
		need_functions(u, of, NULL);
		id = dwarf_segment_find(&of->segments, addr);
	}
	return id == UINT32_MAX ? NULL : &of->at[id];
}

bool dwarf_function_offset(struct dwarf_unit *u, uint64_t addr, uint64_t *ret)
{
	const struct dwarf_function *fn = find_function(u, NULL, addr);
	*ret = fn ? fn->die : 0;
	return fn;
}

static const struct dwarf_scopes *scopes_at(struct dwarf_unit *u, struct dwarf_function *fn, uint64_t addr)
{
	const struct dwarf_files *files = &u->file->dwarf->files;
	const struct dwarf_addresses expected = { files->expected, files->expected_nr };
	const struct dwarf_scopes *all = atomic_load_explicit(&fn->all, memory_order_acquire);
	if (all)
		return all;
	size_t i = vec_search(&expected, at, *at < addr);
	bool is_expected = i < expected.len && expected.data[i] == addr;
	const struct dwarf_scopes *some = is_expected ? atomic_load_explicit(&fn->expected, memory_order_acquire) : NULL;
	struct dwarf_share *share = &u->file->dwarf->scopes[brief_lock_part(DWARF_SHARES)].share;
	return some ? some : dwarf_read_scopes(u, fn, is_expected ? &expected : NULL, share);
}

void dwarf_rest(const struct dwarf *d)
{
	object_rest(d->object);
	if (d->has_supplement)
		object_rest(d->files.supplement);
}

static const void *keep_name(const struct dwarf *d, const struct dwarf_name *name)
{
	if (name->has_place)
		return d->files.keep_place(d->files.ctx, name->place);
	return d->files.keep_name ? d->files.keep_name(d->files.ctx, strbuf_str(&name->text)) : strbuf_str(&name->text);
}

static void copy_name(const struct dwarf_unit *u, const struct dwarf_function *fn, struct dwarf_scope *s, const char *name)
{
	struct dwarf_share *share = &u->file->dwarf->scopes[hash_u64(fn->die) % DWARF_SHARES].share;
	pthread_mutex_lock(&share->lock);
	if (!atomic_load_explicit(&s->named, memory_order_relaxed)) {
		s->name = name ? arena_strdup(&share->arena, name) : NULL;
		atomic_store_explicit(&s->named, true, memory_order_release);
	}
	pthread_mutex_unlock(&share->lock);
}

static const void *scope_name(struct dwarf_unit *u, const struct dwarf_function *fn, struct dwarf_scope *s)
{
	if (atomic_load_explicit(&s->named, memory_order_acquire))
		return s->name;
	/* Searched without the lock, since references may lead to other units. */
	const struct dwarf *d = u->file->dwarf;
	struct dwarf_name found = {};
	bool is_found = s->origin_file && dwarf_name_of(s->origin_file, s->origin, &found);
	const void *name = is_found ? keep_name(d, &found) : NULL;
	if (d->files.keep_name) { /* keep_name() returns the same in all threads */
		s->name = name;
		atomic_store_explicit(&s->named, true, memory_order_release);
	} else {
		copy_name(u, fn, s, name);
	}
	strbuf_deinit(&found.text);
	return s->name;
}

/* ---- what is at an address ---- */

static bool unit_line(struct dwarf_unit *u, uint64_t addr, struct dwarf_frame *ret)
{
	dwarf_need_lines(u);
	const struct dwarf_row *row = dwarf_row_find(u, addr);
	if (!row)
		return false;
	ret->file = dwarf_file_path(u, row->file);
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
	struct dwarf_function *fn = find_function(u, with_lines ? lines : NULL, addr);
	if (!fn)
		return 0;
	const struct dwarf_scopes *scopes = scopes_at(u, fn, addr);
	uint32_t scope = dwarf_segment_find(&scopes->segments, addr);
	unsigned n = 0;
	struct dwarf_frame at = {};
	if (with_lines)
		unit_line(lines, addr, &at);
	const struct dwarf *d = u->file->dwarf;
	while (scope < scopes->nr && n < DWARF_FRAMES_MAX) {
		struct dwarf_scope *s = &scopes->at[scope];
		const void *name = scope_name(u, fn, s);
		at.name = d->files.keep_name ? NULL : name;
		at.kept = d->files.keep_name ? name : NULL;
		at.inlined = s->parent != UINT32_MAX;
		ret[n++] = at;
		at = (struct dwarf_frame){};
		if (with_lines)
			at = (struct dwarf_frame){ .file = dwarf_file_path(lines, s->call_file), .line = s->call_line,
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
	dwarf_need_lines(u);
	for (size_t i = 0; i < u->rows_nr; i++) {
		const struct dwarf_row *row = &u->rows[i];
		bool end = row->file == UINT32_MAX;
		fn(ctx, row->addr, end ? NULL : dwarf_file_path(u, row->file), end ? 0 : row->line);
	}
}
