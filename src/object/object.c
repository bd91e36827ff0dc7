#include "object/object.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "object/object_priv.h"
#include "packing/packing.h"

/* Addresses and sizes as wide as the class of the file has them. */
static uint64_t get_word(const struct object *o, struct cursor *c)
{
	return o->header.is_64bit ? cursor_u64(c) : cursor_u32(c);
}

struct tables { /* where the header says that sections and segments are */
	uint64_t section_offset, segment_offset;
	uint32_t section_bytes, segment_bytes, sections, segments, names;
};

static struct strobe_error *read_header(struct object *o, struct tables *t)
{
	if (o->bytes < EI_NIDENT || memcmp(o->data, ELFMAG, SELFMAG))
		return error_create(ERROR_FORMAT, "%s is not an ELF file", o->name);
	uint8_t class = o->data[EI_CLASS], order = o->data[EI_DATA];
	if ((class != ELFCLASS32 && class != ELFCLASS64) || (order != ELFDATA2LSB && order != ELFDATA2MSB))
		return error_create(ERROR_FORMAT, "%s is ELF of an unknown class or byte order", o->name);
	struct object_header *h = &o->header;
	h->is_64bit = class == ELFCLASS64;
	h->big_endian = order == ELFDATA2MSB;
	h->swap = order != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	struct cursor c = cursor_make(o->data, o->bytes, h->swap);
	cursor_skip(&c, EI_NIDENT);
	h->type = cursor_u16(&c);
	h->machine = cursor_u16(&c);
	cursor_skip(&c, 4); /* e_version */
	h->entry = get_word(o, &c);
	t->segment_offset = get_word(o, &c);
	t->section_offset = get_word(o, &c);
	h->flags = cursor_u32(&c);
	cursor_skip(&c, 2); /* e_ehsize */
	t->segment_bytes = cursor_u16(&c);
	t->segments = cursor_u16(&c);
	t->section_bytes = cursor_u16(&c);
	t->sections = cursor_u16(&c);
	t->names = cursor_u16(&c);
	if (c.bad)
		return error_create(ERROR_TRUNCATED, "%s ends inside its ELF header", o->name);
	h->arch = arch_by_elf(h->machine, h->is_64bit ? 64 : 32);
	return NULL;
}

static struct object_section read_section(const struct object *o, struct cursor *c, uint32_t *ret_name)
{
	struct object_section s = { .name = "" };
	*ret_name = cursor_u32(c);
	s.type = cursor_u32(c);
	s.flags = get_word(o, c);
	s.addr = get_word(o, c);
	s.offset = get_word(o, c);
	s.bytes = get_word(o, c);
	s.link = cursor_u32(c);
	s.info = cursor_u32(c);
	s.align = get_word(o, c);
	s.entry_bytes = get_word(o, c);
	return s;
}

static size_t section_header_bytes(const struct object *o)
{
	return o->header.is_64bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* Counts beyond 16 bits are in the null section (gABI, "extended numbering"). */
static void read_extended_counts(const struct object *o, struct tables *t)
{
	const uint8_t *p = object_range(o, t->section_offset, section_header_bytes(o));
	if (!p || !t->section_offset)
		return;
	struct cursor c = cursor_make(p, section_header_bytes(o), o->header.swap);
	uint32_t name;
	struct object_section null = read_section(o, &c, &name);
	if (!t->sections && null.bytes <= UINT32_MAX)
		t->sections = (uint32_t)null.bytes;
	if (t->names == SHN_XINDEX)
		t->names = null.link;
	if (t->segments == PN_XNUM)
		t->segments = null.info;
}

/* The string at an offset in a table, if its NUL is inside, too; else "". */
static const char *string_at(const uint8_t *strings, size_t bytes, uint32_t offset)
{
	if (offset >= bytes || !memchr(strings + offset, 0, bytes - offset))
		return "";
	return (const char *)strings + offset;
}

/* A file with only symbols has no code bytes, except stubs, whose names depend on them. */
static bool is_without_code(const struct object *o)
{
	const struct object_section *text = object_find_section(o, ".text");
	return text && text->type == SHT_NOBITS && text->flags & SHF_EXECINSTR && text->bytes;
}

static void read_sections(struct object *o, const struct tables *t)
{
	if (!t->section_offset || t->section_bytes < section_header_bytes(o))
		return;
	const uint8_t *table = object_range(o, t->section_offset, (uint64_t)t->sections * t->section_bytes);
	if (!table || !t->sections)
		return;
	uint32_t *names = xreallocarray(NULL, t->sections, sizeof(*names));
	o->sections = xcalloc(t->sections, sizeof(*o->sections));
	o->sections_nr = t->sections;
	for (uint32_t i = 0; i < t->sections; i++) {
		struct cursor c = cursor_make(table + (size_t)i * t->section_bytes, t->section_bytes, o->header.swap);
		o->sections[i] = read_section(o, &c, &names[i]);
	}
	size_t bytes = 0;
	const uint8_t *strings = NULL;
	if (t->names < o->sections_nr)
		strings = object_section_raw(o, &o->sections[t->names], &bytes);
	for (uint32_t i = 0; strings && i < t->sections; i++)
		o->sections[i].name = string_at(strings, bytes, names[i]);
	free(names);
	o->without_code = is_without_code(o);
}

static struct object_segment read_segment(const struct object *o, struct cursor *c)
{
	struct object_segment s = { .type = cursor_u32(c) };
	if (o->header.is_64bit)
		s.flags = cursor_u32(c);
	s.offset = get_word(o, c);
	s.vaddr = get_word(o, c);
	get_word(o, c); /* p_paddr */
	s.file_bytes = get_word(o, c);
	s.memory_bytes = get_word(o, c);
	if (!o->header.is_64bit)
		s.flags = cursor_u32(c);
	s.align = get_word(o, c);
	return s;
}

static void read_segments(struct object *o, const struct tables *t)
{
	size_t least = o->header.is_64bit ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	if (!t->segment_offset || t->segment_bytes < least)
		return;
	const uint8_t *table = object_range(o, t->segment_offset, (uint64_t)t->segments * t->segment_bytes);
	if (!table || !t->segments)
		return;
	o->segments = xcalloc(t->segments, sizeof(*o->segments));
	o->segments_nr = t->segments;
	for (uint32_t i = 0; i < t->segments; i++) {
		struct cursor c = cursor_make(table + (size_t)i * t->segment_bytes, t->segment_bytes, o->header.swap);
		o->segments[i] = read_segment(o, &c);
	}
}

static struct strobe_error *finish_open(struct object *o, const char *name, struct object **ret)
{
	struct tables t = {};
	o->name = xstrdup(name);
	struct strobe_error *err = read_header(o, &t);
	if (err) {
		object_close(o);
		return err;
	}
	read_extended_counts(o, &t);
	read_sections(o, &t);
	read_segments(o, &t);
	object_lay_out(o);
	*ret = o;
	return NULL;
}

static struct object *object_alloc(void)
{
	struct object *o = xcalloc(1, sizeof(*o));
	o->map.slot = -1;
	pthread_mutex_init(&o->lock, NULL);
	return o;
}

struct strobe_error *object_open(const char *path, struct object **ret)
{
	struct filemap map;
	TRY(filemap_open(&map, path));
	struct object *o = object_alloc();
	o->map = map;
	o->data = map.data;
	o->bytes = map.bytes;
	return finish_open(o, path, ret);
}

struct object *object_open_if_there(const char *path)
{
	struct object *o = NULL;
	if (!access(path, R_OK))
		error_destroy(object_open(path, &o));
	return o;
}

struct strobe_error *object_open_fd(int fd, const char *name, struct object **ret)
{
	struct filemap map;
	TRY(filemap_open_fd(&map, fd, name));
	struct object *o = object_alloc();
	o->map = map;
	o->data = map.data;
	o->bytes = map.bytes;
	return finish_open(o, name, ret);
}

/* Kernel modules have some megabytes at most; larger content is not a module. */
#define UNPACKED_MAX ((size_t)256 << 20)

struct strobe_error *object_unpack(const void *packed, size_t packed_bytes, const char *name, void **ret,
				   size_t *ret_bytes)
{
	const struct packing *p = packing_by_content(packed, packed_bytes);
	*ret = NULL;
	*ret_bytes = 0;
	return packing_is_plain(p) ? NULL : packing_unpack(p, packed, packed_bytes, UNPACKED_MAX, name, ret, ret_bytes);
}

struct strobe_error *object_open_packed_fd(int fd, const char *name, struct object **ret)
{
	struct filemap map;
	void *unpacked;
	size_t bytes;
	TRY(filemap_open_fd(&map, fd, name));
	struct strobe_error *err = object_unpack(map.data, map.bytes, name, &unpacked, &bytes);
	if (err || unpacked)
		filemap_close(&map);
	if (err)
		return err;
	struct object *o = object_alloc();
	o->map = map;
	o->unpacked = unpacked;
	o->data = unpacked ? unpacked : map.data;
	o->bytes = unpacked ? bytes : map.bytes;
	return finish_open(o, name, ret);
}

struct strobe_error *object_open_mini(struct object *o, struct object **ret)
{
	const struct object_section *s = object_find_section(o, ".gnu_debugdata");
	size_t n = 0, bytes;
	const void *packed = s ? object_section_raw(o, s, &n) : NULL;
	void *unpacked;
	*ret = NULL;
	if (!packed)
		return NULL;
	TRY(object_unpack(packed, n, o->name, &unpacked, &bytes));
	if (!unpacked)
		return error_create(ERROR_FORMAT, "%s: its .gnu_debugdata is not compressed with xz", o->name);
	struct object *mini = object_alloc();
	mini->unpacked = unpacked;
	mini->data = unpacked;
	mini->bytes = bytes;
	return finish_open(mini, o->name, ret);
}

struct strobe_error *object_open_memory(const void *bytes, size_t n, const char *name, struct object **ret)
{
	struct object *o = object_alloc();
	o->data = bytes;
	o->bytes = n;
	return finish_open(o, name, ret);
}

void object_close(struct object *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->inflated.len; i++) {
		pthread_mutex_destroy(&o->inflated.data[i]->lock);
		object_drop_content(o->inflated.data[i]);
		free(o->inflated.data[i]);
	}
	vec_deinit(&o->inflated);
	pthread_mutex_destroy(&o->lock);
	filemap_close(&o->map);
	free(o->unpacked);
	free(o->sections);
	free(o->segments);
	free(o->name);
	free(o);
}

const char *object_name(const struct object *o)
{
	return o->name;
}

const struct object_header *object_header(const struct object *o)
{
	return &o->header;
}

size_t object_sections_count(const struct object *o)
{
	return o->sections_nr;
}

const struct object_section *object_section(const struct object *o, size_t i)
{
	return &o->sections[i];
}

size_t object_segments_count(const struct object *o)
{
	return o->segments_nr;
}

const struct object_segment *object_segment(const struct object *o, size_t i)
{
	return &o->segments[i];
}

/* A segment that has more bytes in memory than in the file (.bss): its last page in the file is mapped with the beginning of these. */
static const struct object_segment *segment_of_zeros(const struct object *o, uint64_t offset)
{
	const struct object_segment *best = NULL;
	for (size_t i = 0; i < o->segments_nr; i++) {
		const struct object_segment *s = &o->segments[i];
		if (s->type == PT_LOAD && s->memory_bytes > s->file_bytes && offset >= s->offset && offset - s->offset < s->memory_bytes &&
		    (!best || s->offset > best->offset))
			best = s;
	}
	return best;
}

bool object_vaddr_of_offset(const struct object *o, uint64_t offset, uint64_t *ret)
{
	const struct object_segment *best = NULL;
	for (size_t i = 0; i < o->segments_nr; i++) {
		const struct object_segment *s = &o->segments[i];
		if (s->type != PT_LOAD || offset < s->offset || offset - s->offset >= s->file_bytes)
			continue;
		if (!best || (!(best->flags & PF_X) && s->flags & PF_X))
			best = s;
	}
	best = best ? best : segment_of_zeros(o, offset);
	if (best)
		*ret = offset - best->offset + best->vaddr;
	return best;
}

/* The segment that holds a virtual address in the file's bytes. */
static const struct object_segment *segment_of_vaddr(const struct object *o, uint64_t vaddr)
{
	for (size_t i = 0; i < o->segments_nr; i++) {
		const struct object_segment *s = &o->segments[i];
		if (s->type == PT_LOAD && vaddr >= s->vaddr && vaddr - s->vaddr < s->file_bytes)
			return s;
	}
	return NULL;
}

bool object_offset_of_vaddr(const struct object *o, uint64_t vaddr, uint64_t *ret)
{
	const struct object_segment *s = segment_of_vaddr(o, vaddr);
	if (s)
		*ret = vaddr - s->vaddr + s->offset;
	return s;
}

/* Relocatable files have no segments. */
static const void *section_bytes_at(const struct object *o, uint64_t vaddr, size_t *ret_bytes)
{
	for (size_t i = 1; i < o->sections_nr; i++) {
		const struct object_section *s = &o->sections[i];
		if (!object_section_is_code(s) || vaddr < s->addr || vaddr - s->addr >= s->bytes)
			continue;
		const uint8_t *p = object_section_raw(o, s, ret_bytes);
		*ret_bytes -= p ? (size_t)(vaddr - s->addr) : 0;
		return p ? p + (vaddr - s->addr) : NULL;
	}
	return NULL;
}

struct filemap_identity object_identity(const struct object *o)
{
	return o->map.identity;
}

void object_rest(const struct object *o)
{
	filemap_rest(&o->map);
}

const void *object_file(const struct object *o, size_t *ret_bytes)
{
	*ret_bytes = o->bytes;
	return o->data;
}

bool object_is_cut(const struct object *o)
{
	return filemap_shrunk(&o->map);
}

const void *object_bytes_at(const struct object *o, uint64_t vaddr, size_t *ret_bytes)
{
	if (o->without_code)
		return NULL;
	if (o->header.type == ET_REL)
		return section_bytes_at(o, vaddr, ret_bytes);
	const struct object_segment *s = segment_of_vaddr(o, vaddr);
	uint64_t skip = s ? vaddr - s->vaddr : 0;
	if (!s || skip > UINT64_MAX - s->offset || s->offset + skip >= o->bytes)
		return NULL;
	uint64_t left = s->file_bytes - skip, inside = o->bytes - (s->offset + skip);
	*ret_bytes = (size_t)(left < inside ? left : inside);
	return o->data + s->offset + skip;
}
