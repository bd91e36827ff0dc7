/* Abbreviations, attribute forms, and strings. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "object/dwarf/priv.h"

#define VARIES UINT32_MAX

uint64_t dwarf_get(struct cursor *c, unsigned bytes)
{
	switch (bytes) {
	case 1: return cursor_u8(c);
	case 2: return cursor_u16(c);
	case 4: return cursor_u32(c);
	case 8: return cursor_u64(c);
	default: c->bad = true; return 0;
	}
}

static uint64_t get_u24(struct cursor *c)
{
	uint64_t a = cursor_u8(c), b = cursor_u8(c), d = cursor_u8(c);
	bool big = c->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	return big ? a << 16 | b << 8 | d : d << 16 | b << 8 | a;
}

/* Sizes that need nothing but the unit's header: 0x80 + for "as wide as": address, offset. */
enum { WIDE_ADDRESS = 0x80, WIDE_OFFSET, WIDE_REF_ADDR, WIDE_VARIES };

static unsigned form_width(uint16_t form)
{
	switch (form) {
	case DW_FORM_addr: return WIDE_ADDRESS;
	case DW_FORM_data1: case DW_FORM_flag: case DW_FORM_ref1: case DW_FORM_strx1: case DW_FORM_addrx1: return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3: return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_ref_sup4: case DW_FORM_strx4: case DW_FORM_addrx4: return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_flag_present: case DW_FORM_implicit_const: return 0;
	case DW_FORM_strp: case DW_FORM_sec_offset: case DW_FORM_line_strp: case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt: case DW_FORM_GNU_strp_alt: return WIDE_OFFSET;
	case DW_FORM_ref_addr: return WIDE_REF_ADDR;
	default: return WIDE_VARIES;
	}
}

/* In bytes, or VARIES. */
static uint32_t width_in(const struct dwarf_unit *u, unsigned width)
{
	switch (width) {
	case WIDE_ADDRESS: return u->address_bytes;
	case WIDE_OFFSET: return u->offset_bytes;
	case WIDE_REF_ADDR: return u->version <= 2 ? u->address_bytes : u->offset_bytes;
	case WIDE_VARIES: return VARIES;
	default: return width;
	}
}

static int compare_codes(const void *a, const void *b)
{
	uint64_t x = ((const struct dwarf_abbrev *)a)->code, y = ((const struct dwarf_abbrev *)b)->code;
	return x < y ? -1 : x > y;
}

static void count_width(struct dwarf_abbrev *a, unsigned width)
{
	if (a->fixed_bytes == VARIES)
		return;
	a->addresses += width == WIDE_ADDRESS;
	a->offsets += width == WIDE_OFFSET;
	a->unit_refs += width == WIDE_REF_ADDR;
	bool full = a->addresses == UINT16_MAX || a->offsets == UINT16_MAX || a->unit_refs == UINT16_MAX;
	if (width == WIDE_VARIES || full || a->fixed_bytes > UINT16_MAX)
		a->fixed_bytes = VARIES;
	else if (width < WIDE_ADDRESS)
		a->fixed_bytes += width;
}

/*
 * Compilers write some twenty attributes. Attributes of some forms take no bytes in a DIE: without a limit, each byte of
 * .debug_info could cost a walk over a list as long as the file.
 */
#define ATTRS_MAX 256

/* False at the end of an entry's attributes, or if they are damaged, in which case c->bad is set. */
static bool next_attr(struct cursor *c, struct dwarf_attr *ret)
{
	uint64_t name = cursor_uleb(c), form = cursor_uleb(c);
	*ret = (struct dwarf_attr){
		.name = name > UINT16_MAX ? 0 : (uint16_t)name,
		.form = form > UINT16_MAX ? 0 : (uint16_t)form,
		.constant = form == DW_FORM_implicit_const ? cursor_sleb(c) : 0,
	};
	return !c->bad && (name || form);
}

/* PLACED_NR: it is none of them. */
static enum dwarf_placed placed_by_name(uint16_t name)
{
	switch (name) {
	case DW_AT_sibling: return PLACED_SIBLING;
	case DW_AT_low_pc: return PLACED_LOW_PC;
	case DW_AT_high_pc: return PLACED_HIGH_PC;
	case DW_AT_ranges: return PLACED_RANGES;
	case DW_AT_name: return PLACED_NAME;
	case DW_AT_linkage_name: case DW_AT_MIPS_linkage_name: return PLACED_LINKAGE_NAME;
	case DW_AT_abstract_origin: return PLACED_ORIGIN;
	case DW_AT_specification: return PLACED_SPECIFICATION;
	case DW_AT_call_file: return PLACED_CALL_FILE;
	case DW_AT_call_line: return PLACED_CALL_LINE;
	case DW_AT_call_column: return PLACED_CALL_COLUMN;
	default: return PLACED_NR;
	}
}

/* Called before the attribute itself is counted. */
static void note_place(struct dwarf_abbrev *a, uint16_t name)
{
	enum dwarf_placed which = placed_by_name(name);
	if (which == PLACED_NR)
		return;
	uint16_t bit = (uint16_t)(1u << which);
	bool is_known = a->fixed_bytes != VARIES && a->fixed_bytes <= UINT16_MAX;
	a->has |= bit;
	a->placed = (uint16_t)(is_known ? a->placed | bit : a->placed & ~bit);
	a->places[which] = (struct dwarf_place){ (uint16_t)a->nr, (uint16_t)a->fixed_bytes, a->addresses, a->offsets, a->unit_refs };
}

static bool is_naming(uint16_t name)
{
	return name == DW_AT_name || name == DW_AT_linkage_name || name == DW_AT_MIPS_linkage_name || name == DW_AT_abstract_origin ||
	       name == DW_AT_specification;
}

static bool read_abbrev(struct cursor *c, struct dwarf_abbrevs *t, struct dwarf_abbrev *a)
{
	struct dwarf_attr attr;
	a->tag = (uint16_t)cursor_uleb(c);
	a->has_children = cursor_u8(c);
	a->first = (uint32_t)t->attrs.len;
	for (; next_attr(c, &attr); a->nr++) {
		if (a->nr == ATTRS_MAX)
			return false;
		vec_push(&t->attrs, attr);
		note_place(a, attr.name);
		count_width(a, form_width(attr.form));
		a->has_code |= attr.name == DW_AT_low_pc || attr.name == DW_AT_ranges;
		a->has_sibling |= attr.name == DW_AT_sibling;
		if (is_naming(attr.name))
			a->naming_nr = a->nr + 1;
	}
	return !c->bad;
}

static bool find_table(struct dwarf_file *f, uint64_t offset, struct cursor *ret)
{
	*ret = f->sections[DWARF_ABBREV];
	return offset <= cursor_left(ret) && cursor_skip(ret, (size_t)offset);
}

/*
 * In a hostile file tables may overlap, each beginning one entry after the one before, with a quadratic number of entries in total.
 * Otherwise each table is read at most twice.
 */
#define READ_TIMES_MAX 4

/* The next entry of a table, its attributes after those of t; false at the end, and where it is damaged. */
static bool next_abbrev(struct dwarf_file *f, struct cursor *c, struct dwarf_abbrevs *t, struct dwarf_abbrev *ret)
{
	size_t before = cursor_left(c);
	if (f->abbrev_bytes_read / READ_TIMES_MAX > cursor_left(&f->sections[DWARF_ABBREV]))
		return false;
	*ret = (struct dwarf_abbrev){ .code = cursor_uleb(c) };
	bool is_whole = !c->bad && ret->code && read_abbrev(c, t, ret);
	f->abbrev_bytes_read += before - cursor_left(c);
	return is_whole;
}

static struct dwarf_abbrevs *read_table(struct dwarf_file *f, uint64_t offset)
{
	struct cursor c;
	if (!find_table(f, offset, &c))
		return NULL;
	struct dwarf_abbrevs *t = xcalloc(1, sizeof(*t));
	bool sorted = true;
	/* The complete entries are used. */
	for (struct dwarf_abbrev a; next_abbrev(f, &c, t, &a);) {
		sorted &= !t->entries.len || vec_last(&t->entries).code < a.code;
		vec_push(&t->entries, a);
	}
	if (!sorted)
		qsort(t->entries.data, t->entries.len, sizeof(*t->entries.data), compare_codes);
	return t;
}

bool dwarf_abbrev_alone(struct dwarf_file *f, uint64_t offset, uint64_t code, struct dwarf_abbrevs *t)
{
	struct cursor c;
	bool is_first;
	/* A table that a second unit uses is cached. */
	u64map_put(&f->abbrevs_walked, offset, &is_first);
	if (!is_first || !find_table(f, offset, &c))
		return false;
	for (struct dwarf_abbrev a; next_abbrev(f, &c, t, &a); vec_clear(&t->attrs)) {
		if (a.code != code)
			continue;
		vec_push(&t->entries, a);
		return true;
	}
	return false;
}

const struct dwarf_abbrevs *dwarf_abbrevs(struct dwarf_file *f, uint64_t offset)
{
	uint64_t *known = u64map_get(&f->abbrevs, offset);
	if (!known) {
		struct dwarf_abbrevs *t = read_table(f, offset);
		known = u64map_put(&f->abbrevs, offset, NULL);
		*known = (uintptr_t)t;
	}
	return (const struct dwarf_abbrevs *)(uintptr_t)*known;
}

void dwarf_abbrevs_free(struct dwarf_file *f)
{
	for (size_t i = 0; f->abbrevs.slots && i <= f->abbrevs.mask; i++) {
		struct dwarf_abbrevs *t = f->abbrevs.slots[i].used ? (void *)(uintptr_t)f->abbrevs.slots[i].value : NULL;
		if (!t)
			continue;
		vec_deinit(&t->entries);
		vec_deinit(&t->attrs);
		free(t);
	}
	u64map_deinit(&f->abbrevs);
	u64map_deinit(&f->abbrevs_walked);
}

const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *t, uint64_t code)
{
	size_t n = t->entries.len;
	if (code - 1 < n && t->entries.data[code - 1].code == code)
		return &t->entries.data[code - 1];
	struct dwarf_abbrev key = { .code = code };
	return n ? bsearch(&key, t->entries.data, n, sizeof(key), compare_codes) : NULL;
}

static bool skip_block(struct cursor *c, uint64_t bytes)
{
	if (bytes > cursor_left(c))
		c->bad = true;
	return !c->bad && cursor_skip(c, (size_t)bytes);
}

/* LEB128 of any length. */
static void skip_leb(struct cursor *c)
{
	while (cursor_u8(c) & 0x80 && !c->bad)
		;
}

void dwarf_skip_form(const struct dwarf_unit *u, struct cursor *c, uint16_t form)
{
	uint32_t width = width_in(u, form_width(form));
	if (width != VARIES) {
		cursor_skip(c, width);
		return;
	}
	switch (form) {
	case DW_FORM_string: cursor_cstr(c); break;
	case DW_FORM_block1: skip_block(c, cursor_u8(c)); break;
	case DW_FORM_block2: skip_block(c, cursor_u16(c)); break;
	case DW_FORM_block4: skip_block(c, cursor_u32(c)); break;
	case DW_FORM_block: case DW_FORM_exprloc: skip_block(c, cursor_uleb(c)); break;
	case DW_FORM_sdata: case DW_FORM_udata: case DW_FORM_ref_udata: case DW_FORM_strx: case DW_FORM_addrx:
	case DW_FORM_loclistx: case DW_FORM_rnglistx: case DW_FORM_GNU_addr_index: case DW_FORM_GNU_str_index:
		skip_leb(c);
		break;
	case DW_FORM_indirect: dwarf_read_form(u, c, form, 0); break;
	default: c->bad = true;
	}
}

bool dwarf_skip_attrs(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_abbrevs *t,
		      const struct dwarf_abbrev *a)
{
	if (a->fixed_bytes != VARIES)
		return cursor_skip(c, a->fixed_bytes + (size_t)a->addresses * u->address_bytes +
					      (size_t)a->offsets * u->offset_bytes +
					      (size_t)a->unit_refs * width_in(u, WIDE_REF_ADDR));
	const struct dwarf_attr *attr = t->attrs.data + a->first;
	for (uint32_t i = 0; i < a->nr && !c->bad; i++)
		dwarf_skip_form(u, c, attr[i].form);
	return !c->bad;
}

static const char *string_at(struct cursor c, uint64_t offset)
{
	if (offset >= cursor_left(&c) || !cursor_skip(&c, (size_t)offset))
		return NULL;
	return cursor_cstr(&c);
}

static struct dwarf_value constant(uint64_t u)
{
	return (struct dwarf_value){ .class = DWARF_CONSTANT, .u = u };
}

static struct dwarf_value of_class(enum dwarf_class class, uint64_t u)
{
	return (struct dwarf_value){ .class = class, .u = u };
}

static struct dwarf_value block(struct cursor *c, uint64_t bytes)
{
	const uint8_t *at = c->at;
	if (!skip_block(c, bytes))
		return of_class(DWARF_OTHER, 0);
	return (struct dwarf_value){ .class = DWARF_BLOCK, .u = bytes, .block = at };
}

static struct dwarf_value in_unit(const struct dwarf_unit *u, uint64_t offset)
{
	bool inside = offset < u->end - u->offset;
	return of_class(inside ? DWARF_REFERENCE : DWARF_OTHER, u->offset + offset);
}

struct dwarf_value dwarf_read_form(const struct dwarf_unit *u, struct cursor *c, uint16_t form, int64_t implicit)
{
	if (form == DW_FORM_indirect) {
		form = (uint16_t)cursor_uleb(c);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			c->bad = true;
	}
	switch (form) {
	case DW_FORM_addr: return of_class(DWARF_ADDRESS, dwarf_get(c, u->address_bytes));
	case DW_FORM_data1: case DW_FORM_flag: return constant(cursor_u8(c));
	case DW_FORM_data2: return constant(cursor_u16(c));
	case DW_FORM_data4: return constant(cursor_u32(c));
	case DW_FORM_data8: return constant(cursor_u64(c));
	case DW_FORM_udata: return constant(cursor_uleb(c));
	case DW_FORM_sdata: return constant((uint64_t)cursor_sleb(c));
	case DW_FORM_implicit_const: return constant((uint64_t)implicit);
	case DW_FORM_flag_present: return constant(1);
	case DW_FORM_string:
		return (struct dwarf_value){ .class = DWARF_STRING, .string = cursor_cstr(c) };
	case DW_FORM_strp: return of_class(DWARF_STRING_OFFSET, dwarf_get(c, u->offset_bytes));
	case DW_FORM_line_strp: return of_class(DWARF_LINE_STRING_OFFSET, dwarf_get(c, u->offset_bytes));
	case DW_FORM_strp_sup: case DW_FORM_GNU_strp_alt:
		return of_class(DWARF_STRING_OFFSET_SUPPLEMENT, dwarf_get(c, u->offset_bytes));
	case DW_FORM_strx: case DW_FORM_GNU_str_index: return of_class(DWARF_STRING_INDEX, cursor_uleb(c));
	case DW_FORM_strx1: return of_class(DWARF_STRING_INDEX, cursor_u8(c));
	case DW_FORM_strx2: return of_class(DWARF_STRING_INDEX, cursor_u16(c));
	case DW_FORM_strx3: return of_class(DWARF_STRING_INDEX, get_u24(c));
	case DW_FORM_strx4: return of_class(DWARF_STRING_INDEX, cursor_u32(c));
	case DW_FORM_addrx: case DW_FORM_GNU_addr_index: return of_class(DWARF_ADDRESS_INDEX, cursor_uleb(c));
	case DW_FORM_addrx1: return of_class(DWARF_ADDRESS_INDEX, cursor_u8(c));
	case DW_FORM_addrx2: return of_class(DWARF_ADDRESS_INDEX, cursor_u16(c));
	case DW_FORM_addrx3: return of_class(DWARF_ADDRESS_INDEX, get_u24(c));
	case DW_FORM_addrx4: return of_class(DWARF_ADDRESS_INDEX, cursor_u32(c));
	case DW_FORM_ref1: return in_unit(u, cursor_u8(c));
	case DW_FORM_ref2: return in_unit(u, cursor_u16(c));
	case DW_FORM_ref4: return in_unit(u, cursor_u32(c));
	case DW_FORM_ref8: return in_unit(u, cursor_u64(c));
	case DW_FORM_ref_udata: return in_unit(u, cursor_uleb(c));
	case DW_FORM_ref_addr:
		return of_class(DWARF_REFERENCE, dwarf_get(c, u->version <= 2 ? u->address_bytes : u->offset_bytes));
	case DW_FORM_GNU_ref_alt: return of_class(DWARF_REFERENCE_SUPPLEMENT, dwarf_get(c, u->offset_bytes));
	case DW_FORM_ref_sup4: return of_class(DWARF_REFERENCE_SUPPLEMENT, cursor_u32(c));
	case DW_FORM_ref_sup8: return of_class(DWARF_REFERENCE_SUPPLEMENT, cursor_u64(c));
	case DW_FORM_sec_offset: return of_class(DWARF_OFFSET, dwarf_get(c, u->offset_bytes));
	case DW_FORM_rnglistx: case DW_FORM_loclistx: return of_class(DWARF_LIST_INDEX, cursor_uleb(c));
	case DW_FORM_exprloc: case DW_FORM_block: return block(c, cursor_uleb(c));
	case DW_FORM_block1: return block(c, cursor_u8(c));
	case DW_FORM_block2: return block(c, cursor_u16(c));
	case DW_FORM_block4: return block(c, cursor_u32(c));
	case DW_FORM_data16: return block(c, 16);
	case DW_FORM_ref_sig8: return of_class(DWARF_REFERENCE_SIGNATURE, cursor_u64(c));
	default:
		dwarf_skip_form(u, c, form);
		return of_class(DWARF_OTHER, 0);
	}
}

struct dwarf_value dwarf_read_place(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a,
				    const struct dwarf_place *at)
{
	size_t before = at->bytes + (size_t)at->addresses * u->address_bytes + (size_t)at->offsets * u->offset_bytes +
			(size_t)at->unit_refs * width_in(u, WIDE_REF_ADDR);
	if (!cursor_skip(&c, before))
		return (struct dwarf_value){};
	const struct dwarf_attr *attr = &u->abbrevs->attrs.data[a->first + at->attr];
	struct dwarf_value v = dwarf_read_form(u, &c, attr->form, attr->constant);
	return c.bad ? (struct dwarf_value){} : v;
}

/* The offset in .debug_str of the string of that index. */
static bool string_offset(const struct dwarf_unit *u, uint64_t index, uint64_t *ret)
{
	struct cursor c = u->file->sections[DWARF_STR_OFFSETS];
	uint64_t left = cursor_left(&c);
	if (u->str_offsets_base > left || index >= (left - u->str_offsets_base) / u->offset_bytes)
		return false;
	cursor_skip(&c, (size_t)(u->str_offsets_base + index * u->offset_bytes));
	*ret = dwarf_get(&c, u->offset_bytes);
	return true;
}

static const char *string_by_index(const struct dwarf_unit *u, uint64_t index)
{
	uint64_t offset;
	return string_offset(u, index, &offset) ? string_at(u->file->sections[DWARF_STR], offset) : NULL;
}

const char *dwarf_string(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	const struct dwarf *d = u->file->dwarf;
	switch (v->class) {
	case DWARF_STRING: return v->string;
	case DWARF_STRING_INDEX: return string_by_index(u, v->u);
	case DWARF_STRING_OFFSET: return string_at(u->file->sections[DWARF_STR], v->u);
	case DWARF_LINE_STRING_OFFSET: return string_at(u->file->sections[DWARF_LINE_STR], v->u);
	case DWARF_STRING_OFFSET_SUPPLEMENT:
		return d->has_supplement ? string_at(d->supplement.sections[DWARF_STR], v->u) : NULL;
	default: return NULL;
	}
}

/* The address table is in the file of the skeleton. */
bool dwarf_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *ret)
{
	*ret = v->u;
	if (v->class == DWARF_ADDRESS)
		return true;
	if (v->class != DWARF_ADDRESS_INDEX)
		return false;
	const struct dwarf_unit *of = u->skeleton ? u->skeleton : u;
	struct cursor c = of->file->sections[DWARF_ADDR];
	uint64_t left = cursor_left(&c);
	if (of->addr_base > left || v->u >= (left - of->addr_base) / u->address_bytes)
		return false;
	cursor_skip(&c, (size_t)(of->addr_base + v->u * u->address_bytes));
	*ret = dwarf_get(&c, u->address_bytes);
	return !c.bad;
}

/* ---- strings that are read out of the file ---- */

#define NAME_BYTES 1024 /* most names are shorter */

/* Reads up to n bytes; 0: failed. */
static size_t read_some(const struct dwarf_strings *s, uint64_t offset, char *to, size_t n)
{
	uint64_t left = offset < s->bytes ? s->bytes - offset : 0;
	ssize_t got = pread(s->fd, to, left < n ? (size_t)left : n, (off_t)(s->offset + offset));
	return got > 0 ? (size_t)got : 0;
}

/* Reads .debug_str with pread: through the mapping, each name would bring 64 KB into memory. */
static bool read_string(const struct dwarf_strings *s, uint64_t offset, struct strbuf *to)
{
	char piece[NAME_BYTES];
	_cleanup_strbuf_ struct strbuf text = {};
	for (const char *nul = NULL; !nul;) {
		size_t n = read_some(s, offset, piece, sizeof(piece));
		if (!n)
			return false;
		nul = memchr(piece, 0, n);
		strbuf_add(&text, piece, nul ? (size_t)(nul - piece) : n);
		offset += n;
	}
	strbuf_deinit(to);
	*to = text;
	text = (struct strbuf){};
	return true;
}

static struct dwarf_strings strings_of(const struct dwarf_file *f)
{
	return (struct dwarf_strings){ f->str_fd, f->str_offset, f->str_fd < 0 ? 0 : cursor_left(&f->sections[DWARF_STR]) };
}

void dwarf_open_strings(struct dwarf *d)
{
	struct dwarf_strings s = strings_of(&d->main);
	char last = 1;
	/* If the section ends with a NUL, each offset in it is a string. */
	bool is_ended = s.bytes && read_some(&s, s.bytes - 1, &last, 1) && !last;
	s.fd = is_ended && d->files.keep_place ? fcntl(s.fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (s.fd >= 0)
		d->strings = s;
}

struct dwarf_strings dwarf_take_strings(struct dwarf *d)
{
	d->are_strings_taken = true;
	return d->strings;
}

/* Whether a string is in .debug_str, and is read out of the file. */
static bool is_read(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *ret_offset)
{
	*ret_offset = v->u;
	bool is_in_str = v->class == DWARF_STRING_OFFSET || (v->class == DWARF_STRING_INDEX && string_offset(u, v->u, ret_offset));
	return is_in_str && u->file->str_fd >= 0;
}

/* Replaces the content of `to` by the string; false: not a string, and `to` is unchanged. */
static bool copy_string(const struct dwarf_unit *u, const struct dwarf_value *v, struct strbuf *to)
{
	uint64_t offset;
	struct dwarf_strings s = strings_of(u->file);
	if (is_read(u, v, &offset))
		return read_string(&s, offset, to);
	const char *text = dwarf_string(u, v);
	if (!text)
		return false;
	strbuf_reset(to);
	strbuf_addstr(to, text);
	return true;
}

bool dwarf_take_name(const struct dwarf_unit *u, const struct dwarf_value *v, struct dwarf_name *to)
{
	const struct dwarf *d = u->file->dwarf;
	uint64_t place;
	bool has_place = u->file == &d->main && d->strings.bytes && is_read(u, v, &place) && place < d->strings.bytes;
	if (!has_place && !copy_string(u, v, &to->text))
		return false;
	to->has_place = has_place;
	to->place = has_place ? place : 0;
	return true;
}

#define RUN_BYTES (64u << 10)
#define GAP_BYTES (8u << 10) /* reading this much takes as long as another call */

/* The number of places, from the first on, that are read at once, and the number of bytes. */
static size_t run_length(const uint64_t *places, size_t n, size_t *ret_bytes)
{
	size_t in = 1;
	*ret_bytes = NAME_BYTES;
	while (in < n && places[in] - places[0] + NAME_BYTES <= RUN_BYTES && places[in] - places[in - 1] <= GAP_BYTES)
		*ret_bytes = (size_t)(places[in++] - places[0]) + NAME_BYTES;
	return in;
}

void dwarf_read_names(const struct dwarf_strings *s, const uint64_t *places, size_t n,
		      void (*fn)(void *ctx, size_t i, const char *name, size_t bytes), void *ctx)
{
	_cleanup_free_ char *run = xmalloc(n > 1 ? RUN_BYTES : NAME_BYTES);
	_cleanup_strbuf_ struct strbuf lone = {};
	size_t bytes, length;
	for (size_t first = 0; first < n; first += length) {
		length = run_length(places + first, n - first, &bytes);
		bytes = read_some(s, places[first], run, bytes);
		for (size_t i = first; i < first + length; i++) {
			size_t at = (size_t)(places[i] - places[first]);
			const char *end = at < bytes ? memchr(run + at, 0, bytes - at) : NULL;
			if (end)
				fn(ctx, i, run + at, (size_t)(end - run) - at);
			else if (read_string(s, places[i], &lone))
				fn(ctx, i, strbuf_str(&lone), lone.len);
			else
				fn(ctx, i, NULL, 0);
		}
	}
}
