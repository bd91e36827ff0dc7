#include "object/symbols_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "object/object_priv.h"

struct layout {
	size_t header, segment, section; /* bytes of an entry */
	uint64_t segments_at, sections_at;
};

static uint16_t get16(const struct object *o, size_t at)
{
	uint16_t v;
	memcpy(&v, o->data + at, sizeof(v));
	return o->header.swap ? __builtin_bswap16(v) : v;
}

static uint64_t get_word(const struct object *o, size_t at)
{
	uint64_t v64;
	uint32_t v32;
	if (!o->header.is_64bit) {
		memcpy(&v32, o->data + at, sizeof(v32));
		return o->header.swap ? __builtin_bswap32(v32) : v32;
	}
	memcpy(&v64, o->data + at, sizeof(v64));
	return o->header.swap ? __builtin_bswap64(v64) : v64;
}

/* False: a table is not inside of the file, or has an unknown entry size. */
static bool find_tables(const struct object *o, struct layout *ret)
{
	bool wide = o->header.is_64bit;
	*ret = (struct layout){ .header = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr),
				.segment = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr),
				.section = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr) };
	if (o->header.type == ET_REL || !o->sections_nr || !object_range(o, 0, ret->header))
		return false;
	ret->segments_at = get_word(o, wide ? offsetof(Elf64_Ehdr, e_phoff) : offsetof(Elf32_Ehdr, e_phoff));
	ret->sections_at = get_word(o, wide ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff));
	return get16(o, wide ? offsetof(Elf64_Ehdr, e_shentsize) : offsetof(Elf32_Ehdr, e_shentsize)) == ret->section &&
	       object_range(o, ret->segments_at, o->segments_nr * ret->segment) &&
	       object_range(o, ret->sections_at, o->sections_nr * ret->section);
}

static bool is_kept(const struct object_section *s)
{
	static const char *const names[] = { ".eh_frame", ".eh_frame_hdr", ".debug_frame", ".ARM.exidx", ".ARM.extab",
					     ".gnu_debuglink", ".gnu_debugaltlink", ".gnu_debugdata" };
	switch (s->type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_SYMTAB_SHNDX:
	case SHT_NOTE:
	case SHT_DYNAMIC:
	case SHT_GNU_versym:
	case SHT_GNU_verdef:
	case SHT_GNU_verneed:
		return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(s->name, names[i]))
			return true;
	/* The names of stubs depend on relocations. */
	return text_has_prefix(s->name, ".plt") || text_has_prefix(s->name, ".rela.plt") || text_has_prefix(s->name, ".rel.plt");
}

static const uint8_t *kept_bytes(const struct object *o, size_t i)
{
	const struct object_section *s = &o->sections[i];
	return s->type != SHT_NULL && s->type != SHT_NOBITS && is_kept(s) ? object_range(o, s->offset, s->bytes) : NULL;
}

uint64_t object_symbols_bytes(const struct object *o)
{
	struct layout l;
	bool has_symbols = false;
	if (!find_tables(o, &l))
		return 0;
	uint64_t n = l.header + o->segments_nr * l.segment + o->sections_nr * l.section;
	for (size_t i = 0; i < o->sections_nr; i++) {
		n += kept_bytes(o, i) ? o->sections[i].bytes : 0;
		has_symbols |= kept_bytes(o, i) && (o->sections[i].type == SHT_SYMTAB || o->sections[i].type == SHT_DYNSYM);
	}
	return has_symbols ? n : 0;
}

static struct strobe_error *write_at(int fd, const char *name, uint64_t at, const uint8_t *p, uint64_t n)
{
	while (n) {
		ssize_t step = pwrite(fd, p, n < 1u << 30 ? n : 1u << 30, (off_t)at);
		if (step < 0 && errno == EINTR)
			continue;
		if (step <= 0)
			return error_errno(step ? errno : ENOSPC, "cannot write %s", name);
		p += step;
		at += (uint64_t)step;
		n -= (uint64_t)step;
	}
	return NULL;
}

/* Omitted sections take no bytes in the file. The type is the second word of an entry, in both classes. */
static uint8_t *section_table(const struct object *o, const struct layout *l)
{
	uint32_t nobits = o->header.swap ? __builtin_bswap32(SHT_NOBITS) : SHT_NOBITS;
	uint8_t *table = xmalloc(o->sections_nr * l->section);
	memcpy(table, o->data + l->sections_at, o->sections_nr * l->section);
	for (size_t i = 0; i < o->sections_nr; i++)
		if (o->sections[i].type != SHT_NULL && !kept_bytes(o, i))
			memcpy(table + i * l->section + sizeof(uint32_t), &nobits, sizeof(nobits));
	return table;
}

struct strobe_error *object_write_symbols(const struct object *o, int fd, const char *name)
{
	struct layout l;
	if (!object_symbols_bytes(o) || !find_tables(o, &l))
		return error_create(ERROR_UNSUPPORTED, "%s has no symbols", object_name(o));
	_cleanup_free_ uint8_t *sections = section_table(o, &l);
	if (ftruncate(fd, (off_t)o->bytes))
		return error_errno(errno, "cannot write %s", name);
	for (size_t i = 0; i < o->sections_nr; i++)
		if (kept_bytes(o, i))
			TRY(write_at(fd, name, o->sections[i].offset, kept_bytes(o, i), o->sections[i].bytes));
	TRY(write_at(fd, name, 0, o->data, l.header));
	TRY(write_at(fd, name, l.segments_at, o->data + l.segments_at, o->segments_nr * l.segment));
	return write_at(fd, name, l.sections_at, sections, o->sections_nr * l.section);
}
