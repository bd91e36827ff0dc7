#include "object/dwarf/die.h"

#include "object/dwarf/priv.h"

#define REFERENCES_MAX 16 /* maximum length of a chain of origins and specifications */
#define DEPTH_MAX      4096

static struct cursor cursor_at(const struct dwarf_unit *u, uint64_t offset)
{
	struct cursor c = u->file->sections[DWARF_INFO];
	if (cursor_left(&c) >= u->end)
		c.end = c.start + u->end;
	cursor_seek(&c, (size_t)offset);
	return c;
}

/* Reads the entry at the cursor; false at the end of a list of children, or if damaged. */
static bool read_entry(struct dwarf_unit *u, struct cursor *c, struct dwarf_die *ret)
{
	uint64_t offset = cursor_offset(c), code = cursor_left(c) ? cursor_uleb(c) : 0;
	const struct dwarf_abbrev *a = code && !c->bad ? dwarf_abbrev_find(u->abbrevs, code) : NULL;
	*ret = (struct dwarf_die){};
	if (a)
		*ret = (struct dwarf_die){ .unit = u, .abbrev = a, .offset = offset, .attrs = cursor_offset(c), .tag = a->tag,
					   .address_bytes = u->address_bytes, .offset_bytes = u->offset_bytes, .swap = c->swap };
	return a;
}

static bool read_at(struct dwarf_file *f, uint64_t offset, struct dwarf_die *ret)
{
	struct dwarf_unit *u = dwarf_unit_at(f, offset);
	if (!u)
		return false;
	struct cursor c = cursor_at(u, offset);
	return read_entry(u, &c, ret);
}

bool dwarf_die_of_function(struct dwarf *d, uint64_t addr, struct dwarf_die *ret)
{
	struct dwarf_unit *u;
	uint64_t offset;
	for (struct dwarf_search s = dwarf_search(d, addr); (u = dwarf_next_unit(&s));) {
		u = dwarf_split_unit(u);
		if (dwarf_function_offset(u, addr, &offset))
			return read_at(u->file, offset, ret);
	}
	return false;
}

bool dwarf_die_root(const struct dwarf_die *d, struct dwarf_die *ret)
{
	return read_at(d->unit->file, d->unit->dies, ret);
}

bool dwarf_die_in_unit(const struct dwarf_die *d, uint64_t offset, struct dwarf_die *ret)
{
	const struct dwarf_unit *u = d->unit;
	return offset < u->end - u->offset && read_at(u->file, u->offset + offset, ret);
}

const struct dwarf_file *dwarf_die_file(const struct dwarf_die *d)
{
	return d->unit->file;
}

bool dwarf_die_child(const struct dwarf_die *d, struct dwarf_die *ret)
{
	struct cursor c = cursor_at(d->unit, d->attrs);
	return d->abbrev->has_children && dwarf_skip_attrs(d->unit, &c, d->unit->abbrevs, d->abbrev) &&
	       read_entry(d->unit, &c, ret);
}

/* Skips everything below an entry whose children begin at the cursor. */
static bool skip_children(struct dwarf_unit *u, struct cursor *c)
{
	struct dwarf_die d;
	for (unsigned depth = 1; depth;) {
		if (depth > DEPTH_MAX || !cursor_left(c) || c->bad)
			return false;
		uint64_t at = cursor_offset(c);
		if (!read_entry(u, c, &d)) {
			if (c->bad || cursor_offset(c) != at + 1)
				return false;
			depth--;
			continue;
		}
		struct dwarf_value to = dwarf_read_placed(u, *c, d.abbrev, PLACED_SIBLING);
		bool is_ahead = d.abbrev->has_children && to.class == DWARF_REFERENCE && to.u > cursor_offset(c) && to.u < u->end;
		if (is_ahead ? !cursor_seek(c, (size_t)to.u) : !dwarf_skip_attrs(u, c, u->abbrevs, d.abbrev))
			return false;
		depth += d.abbrev->has_children && !is_ahead;
	}
	return true;
}

bool dwarf_die_sibling(const struct dwarf_die *d, struct dwarf_die *ret)
{
	struct dwarf_unit *u = d->unit;
	struct cursor c = cursor_at(u, d->attrs);
	struct dwarf_value to = {};
	if (d->abbrev->has_children && d->abbrev->has_sibling)
		to = dwarf_die_value(d, DW_AT_sibling);
	if (to.class == DWARF_REFERENCE && to.u > d->attrs && to.u < u->end)
		return cursor_seek(&c, (size_t)to.u) && read_entry(u, &c, ret);
	if (!dwarf_skip_attrs(u, &c, u->abbrevs, d->abbrev) || (d->abbrev->has_children && !skip_children(u, &c)))
		return false;
	return read_entry(u, &c, ret);
}

/* ---- attributes ---- */

bool dwarf_die_has(const struct dwarf_die *d, uint16_t name)
{
	const struct dwarf_attr *attr = d->unit->abbrevs->attrs.data + d->abbrev->first;
	for (uint32_t i = 0; i < d->abbrev->nr; i++)
		if (attr[i].name == name)
			return true;
	return false;
}

struct dwarf_value dwarf_die_value(const struct dwarf_die *d, uint16_t name)
{
	if (!dwarf_die_has(d, name))
		return (struct dwarf_value){};
	struct cursor c = cursor_at(d->unit, d->attrs);
	const struct dwarf_attr *attr = d->unit->abbrevs->attrs.data + d->abbrev->first;
	for (; attr->name != name && !c.bad; attr++)
		dwarf_skip_form(d->unit, &c, attr->form);
	struct dwarf_value v = dwarf_read_form(d->unit, &c, attr->form, attr->constant);
	return c.bad ? (struct dwarf_value){} : v;
}

struct dwarf_value dwarf_die_inherited(const struct dwarf_die *d, uint16_t name, struct dwarf_die *ret_from)
{
	*ret_from = *d;
	for (unsigned i = 0; i < REFERENCES_MAX; i++) {
		struct dwarf_value v = dwarf_die_value(ret_from, name);
		if (v.class)
			return v;
		struct dwarf_value to = dwarf_die_value(ret_from, DW_AT_abstract_origin);
		if (!to.class)
			to = dwarf_die_value(ret_from, DW_AT_specification);
		if (!dwarf_die_follow(ret_from, &to, ret_from))
			break;
	}
	return (struct dwarf_value){};
}

bool dwarf_die_number(const struct dwarf_die *d, uint16_t name, uint64_t *ret)
{
	struct dwarf_value v = dwarf_die_value(d, name);
	*ret = v.u;
	return v.class == DWARF_CONSTANT;
}

bool dwarf_die_flag(const struct dwarf_die *d, uint16_t name)
{
	uint64_t flag;
	return dwarf_die_number(d, name, &flag) && flag;
}

static bool follow_signature(struct dwarf_file *f, uint64_t signature, struct dwarf_die *ret)
{
	for (size_t i = 0; i < f->units.len; i++) {
		struct dwarf_unit *u = f->units.data[i];
		bool is_type = u->type == DW_UT_type || u->type == DW_UT_split_type;
		if (is_type && u->id == signature && u->type_offset < u->end - u->offset)
			return read_at(f, u->offset + u->type_offset, ret);
	}
	return false;
}

bool dwarf_die_follow(const struct dwarf_die *d, const struct dwarf_value *v, struct dwarf_die *ret)
{
	struct dwarf_file *f = d->unit ? d->unit->file : NULL;
	if (!f)
		return false;
	switch (v->class) {
	case DWARF_REFERENCE: return read_at(f, v->u, ret);
	case DWARF_REFERENCE_SUPPLEMENT:
		return f->dwarf->has_supplement && read_at(&f->dwarf->supplement, v->u, ret);
	case DWARF_REFERENCE_SIGNATURE: return follow_signature(f, v->u, ret);
	default: return false;
	}
}

bool dwarf_die_address(const struct dwarf_die *d, const struct dwarf_value *v, uint64_t *ret)
{
	return dwarf_address(d->unit, v, ret);
}

const char *dwarf_die_text(const struct dwarf_die *d, const struct dwarf_value *v)
{
	return dwarf_string(d->unit, v);
}

const char *dwarf_die_name(const struct dwarf_die *d)
{
	struct dwarf_die from;
	struct dwarf_value v = dwarf_die_inherited(d, DW_AT_name, &from);
	return v.class ? dwarf_string(from.unit, &v) : NULL;
}

bool dwarf_die_ranges(const struct dwarf_die *d, dwarf_ranges *to)
{
	size_t before = to->len;
	struct dwarf_pc pc = { dwarf_die_value(d, DW_AT_low_pc), dwarf_die_value(d, DW_AT_high_pc),
			       dwarf_die_value(d, DW_AT_ranges) };
	dwarf_read_pc(d->unit, &pc, to);
	return to->len > before;
}

bool dwarf_die_has_address(const struct dwarf_die *d, uint64_t addr)
{
	dwarf_ranges ranges = {};
	bool has = false;
	dwarf_die_ranges(d, &ranges);
	for (size_t i = 0; i < ranges.len; i++)
		has |= addr - ranges.data[i].start < ranges.data[i].end - ranges.data[i].start;
	vec_deinit(&ranges);
	return has;
}
