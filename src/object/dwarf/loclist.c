/* Location lists: address ranges with expressions. */
#include "object/dwarf/priv.h"

#define ENTRIES_MAX (1u << 16) /* of one list: more is damage */

typedef bool each_fn(void *ctx, const struct dwarf_range *range, const uint8_t *expression, size_t bytes);

static const struct dwarf_unit *main_unit(const struct dwarf_unit *u)
{
	return u->skeleton ? u->skeleton : u;
}

static uint64_t indexed(const struct dwarf_unit *u, struct cursor *c)
{
	struct dwarf_value v = { .class = DWARF_ADDRESS_INDEX, .u = cursor_uleb(c) };
	uint64_t addr;
	return dwarf_address(u, &v, &addr) ? addr : 0;
}

static bool give(struct cursor *c, uint64_t bytes, struct dwarf_range range, each_fn *fn, void *ctx)
{
	const uint8_t *expression = bytes <= cursor_left(c) ? cursor_bytes(c, (size_t)bytes) : NULL;
	return expression && (range.start >= range.end || fn(ctx, &range, expression, (size_t)bytes));
}

/* DWARF 2 to 4: pairs of addresses from the unit's start, ended by two zeros. */
static void each_old(const struct dwarf_unit *u, uint64_t offset, each_fn *fn, void *ctx)
{
	struct cursor c = dwarf_section(u->file, DWARF_LOC);
	uint64_t base = main_unit(u)->low_pc, all = u->address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	if (offset > cursor_left(&c))
		return;
	cursor_skip(&c, (size_t)offset);
	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		uint64_t start = dwarf_get(&c, u->address_bytes), end = dwarf_get(&c, u->address_bytes);
		if (c.bad || (!start && !end))
			return;
		if (start == all)
			base = end;
		else if (!give(&c, cursor_u16(&c), (struct dwarf_range){ (base + start) & all, (base + end) & all }, fn, ctx))
			return;
	}
}

/* GNU's split DWARF of version 4 (.debug_loc.dwo): kinds as in DWARF 5, lengths of four bytes. */
static void each_split(const struct dwarf_unit *u, uint64_t offset, each_fn *fn, void *ctx)
{
	struct cursor c = dwarf_section(u->file, DWARF_LOC);
	uint64_t base = main_unit(u)->low_pc;
	if (offset > cursor_left(&c))
		return;
	cursor_skip(&c, (size_t)offset);
	for (unsigned i = 0; i < ENTRIES_MAX && !c.bad; i++) {
		struct dwarf_range r;
		switch (cursor_u8(&c)) {
		case DW_LLE_base_addressx: base = indexed(u, &c); continue;
		case DW_LLE_startx_endx: r.start = indexed(u, &c), r.end = indexed(u, &c); break;
		case DW_LLE_startx_length: r.start = indexed(u, &c), r.end = r.start + cursor_u32(&c); break;
		case DW_LLE_offset_pair: r.start = base + cursor_u32(&c), r.end = base + cursor_u32(&c); break;
		default: return;
		}
		if (!give(&c, cursor_u16(&c), r, fn, ctx))
			return;
	}
}

/* The addresses of an entry of DWARF 5; false if it has none, and at the end, when *ret_end is set. */
static bool read_entry(const struct dwarf_unit *u, struct cursor *c, uint64_t *base, struct dwarf_range *r, bool *ret_end)
{
	switch (cursor_u8(c)) {
	case DW_LLE_base_addressx: *base = indexed(u, c); return false;
	case DW_LLE_base_address: *base = dwarf_get(c, u->address_bytes); return false;
	case DW_LLE_GNU_view_pair: cursor_uleb(c), cursor_uleb(c); return false;
	case DW_LLE_startx_endx: r->start = indexed(u, c), r->end = indexed(u, c); return true;
	case DW_LLE_startx_length: r->start = indexed(u, c), r->end = r->start + cursor_uleb(c); return true;
	case DW_LLE_offset_pair: r->start = *base + cursor_uleb(c), r->end = *base + cursor_uleb(c); return true;
	case DW_LLE_default_location: *r = (struct dwarf_range){ 0, UINT64_MAX }; return true;
	case DW_LLE_start_end: r->start = dwarf_get(c, u->address_bytes), r->end = dwarf_get(c, u->address_bytes); return true;
	case DW_LLE_start_length: r->start = dwarf_get(c, u->address_bytes), r->end = r->start + cursor_uleb(c); return true;
	default: *ret_end = true; return false;
	}
}

static void each_new(const struct dwarf_unit *u, uint64_t offset, each_fn *fn, void *ctx)
{
	struct cursor c = dwarf_section(u->file, DWARF_LOCLISTS);
	uint64_t base = main_unit(u)->low_pc;
	bool is_end = false;
	if (offset > cursor_left(&c))
		return;
	cursor_skip(&c, (size_t)offset);
	for (unsigned i = 0; i < ENTRIES_MAX && !c.bad && !is_end; i++) {
		struct dwarf_range r = {};
		if (read_entry(u, &c, &base, &r, &is_end) && !c.bad && !give(&c, cursor_uleb(&c), r, fn, ctx))
			return;
	}
}

/* Where the list of that index begins. */
static bool list_offset(const struct dwarf_unit *u, uint64_t index, uint64_t *ret)
{
	struct cursor c = dwarf_section(u->file, DWARF_LOCLISTS);
	/* A split unit has no base attribute: the table follows the first header. */
	uint64_t left = cursor_left(&c), base = u->loclists_base ? u->loclists_base : u->offset_bytes == 8 ? 20 : 12;
	if (base > left || index >= (left - base) / u->offset_bytes)
		return false;
	cursor_skip(&c, (size_t)(base + index * u->offset_bytes));
	*ret = base + dwarf_get(&c, u->offset_bytes);
	return true;
}

bool dwarf_each_location(const struct dwarf_die *d, const struct dwarf_value *v, each_fn *fn, void *ctx)
{
	const struct dwarf_unit *u = d->unit;
	uint64_t offset = v->u;
	if (v->class == DWARF_LIST_INDEX) {
		if (list_offset(u, v->u, &offset))
			each_new(u, offset, fn, ctx);
		return true;
	}
	if (v->class != DWARF_OFFSET && v->class != DWARF_CONSTANT)
		return false;
	if (u->version >= 5)
		each_new(u, offset, fn, ctx);
	else if (u->file->split)
		each_split(u, offset, fn, ctx);
	else
		each_old(u, offset, fn, ctx);
	return true;
}

struct at_address {
	uint64_t addr;
	const uint8_t *expression;
	size_t bytes;
};

/* The first match counts; a default location only if no other matches. */
static bool take_at(void *ctx, const struct dwarf_range *range, const uint8_t *expression, size_t bytes)
{
	struct at_address *a = ctx;
	bool is_default = !range->start && range->end == UINT64_MAX;
	if (a->addr < range->start || a->addr >= range->end)
		return true;
	if (!a->expression || !is_default) {
		a->expression = expression;
		a->bytes = bytes;
	}
	return is_default;
}

bool dwarf_expression_at(const struct dwarf_die *d, const struct dwarf_value *v, uint64_t addr, const uint8_t **ret, size_t *ret_bytes)
{
	struct at_address a = { .addr = addr };
	if (v->class == DWARF_BLOCK) {
		*ret = v->block;
		*ret_bytes = (size_t)v->u;
		return true;
	}
	dwarf_each_location(d, v, take_at, &a);
	*ret = a.expression;
	*ret_bytes = a.bytes;
	return a.expression;
}
