/*
 * The unit of an address. For gcc's units .debug_aranges has the addresses, so that only needed units are read. It may lack units
 * (clang writes none) and addresses: these are looked up in a second index, made of the roots of all units when it is first
 * needed.
 */
#include <elf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "object/dwarf/priv.h"

static void add_range(struct dwarf_index *x, struct dwarf_unit *u, uint64_t start, uint64_t end)
{
	vec_push(&x->ranges, ((struct dwarf_unit_range){ .start = start, .end = end, .unit = u }));
}

/* The index of the unit whose header is at an offset; the number of units if there is none. */
static size_t unit_of_header(const struct dwarf_file *f, uint64_t offset)
{
	size_t i = vec_search(&f->units, e, (*e)->offset < offset);
	return i < f->units.len && f->units.data[i]->offset == offset ? i : f->units.len;
}

/* One set of .debug_aranges. */
static void read_set(struct dwarf_index *x, struct dwarf_file *f, struct cursor *c)
{
	size_t start = cursor_offset(c);
	uint64_t bytes = cursor_u32(c);
	unsigned offset_bytes = 4;
	if (bytes == UINT32_MAX) {
		offset_bytes = 8;
		bytes = cursor_u64(c);
	}
	if (c->bad || bytes > cursor_left(c)) {
		c->bad = true;
		return;
	}
	struct cursor in = *c;
	in.end = in.at + bytes;
	cursor_skip(c, (size_t)bytes);
	cursor_u16(&in);
	size_t i = unit_of_header(f, dwarf_get(&in, offset_bytes));
	unsigned address = cursor_u8(&in), segment = cursor_u8(&in);
	if (i == f->units.len || segment || (address != 4 && address != 8))
		return;
	struct dwarf_unit *u = f->units.data[i];
	while ((cursor_offset(&in) - start) % (2 * address) && cursor_skip(&in, 1))
		;
	while (cursor_left(&in) >= 2 * address) {
		uint64_t low = dwarf_get(&in, address), length = dwarf_get(&in, address);
		if (length && low + length > low && dwarf_is_text(f->dwarf, low))
			add_range(x, u, low, low + length);
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct dwarf_unit_range *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->unit->offset < y->unit->offset ? -1 : x->unit->offset > y->unit->offset;
}

static void add_text(struct dwarf *d, uint64_t start, uint64_t bytes)
{
	if (!bytes)
		return;
	d->text[d->text_nr][0] = start;
	d->text[d->text_nr++][1] = start + bytes;
}

/* The code of a relocatable file is laid out in one piece, from 0 on. */
static uint64_t code_bytes(const struct object *o)
{
	uint64_t end = 0;
	for (size_t i = 0; i < object_sections_count(o); i++) {
		const struct object_section *s = object_section(o, i);
		if (object_section_is_code(s))
			end = s->addr + s->bytes;
	}
	return end;
}

static void find_text(struct dwarf *d)
{
	const struct object *o = d->object;
	size_t n = object_segments_count(o);
	d->text = xcalloc(n + 1, sizeof(*d->text)); /* one more: of a relocatable file */
	if (object_header(o)->type == ET_REL)
		add_text(d, 0, code_bytes(o));
	for (size_t i = 0; i < n; i++) {
		const struct object_segment *s = object_segment(o, i);
		if (s->type == PT_LOAD && s->flags & PF_X)
			add_text(d, s->vaddr, s->memory_bytes);
	}
}

static void find_stubs(struct dwarf *d)
{
	const struct object *o = d->object;
	for (size_t i = 0; i < object_sections_count(o); i++) {
		const struct object_section *s = object_section(o, i);
		if (text_has_prefix(s->name, ".plt") && s->flags & SHF_ALLOC && s->addr + s->bytes > s->addr)
			vec_push(&d->stubs, ((struct dwarf_range){ s->addr, s->addr + s->bytes }));
	}
}

static void sort_index(struct dwarf_index *x)
{
	if (x->ranges.len)
		qsort(x->ranges.data, x->ranges.len, sizeof(*x->ranges.data), compare_ranges);
	uint64_t max_end = 0;
	for (size_t i = 0; i < x->ranges.len; i++) {
		max_end = x->ranges.data[i].end > max_end ? x->ranges.data[i].end : max_end;
		x->ranges.data[i].max_end = max_end;
	}
}

void dwarf_build_index(struct dwarf *d)
{
	struct cursor c = dwarf_section(&d->main, DWARF_ARANGES);
	find_text(d);
	find_stubs(d);
	while (cursor_left(&c) && !c.bad)
		read_set(&d->by_aranges, &d->main, &c);
	sort_index(&d->by_aranges);
}

static void read_roots(struct dwarf *d)
{
	struct dwarf_file *f = &d->main;
	dwarf_ranges ranges = {};
	for (size_t i = 0; i < f->units.len; i++) {
		struct dwarf_unit *u = f->units.data[i];
		if (u->type != DW_UT_compile && u->type != DW_UT_skeleton)
			continue;
		if (!u->has_root)
			dwarf_read_root(u);
		vec_clear(&ranges);
		dwarf_root_ranges(u, &ranges);
		for (size_t n = 0; n < ranges.len; n++)
			add_range(&d->by_roots, u, ranges.data[n].start, ranges.data[n].end);
	}
	vec_deinit(&ranges);
	sort_index(&d->by_roots);
}

static const struct dwarf_index *index_by_roots(struct dwarf *d)
{
	if (atomic_load_explicit(&d->roots_read, memory_order_acquire))
		return &d->by_roots;
	pthread_mutex_lock(&d->lock);
	if (!d->roots_read) {
		read_roots(d);
		atomic_store_explicit(&d->roots_read, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->lock);
	return &d->by_roots;
}

/* The number of ranges that start at or below addr. */
static size_t ranges_until(const struct dwarf_index *x, uint64_t addr)
{
	return vec_search(&x->ranges, e, e->start <= addr);
}

/* Looking up an address outside of all code would read the roots of all units. */
static bool is_stub(const struct dwarf *d, uint64_t addr)
{
	for (size_t i = 0; i < d->stubs.len; i++)
		if (addr - d->stubs.data[i].start < d->stubs.data[i].end - d->stubs.data[i].start)
			return true;
	return false;
}

struct dwarf_search dwarf_search(struct dwarf *d, uint64_t addr)
{
	if (is_stub(d, addr))
		return (struct dwarf_search){ .dwarf = d, .addr = addr, .in = &d->by_roots };
	const struct dwarf_index *in = d->by_aranges.ranges.len ? &d->by_aranges : index_by_roots(d);
	return (struct dwarf_search){ .dwarf = d, .addr = addr, .in = in, .at = ranges_until(in, addr) };
}

/* The maximum number of units tried for one address, so that a hostile file cannot make each address cost a walk over all units. */
#define CLAIMS_MAX 256

struct dwarf_unit *dwarf_next_unit(struct dwarf_search *s)
{
	while (s->claims < CLAIMS_MAX) {
		const struct dwarf_unit_range *all = s->in->ranges.data;
		while (s->at && all[s->at - 1].max_end > s->addr) {
			struct dwarf_unit *u = all[--s->at].unit;
			if (all[s->at].end <= s->addr)
				continue;
			s->claims++;
			dwarf_need_root(u);
			return u;
		}
		if (s->in == &s->dwarf->by_roots)
			return NULL;
		s->in = index_by_roots(s->dwarf);
		s->at = ranges_until(s->in, s->addr);
	}
	return NULL;
}
