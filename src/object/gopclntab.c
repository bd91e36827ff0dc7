#include "object/gopclntab.h"

#include <elf.h>
#include <string.h>

enum { GO_1_2 = 0xfffffffb, GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1 };

#define TEXT_BYTES_MAX ((size_t)64 << 10) /* longer than any name */

static struct cursor cursor_at(const struct gopclntab *t, size_t offset)
{
	struct cursor c = cursor_make(t->data, t->bytes, t->swap);
	cursor_seek(&c, offset);
	return c;
}

static uint64_t read_word(struct cursor *c, unsigned bytes)
{
	return bytes == 8 ? cursor_u64(c) : cursor_u32(c);
}

/* Word i of the header. */
static uint64_t header_word(const struct gopclntab *t, unsigned i)
{
	struct cursor c = cursor_at(t, 8 + (size_t)i * t->word_bytes);
	return read_word(&c, t->word_bytes);
}

/* A string that ends inside of the section, or NULL. */
static const char *text_at(const struct gopclntab *t, size_t base, uint64_t offset)
{
	if (base > t->bytes || offset >= t->bytes - base)
		return NULL;
	const char *p = (const char *)t->data + base + offset;
	size_t n = t->bytes - base - (size_t)offset;
	return memchr(p, 0, n < TEXT_BYTES_MAX ? n : TEXT_BYTES_MAX) ? p : NULL;
}

/* In a position-independent program, the address of its code is in a relocation of the header instead. */
static uint64_t relocated(const struct object *o, uint64_t vaddr)
{
	const struct object_section *rela = object_find_section(o, ".rela.dyn");
	size_t n;
	const void *raw = rela && object_header(o)->is_64bit ? object_section_raw(o, rela, &n) : NULL;
	if (!raw)
		return 0;
	struct cursor c = cursor_make(raw, n, object_header(o)->swap);
	while (cursor_left(&c) >= 24) {
		uint64_t at = cursor_u64(&c);
		cursor_skip(&c, 8);
		uint64_t addend = cursor_u64(&c);
		if (at == vaddr)
			return addend;
	}
	return 0;
}

/* From Go 1.26 on it is not in the header: .text is then only Go code. */
static uint64_t text_of(const struct object *o, const struct gopclntab *t, uint64_t vaddr)
{
	uint64_t text = header_word(t, 2);
	if (!text)
		text = relocated(o, vaddr + 8 + 2 * (uint64_t)t->word_bytes);
	const struct object_section *s = text ? NULL : object_find_section(o, ".text");
	return s ? s->addr : text;
}

static bool read_old_header(struct gopclntab *t)
{
	t->functions = 8 + t->word_bytes;
	t->offset_bytes = t->word_bytes;
	if (t->functions_nr > t->bytes / (2 * t->word_bytes))
		return false;
	struct cursor c = cursor_at(t, t->functions + ((size_t)t->functions_nr * 2 + 1) * t->word_bytes);
	t->files = cursor_u32(&c);
	return !c.bad;
}

static void read_new_header(struct gopclntab *t, unsigned first)
{
	t->names = (size_t)header_word(t, first);
	t->units = (size_t)header_word(t, first + 1);
	t->files = (size_t)header_word(t, first + 2);
	t->programs = (size_t)header_word(t, first + 3);
	t->functions = (size_t)header_word(t, first + 4);
	t->has_units = true;
	t->flags_at = 8;
}

static bool read_header(const struct object *o, struct gopclntab *t, uint64_t vaddr)
{
	struct cursor c = cursor_at(t, 0);
	uint32_t magic = cursor_u32(&c);
	cursor_skip(&c, 2);
	t->quantum = cursor_u8(&c);
	t->word_bytes = cursor_u8(&c);
	if (c.bad || (t->quantum != 1 && t->quantum != 2 && t->quantum != 4) || (t->word_bytes != 4 && t->word_bytes != 8))
		return false;
	t->functions_nr = header_word(t, 0);
	switch (magic) {
	case GO_1_2:
		return read_old_header(t);
	case GO_1_16:
		t->offset_bytes = t->word_bytes;
		read_new_header(t, 2);
		break;
	case GO_1_18:
	case GO_1_20:
		t->offset_bytes = 4;
		t->text = text_of(o, t, vaddr);
		read_new_header(t, 3);
		t->flags_at += magic == GO_1_20; /* after the line where the function begins */
		break;
	default:
		return false;
	}
	return t->functions < t->bytes && t->functions_nr <= (t->bytes - t->functions) / (2 * t->offset_bytes);
}

static bool open_at(const struct object *o, uint64_t vaddr, const uint8_t *data, size_t n, struct gopclntab *ret)
{
	*ret = (struct gopclntab){ .data = data, .bytes = n, .swap = object_header(o)->swap };
	return read_header(o, ret, vaddr);
}

/* The first bytes of a table: a magic number, two zeros, the sizes of an instruction and of an address. */
static bool may_begin(const uint8_t *data, bool is_64bit)
{
	uint32_t magic;
	memcpy(&magic, data, sizeof(magic));
	return (magic == GO_1_16 || magic == GO_1_18 || magic == GO_1_20) && !data[4] && !data[5] &&
	       (data[6] == 1 || data[6] == 2 || data[6] == 4) && data[7] == (is_64bit ? 8 : 4);
}

/* Where the linker has given the table no section of its own, it is among other data, at a multiple of 32. */
static bool open_among_data(const struct object *o, struct gopclntab *ret)
{
	enum { ALIGN = 32, TRIES = 16 };
	const struct object_section *s = object_find_section(o, ".data.rel.ro");
	struct gopclntab_function first;
	size_t n = 0;
	if (!s || !object_find_section(o, ".go.buildinfo") || object_header(o)->swap)
		return false;
	const uint8_t *data = object_section_raw(o, s, &n);
	unsigned tries = 0;
	for (size_t at = (0 - s->addr) % ALIGN; data && at + ALIGN <= n && tries < TRIES; at += ALIGN) {
		if (!may_begin(data + at, object_header(o)->is_64bit))
			continue;
		if (open_at(o, s->addr + at, data + at, n - at, ret) && gopclntab_function(ret, 0, &first))
			return true;
		tries++;
	}
	return false;
}

bool gopclntab_open(const struct object *o, struct gopclntab *ret)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	const struct object_section *s = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !s; i++)
		s = object_find_section(o, names[i]);
	size_t n;
	const void *raw = s ? object_section_raw(o, s, &n) : NULL;
	if (!s)
		return open_among_data(o, ret);
	return raw && open_at(o, s->addr, raw, n, ret);
}

/* An entry: the address of the function, and the offset of its description. Word 2 i of the table. */
static uint64_t function_start(const struct gopclntab *t, uint64_t i)
{
	struct cursor c = cursor_at(t, t->functions + (size_t)i * 2 * t->offset_bytes);
	return read_word(&c, t->offset_bytes) + t->text;
}

static uint32_t function_field(const struct gopclntab *t, const struct gopclntab_function *f, unsigned i)
{
	struct cursor c = cursor_at(t, f->at + t->offset_bytes + (size_t)i * 4);
	return c.bad ? 0 : cursor_u32(&c);
}

/* The second of four bytes, after what kind of function of the runtime it is. */
static uint8_t flags_of(const struct gopclntab *t, const struct gopclntab_function *f)
{
	struct cursor c = cursor_at(t, f->at + t->offset_bytes + (size_t)t->flags_at * 4 + 1);
	return t->flags_at ? cursor_u8(&c) : 0;
}

bool gopclntab_function(const struct gopclntab *t, uint64_t i, struct gopclntab_function *ret)
{
	if (i >= t->functions_nr)
		return false;
	struct cursor c = cursor_at(t, t->functions + (size_t)i * 2 * t->offset_bytes + t->offset_bytes);
	uint64_t offset = read_word(&c, t->offset_bytes);
	size_t base = t->has_units ? t->functions : 0;
	if (c.bad || offset > t->bytes - base)
		return false;
	ret->at = base + (size_t)offset;
	ret->start = function_start(t, i);
	ret->end = function_start(t, i + 1);
	ret->flags = flags_of(t, ret);
	c = cursor_at(t, ret->at + t->offset_bytes);
	uint32_t name = cursor_u32(&c);
	ret->name = c.bad ? NULL : text_at(t, t->names, name);
	return ret->name && ret->end > ret->start;
}

bool gopclntab_code(const struct gopclntab *t, uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = function_start(t, 0);
	*ret_end = function_start(t, t->functions_nr);
	return t->functions_nr && *ret_end > *ret_start;
}

static struct gopclntab_values values_of(const struct gopclntab *t, const struct gopclntab_function *f, unsigned field)
{
	uint32_t program = function_field(t, f, field);
	bool has_any = program && t->programs <= t->bytes;
	return (struct gopclntab_values){
		.c = has_any ? cursor_at(t, t->programs + program) : (struct cursor){ .bad = true }, .from = f->start, .to = f->start,
		.value = -1, .quantum = t->quantum,
	};
}

struct gopclntab_values gopclntab_depths(const struct gopclntab *t, const struct gopclntab_function *f)
{
	enum { FIELD_DEPTH = 3 };
	return values_of(t, f, FIELD_DEPTH);
}

bool gopclntab_next(struct gopclntab_values *v)
{
	uint64_t change = v->c.bad ? 0 : cursor_uleb(&v->c);
	if (v->c.bad || (!change && v->is_begun))
		return false;
	v->is_begun = true;
	v->value = (int32_t)((uint32_t)v->value + ((uint32_t)(change >> 1) ^ -(uint32_t)(change & 1)));
	v->from = v->to;
	v->to += cursor_uleb(&v->c) * v->quantum;
	return !v->c.bad && v->to > v->from;
}

/* The value at vaddr; -1: none. */
static int32_t value_at(const struct gopclntab *t, const struct gopclntab_function *f, unsigned field, uint64_t vaddr)
{
	struct gopclntab_values v = values_of(t, f, field);
	while (gopclntab_next(&v))
		if (vaddr < v.to)
			return v.value;
	return -1;
}

static const char *file_name(const struct gopclntab *t, const struct gopclntab_function *f, uint32_t number)
{
	enum { FIELD_UNIT = 7 };
	uint64_t unit = t->has_units ? function_field(t, f, FIELD_UNIT) : 0;
	struct cursor c = cursor_at(t, (t->has_units ? t->units : t->files) + (unit + number) * 4);
	uint32_t offset = cursor_u32(&c);
	return c.bad || offset == UINT32_MAX ? NULL : text_at(t, t->has_units ? t->files : 0, offset);
}

bool gopclntab_line(const struct gopclntab *t, uint64_t vaddr, const char **ret_file, uint32_t *ret_line)
{
	enum { FIELD_FILE = 4, FIELD_LINE = 5 };
	struct gopclntab_function f;
	uint64_t low = 0, high = t->functions_nr;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (function_start(t, middle) <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !gopclntab_function(t, low - 1, &f) || vaddr >= f.end)
		return false;
	int32_t file = value_at(t, &f, FIELD_FILE, vaddr), line = value_at(t, &f, FIELD_LINE, vaddr);
	*ret_file = file < 0 ? NULL : file_name(t, &f, (uint32_t)file);
	*ret_line = line < 0 ? 0 : (uint32_t)line;
	return *ret_file && *ret_line;
}
