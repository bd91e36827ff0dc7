/* Address ranges: lists of them, and how nested ones are cut into segments. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "object/dwarf/priv.h"

#define RANGES_MAX (1u << 20) /* of one list: more is damage */

bool dwarf_is_text(const struct dwarf *d, uint64_t addr)
{
	for (size_t i = 0; i < d->text_nr; i++)
		if (addr >= d->text[i][0] && addr < d->text[i][1])
			return true;
	return !d->text_nr && addr;
}

static void add(const struct dwarf_unit *u, dwarf_ranges *to, uint64_t start, uint64_t end)
{
	/* Code that the linker dropped has address 0, 1 or -1, or one outside of all segments. */
	if (start < end && dwarf_is_text(u->file->dwarf, start))
		vec_push(to, ((struct dwarf_range){ start, end }));
}

static const struct dwarf_unit *main_unit(const struct dwarf_unit *u)
{
	return u->skeleton ? u->skeleton : u;
}

/* DWARF 2-4: pairs of addresses, ended by two zeros. Of split units they stay in the main file. */
static void read_old(const struct dwarf_unit *u, uint64_t offset, dwarf_ranges *to)
{
	const struct dwarf_unit *of = main_unit(u);
	struct cursor c = of->file->sections[DWARF_RANGES];
	uint64_t base = of->low_pc, all = u->address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	if (u->skeleton)
		offset += of->ranges_base;
	if (offset > cursor_left(&c))
		return;
	cursor_skip(&c, (size_t)offset);
	for (unsigned i = 0; i < RANGES_MAX; i++) {
		uint64_t start = dwarf_get(&c, u->address_bytes), end = dwarf_get(&c, u->address_bytes);
		if (c.bad || (!start && !end))
			break;
		if (start == all)
			base = end;
		else
			add(u, to, (base + start) & all, (base + end) & all);
	}
}

static uint64_t indexed(const struct dwarf_unit *u, struct cursor *c)
{
	struct dwarf_value v = { .class = DWARF_ADDRESS_INDEX, .u = cursor_uleb(c) };
	uint64_t addr;
	return dwarf_address(u, &v, &addr) ? addr : 0;
}

/* DWARF 5: a list of entries. */
static void read_new(const struct dwarf_unit *u, uint64_t offset, dwarf_ranges *to)
{
	struct cursor c = u->file->sections[DWARF_RNGLISTS];
	uint64_t base = main_unit(u)->low_pc;
	if (offset > cursor_left(&c))
		return;
	cursor_skip(&c, (size_t)offset);
	for (unsigned i = 0; i < RANGES_MAX && !c.bad; i++) {
		uint64_t start = 0, end = 0;
		switch (cursor_u8(&c)) {
		case DW_RLE_base_addressx: base = indexed(u, &c); continue;
		case DW_RLE_base_address: base = dwarf_get(&c, u->address_bytes); continue;
		case DW_RLE_startx_endx: start = indexed(u, &c), end = indexed(u, &c); break;
		case DW_RLE_startx_length: start = indexed(u, &c), end = start + cursor_uleb(&c); break;
		case DW_RLE_offset_pair: start = base + cursor_uleb(&c), end = base + cursor_uleb(&c); break;
		case DW_RLE_start_end:
			start = dwarf_get(&c, u->address_bytes), end = dwarf_get(&c, u->address_bytes);
			break;
		case DW_RLE_start_length:
			start = dwarf_get(&c, u->address_bytes), end = start + cursor_uleb(&c);
			break;
		default: return; /* the end, or unknown */
		}
		if (!c.bad)
			add(u, to, start, end);
	}
}

static void read_list(const struct dwarf_unit *u, const struct dwarf_value *v, dwarf_ranges *to)
{
	if (v->class == DWARF_LIST_INDEX) {
		struct cursor c = u->file->sections[DWARF_RNGLISTS];
		uint64_t left = cursor_left(&c);
		if (u->rnglists_base > left || v->u >= (left - u->rnglists_base) / u->offset_bytes)
			return;
		cursor_skip(&c, (size_t)(u->rnglists_base + v->u * u->offset_bytes));
		read_new(u, u->rnglists_base + dwarf_get(&c, u->offset_bytes), to);
	} else if (v->class == DWARF_OFFSET || v->class == DWARF_CONSTANT) {
		if (u->version >= 5)
			read_new(u, v->u, to);
		else
			read_old(u, v->u, to);
	}
}

void dwarf_read_pc(const struct dwarf_unit *u, const struct dwarf_pc *pc, dwarf_ranges *to)
{
	uint64_t low, high;
	if (pc->ranges.class) {
		read_list(u, &pc->ranges, to);
	} else if (dwarf_address(u, &pc->low, &low)) {
		high = low + pc->high.u;
		if (pc->high.class == DWARF_CONSTANT || dwarf_address(u, &pc->high, &high))
			add(u, to, low, high);
	}
}

/* Begins a segment of owner at addr. */
static void begin(struct dwarf_segments *s, uint64_t addr, uint32_t owner)
{
	if (s->nr && s->at[s->nr - 1].start == addr)
		s->nr--;
	if (s->nr && s->at[s->nr - 1].owner == owner)
		return;
	s->at[s->nr++] = (struct dwarf_segment){ addr, owner };
}

/* Ends owners at `until`; outer ones continue. Owners nest, so that the last one begun is the innermost. */
static size_t close_until(struct dwarf_segments *s, const struct dwarf_owned **open, size_t n, uint64_t until)
{
	while (n && open[n - 1]->range.end <= until) {
		uint64_t end = open[n - 1]->range.end;
		while (n && open[n - 1]->range.end <= end)
			n--;
		begin(s, end, n ? open[n - 1]->owner : UINT32_MAX);
	}
	return n;
}

struct dwarf_segments dwarf_cut_segments(dwarf_owned_list *list, struct arena *arena)
{
	struct dwarf_segments s = {};
	size_t n = list->len, open_nr = 0;
	struct sort_pair *order = xreallocarray(NULL, n + 1, sizeof(*order));
	const struct dwarf_owned **open = xreallocarray(NULL, n + 1, sizeof(*open));
	struct dwarf_segment *at = xreallocarray(NULL, 2 * n + 1, sizeof(*at));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_pair){ list->data[i].range.start, i };
	sort_pairs(order, n);
	s.at = at;
	for (size_t i = 0; i < n; i++) {
		const struct dwarf_owned *o = &list->data[order[i].value];
		open_nr = close_until(&s, open, open_nr, o->range.start);
		open[open_nr++] = o;
		begin(&s, o->range.start, o->owner);
	}
	close_until(&s, open, open_nr, UINT64_MAX);
	s.at = arena_memdup(arena, at, s.nr * sizeof(*at));
	free(at);
	free(open);
	free(order);
	vec_deinit(list);
	return s;
}

uint32_t dwarf_segment_find(const struct dwarf_segments *s, uint64_t addr)
{
	size_t n = s->nr;
	if (!n || addr < s->at[0].start)
		return UINT32_MAX;
	const struct dwarf_segment *at = s->at;
	while (n > 1) {
		size_t half = n / 2;
		at += at[half].start <= addr ? half : 0;
		n -= half;
	}
	return at->owner;
}
