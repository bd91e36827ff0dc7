/* Units: their headers and roots. */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/brief_lock.h"
#include "base/mem.h"
#include "base/pool.h"
#include "object/dwarf/priv.h"

static const char *const section_names[DWARF_SECTIONS_NR] = {
	[DWARF_INFO] = ".debug_info", [DWARF_ABBREV] = ".debug_abbrev", [DWARF_STR] = ".debug_str",
	[DWARF_LINE_STR] = ".debug_line_str", [DWARF_STR_OFFSETS] = ".debug_str_offsets", [DWARF_ADDR] = ".debug_addr",
	[DWARF_RANGES] = ".debug_ranges", [DWARF_RNGLISTS] = ".debug_rnglists", [DWARF_LINE] = ".debug_line",
	[DWARF_ARANGES] = ".debug_aranges", [DWARF_LOC] = ".debug_loc", [DWARF_LOCLISTS] = ".debug_loclists",
};

void dwarf_share_init(struct dwarf_share *s)
{
	brief_lock_init(&s->lock);
	arena_init(&s->arena);
}

void dwarf_share_deinit(struct dwarf_share *s)
{
	pthread_mutex_destroy(&s->lock);
	arena_deinit(&s->arena);
}

static const struct object_section *find_section(const struct dwarf_file *f, enum dwarf_section which)
{
	char name[32];
	size_t n = strlen(section_names[which]);
	memcpy(name, section_names[which], n + 1);
	if (f->split)
		memcpy(name + n, ".dwo", 5);
	return object_find_section(f->object, name);
}

struct cursor dwarf_section(const struct dwarf_file *f, enum dwarf_section which)
{
	const struct object_section *s = find_section(f, which);
	return s ? object_section_cursor(f->object, s) : cursor_make("", 0, object_header(f->object)->swap);
}

static void open_section(void *ctx, size_t i, unsigned thread)
{
	struct dwarf_file *f = ctx;
	(void)thread;
	f->sections[i] = dwarf_section(f, (enum dwarf_section)i);
}

#define STR_BYTES_LARGE (1u << 20) /* smaller sections are soon completely in memory, and need no descriptor */

static void open_strings(struct dwarf_file *f)
{
	const struct object_section *s = find_section(f, DWARF_STR);
	f->str_fd = s && s->bytes > STR_BYTES_LARGE ? object_section_fd(f->object, s, &f->str_offset) : -1;
}

/* Compressed bytes that take milliseconds. The largest section is as large as all others: a third thread would be idle. */
#define PACKED_BYTES_LARGE (256u << 10)

void dwarf_file_init(struct dwarf_file *f, struct dwarf *d, struct object *o, bool split)
{
	*f = (struct dwarf_file){ .dwarf = d, .object = o, .split = split };
	const struct object_section *info = find_section(f, DWARF_INFO);
	open_strings(f);
	bool is_large = info && info->flags & SHF_COMPRESSED && info->bytes > PACKED_BYTES_LARGE;
	pool_run(DWARF_SECTIONS_KEPT, is_large && pool_cpus() > 1 ? 2 : 1, open_section, f);
}

void dwarf_file_deinit(struct dwarf_file *f)
{
	for (size_t i = 0; i < f->units.len; i++) {
		struct dwarf_unit *u = f->units.data[i];
		dwarf_share_deinit(&u->functions_share);
		dwarf_share_deinit(&u->lines_share);
		free(u);
	}
	vec_deinit(&f->units);
	dwarf_abbrevs_free(f);
	if (f->object && f->str_fd >= 0)
		close(f->str_fd);
	for (int i = 0; f->object && i < DWARF_SECTIONS_NR; i++) {
		const struct object_section *s = find_section(f, (enum dwarf_section)i);
		if (s)
			object_section_release(f->object, s);
	}
}

/* False at the end, or if the next header cannot be found. */
static bool read_header(struct dwarf_file *f, struct cursor *c)
{
	struct dwarf_unit h = { .file = f, .offset = cursor_offset(c), .offset_bytes = 4 };
	uint64_t bytes = cursor_u32(c);
	if (bytes == UINT32_MAX) {
		h.offset_bytes = 8;
		bytes = cursor_u64(c);
	}
	if (c->bad || bytes > cursor_left(c) || (h.offset_bytes == 4 && bytes >= 0xfffffff0u))
		return false;
	struct cursor in = *c;
	in.end = in.at + bytes;
	cursor_skip(c, (size_t)bytes);
	h.end = cursor_offset(c);
	h.version = cursor_u16(&in);
	if (h.version >= 5) {
		h.type = cursor_u8(&in);
		h.address_bytes = cursor_u8(&in);
		h.abbrev_offset = dwarf_get(&in, h.offset_bytes);
		if (h.type == DW_UT_skeleton || h.type == DW_UT_split_compile)
			h.id = cursor_u64(&in);
		else if (h.type == DW_UT_type || h.type == DW_UT_split_type) {
			h.id = cursor_u64(&in);
			h.type_offset = dwarf_get(&in, h.offset_bytes);
		}
	} else {
		h.type = DW_UT_compile;
		h.abbrev_offset = dwarf_get(&in, h.offset_bytes);
		h.address_bytes = cursor_u8(&in);
	}
	h.dies = cursor_offset(&in);
	bool known_address = h.address_bytes == 4 || h.address_bytes == 8;
	if (in.bad || h.version < 2 || h.version > 5 || !known_address)
		return true; /* passed over */
	struct dwarf_unit *u = xmalloc(sizeof(*u));
	*u = h;
	dwarf_share_init(&u->functions_share);
	dwarf_share_init(&u->lines_share);
	vec_push(&f->units, u);
	return true;
}

void dwarf_read_units(struct dwarf_file *f)
{
	struct cursor c = f->sections[DWARF_INFO];
	while (cursor_left(&c) && read_header(f, &c))
		;
}

struct root {
	struct dwarf_value name, comp_dir, dwo_name;
};

static void take_root_attr(struct dwarf_unit *u, struct root *r, uint16_t name, struct dwarf_value v)
{
	switch (name) {
	case DW_AT_low_pc: u->root_pc.low = v; break;
	case DW_AT_high_pc: u->root_pc.high = v; break;
	case DW_AT_ranges: u->root_pc.ranges = v; break;
	case DW_AT_name: r->name = v; break;
	case DW_AT_comp_dir: r->comp_dir = v; break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		r->dwo_name = v;
		u->has_dwo = true;
		break;
	case DW_AT_GNU_dwo_id: u->id = v.u; break;
	case DW_AT_stmt_list:
		u->line_offset = v.u;
		u->has_lines = v.class == DWARF_OFFSET || v.class == DWARF_CONSTANT;
		break;
	case DW_AT_str_offsets_base: u->str_offsets_base = v.u; break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base: u->addr_base = v.u; break;
	case DW_AT_rnglists_base: u->rnglists_base = v.u; break;
	case DW_AT_loclists_base: u->loclists_base = v.u; break;
	case DW_AT_GNU_ranges_base: u->ranges_base = v.u; break;
	}
}

/*
 * A table of a single unit need not be cached for its root: only one entry is read, into `table`. ret_attrs: its
 * attributes; NULL: none.
 */
static const struct dwarf_abbrev *root_abbrev(struct dwarf_unit *u, uint64_t code, struct dwarf_abbrevs *table,
					      const struct dwarf_attr **ret_attrs)
{
	const struct dwarf_abbrevs *from = table;
	if (!dwarf_abbrev_alone(u->file, u->abbrev_offset, code, table))
		from = dwarf_abbrevs(u->file, u->abbrev_offset);
	const struct dwarf_abbrev *a = from ? dwarf_abbrev_find(from, code) : NULL;
	*ret_attrs = a && a->nr ? &from->attrs.data[a->first] : NULL;
	return a;
}

void dwarf_read_root(struct dwarf_unit *u)
{
	struct cursor c = u->file->sections[DWARF_INFO];
	c.end = c.start + u->end;
	cursor_seek(&c, (size_t)u->dies);
	struct dwarf_abbrevs table = {};
	struct root r = {};
	const struct dwarf_attr *attrs;
	const struct dwarf_abbrev *a = root_abbrev(u, cursor_uleb(&c), &table, &attrs);
	u->root_tag = a ? a->tag : 0;
	for (uint32_t i = 0; a && i < a->nr && !c.bad; i++)
		take_root_attr(u, &r, attrs[i].name, dwarf_read_form(u, &c, attrs[i].form, attrs[i].constant));
	u->bad = !a || c.bad;
	vec_deinit(&table.entries);
	vec_deinit(&table.attrs);
	u->name = dwarf_string(u, &r.name);
	u->comp_dir = dwarf_string(u, &r.comp_dir);
	u->dwo_name = dwarf_string(u, &r.dwo_name);
	if (!dwarf_address(u, &u->root_pc.low, &u->low_pc))
		u->low_pc = 0;
	atomic_store_explicit(&u->has_root, true, memory_order_release);
}

void dwarf_root_ranges(const struct dwarf_unit *u, dwarf_ranges *to)
{
	if (!u->bad && (u->root_tag == DW_TAG_compile_unit || u->root_tag == DW_TAG_skeleton_unit))
		dwarf_read_pc(u, &u->root_pc, to);
}

void dwarf_need_root(struct dwarf_unit *u)
{
	if (atomic_load_explicit(&u->has_root, memory_order_acquire))
		return;
	pthread_mutex_lock(&u->file->dwarf->lock);
	if (!u->has_root)
		dwarf_read_root(u);
	pthread_mutex_unlock(&u->file->dwarf->lock);
}

bool dwarf_unit_prepare(struct dwarf_unit *u)
{
	if (!atomic_load_explicit(&u->is_prepared, memory_order_acquire)) {
		pthread_mutex_lock(&u->file->dwarf->lock);
		if (!u->has_root)
			dwarf_read_root(u);
		if (!u->abbrevs)
			u->abbrevs = dwarf_abbrevs(u->file, u->abbrev_offset);
		atomic_store_explicit(&u->is_prepared, true, memory_order_release);
		pthread_mutex_unlock(&u->file->dwarf->lock);
	}
	return !u->bad && u->abbrevs;
}

struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset)
{
	size_t i = vec_search(&f->units, u, (*u)->end <= offset);
	if (i == f->units.len || offset < f->units.data[i]->dies || !dwarf_unit_prepare(f->units.data[i]))
		return NULL;
	return f->units.data[i];
}
