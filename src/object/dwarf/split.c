/* Split DWARF: the units whose functions are in .dwo files or in one .dwp beside the object. */
#include <stdlib.h>

#include "base/mem.h"
#include "object/dwarf/priv.h"

static struct dwarf_file *open_split(struct dwarf *d, const char *path, uint64_t id)
{
	struct object *o = d->files.open_split ? d->files.open_split(d->files.ctx, path, id) : NULL;
	if (!o)
		return NULL;
	struct dwarf_file *f = xmalloc(sizeof(*f));
	dwarf_file_init(f, d, o, true);
	dwarf_read_units(f);
	vec_push(&d->split, f);
	return f;
}

/* The start of contributions without a header: after the section's header, which version 4 does not have. */
static void set_bases(struct dwarf_unit *u)
{
	if (u->version < 5)
		return;
	u->str_offsets_base += u->offset_bytes == 8 ? 16 : 8;
	u->rnglists_base += u->offset_bytes == 8 ? 20 : 12;
}

static struct dwarf_unit *join(struct dwarf_unit *skeleton, struct dwarf_unit *u)
{
	u->skeleton = skeleton;
	set_bases(u);
	dwarf_read_root(u);
	return u->bad ? NULL : u;
}

/* For the caller to free. */
static char *path_of(const struct dwarf_unit *skeleton)
{
	return *skeleton->dwo_name != '/' && skeleton->comp_dir ? xasprintf("%s/%s", skeleton->comp_dir, skeleton->dwo_name) :
								  xstrdup(skeleton->dwo_name);
}

static struct dwarf_unit *find_in_object(struct dwarf_unit *skeleton)
{
	char *path = path_of(skeleton);
	struct dwarf_file *f = open_split(skeleton->file->dwarf, path, skeleton->id);
	free(path);
	for (size_t i = 0; f && i < f->units.len; i++) {
		struct dwarf_unit *u = f->units.data[i];
		if (u->type != DW_UT_split_compile && u->type != DW_UT_compile)
			continue;
		/* Version 4 has the number in the root and not in the header. */
		if (u->version >= 5 ? u->id == skeleton->id : !u->skeleton) {
			struct dwarf_unit *found = join(skeleton, u);
			if (found && found->id == skeleton->id)
				return found;
		}
	}
	return NULL;
}

/* ---- .dwp ---- */

/* The row of a unit in .debug_cu_index: DWARF 5 section 7.3.5, and version 2 of the GNU extension. */
static bool find_row(struct cursor *index, uint64_t id, uint32_t *ret_row, uint32_t *ret_columns, uint32_t *ret_units,
		     uint64_t *ret_tables)
{
	uint32_t version = cursor_u32(index);
	if (version != 2)
		version &= 0xffff; /* 5: two bytes and padding */
	uint32_t columns = cursor_u32(index), units = cursor_u32(index), slots = cursor_u32(index);
	if (index->bad || (version != 2 && version != 5) || !slots || slots & (slots - 1) || slots > cursor_left(index) / 12)
		return false;
	uint64_t hashes = cursor_offset(index);
	uint32_t mask = slots - 1, at = (uint32_t)id & mask, step = (uint32_t)(id >> 32 & mask) | 1;
	for (uint32_t i = 0; i < slots; i++, at = (at + step) & mask) {
		cursor_seek(index, (size_t)(hashes + 8ull * at));
		uint64_t hash = cursor_u64(index);
		cursor_seek(index, (size_t)(hashes + 8ull * slots + 4ull * at));
		uint32_t row = cursor_u32(index);
		if (index->bad || !row)
			return false;
		if (hash != id)
			continue;
		*ret_row = row;
		*ret_columns = columns;
		*ret_units = units;
		*ret_tables = hashes + 12ull * slots;
		return row <= units && columns <= 16;
	}
	return false;
}

static struct dwarf_unit *find_in_package(struct dwarf_unit *skeleton)
{
	struct dwarf_file *f = skeleton->file->dwarf->package;
	const struct object_section *s = object_find_section(f->object, ".debug_cu_index");
	if (!s)
		return NULL;
	struct cursor c = object_section_cursor(f->object, s);
	uint32_t row, columns, units;
	uint64_t tables, offsets[DW_SECT_RNGLISTS + 1] = {};
	bool has_info = false;
	if (!find_row(&c, skeleton->id, &row, &columns, &units, &tables))
		return NULL;
	for (uint32_t i = 0; i < columns; i++) {
		cursor_seek(&c, (size_t)(tables + 4ull * i));
		uint32_t section = cursor_u32(&c);
		cursor_seek(&c, (size_t)(tables + 4ull * columns * row + 4ull * i));
		uint32_t offset = cursor_u32(&c);
		if (section <= DW_SECT_RNGLISTS)
			offsets[section] = offset;
		has_info |= section == DW_SECT_INFO;
	}
	if (c.bad || !has_info)
		return NULL;
	for (size_t i = 0; i < f->units.len; i++) {
		struct dwarf_unit *u = f->units.data[i];
		if (u->offset != offsets[DW_SECT_INFO] || u->skeleton)
			continue;
		u->abbrev_offset += offsets[DW_SECT_ABBREV];
		u->str_offsets_base += offsets[DW_SECT_STR_OFFSETS];
		u->rnglists_base += u->version >= 5 ? offsets[DW_SECT_RNGLISTS] : 0;
		return join(skeleton, u);
	}
	return NULL;
}

struct dwarf_unit *dwarf_split_unit(struct dwarf_unit *u)
{
	struct dwarf *d = u->file->dwarf;
	if (!u->has_dwo || !u->dwo_name)
		return u;
	struct dwarf_unit *split = atomic_load_explicit(&u->split, memory_order_acquire);
	if (split)
		return split;
	pthread_mutex_lock(&d->lock);
	split = atomic_load_explicit(&u->split, memory_order_relaxed);
	if (!split) {
		if (!d->package_tried) {
			d->package_tried = true;
			char *path = xasprintf("%s.dwp", object_name(d->object));
			d->package = open_split(d, path, 0);
			free(path);
		}
		split = d->package ? find_in_package(u) : NULL;
		split = split ? split : find_in_object(u);
		split = split ? split : u;
		atomic_store_explicit(&u->split, split, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	return split;
}

void dwarf_each_split(struct dwarf *d, bool (*fn)(void *ctx, const char *path, uint64_t id), void *ctx)
{
	bool more = true;
	for (size_t i = 0; more && i < d->main.units.len; i++) {
		struct dwarf_unit *u = d->main.units.data[i];
		dwarf_need_root(u);
		if (u->bad || !u->has_dwo || !u->dwo_name)
			continue;
		char *path = path_of(u);
		more = fn(ctx, path, u->id);
		free(path);
	}
}
