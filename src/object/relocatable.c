/* Relocatable files (kernel modules, .o): addresses of sections as assigned by a loader, and relocation of debug sections. */
#include <elf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "object/object_priv.h"

bool object_section_is_code(const struct object_section *s)
{
	uint64_t both = SHF_ALLOC | SHF_EXECINSTR;
	return (s->flags & both) == both && strncmp(s->name, ".init", 5);
}

/* Permanent code, data, and init sections: the three parts that the kernel lays out separately. */
static unsigned part_of(const struct object_section *s)
{
	return object_section_is_code(s) ? 0 : strncmp(s->name, ".init", 5) ? 1 : 2;
}

/*
 * As in the kernel's module loader: in file order, each with its alignment. Only the offsets of permanent code from the start of a
 * module are certain; other sections are placed after it, so that addresses are unique.
 */
void object_lay_out(struct object *o)
{
	uint64_t at = 0;
	if (o->header.type != ET_REL)
		return;
	for (unsigned part = 0; part < 3; part++) {
		for (size_t i = 1; i < o->sections_nr; i++) {
			struct object_section *s = &o->sections[i];
			uint64_t align = s->align && !(s->align & (s->align - 1)) ? s->align : 1;
			if (!(s->flags & SHF_ALLOC) || s->addr || part_of(s) != part)
				continue;
			/* An invalid size would move other sections beyond the address space. */
			if (at > INT64_MAX / 2 || align > UINT32_MAX || s->bytes > INT64_MAX / 2)
				return;
			s->addr = (at + align - 1) & ~(align - 1);
			at = s->addr + s->bytes;
		}
	}
}

/* Absolute relocations; PC-relative ones do not occur in debug sections. */
static const struct absolute {
	uint16_t machine;
	uint8_t bytes;
	uint32_t type;
} absolutes[] = {
	{ EM_X86_64, 8, R_X86_64_64 },	    { EM_X86_64, 4, R_X86_64_32 },	  { EM_X86_64, 4, R_X86_64_32S },
	{ EM_386, 4, R_386_32 },	    { EM_AARCH64, 8, R_AARCH64_ABS64 }, { EM_AARCH64, 4, R_AARCH64_ABS32 },
	{ EM_ARM, 4, R_ARM_ABS32 },	    { EM_PPC64, 8, R_PPC64_ADDR64 },	  { EM_PPC64, 4, R_PPC64_ADDR32 },
	{ EM_S390, 8, R_390_64 },	    { EM_S390, 4, R_390_32 },		  { EM_RISCV, 8, R_RISCV_64 },
	{ EM_RISCV, 4, R_RISCV_32 },
};

static unsigned stored_bytes(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(absolutes) / sizeof(*absolutes); i++)
		if (absolutes[i].machine == machine && absolutes[i].type == type)
			return absolutes[i].bytes;
	return 0;
}

struct relocation {
	uint64_t offset, symbol, addend;
	uint32_t type;
};

static struct relocation read_relocation(const struct object *o, struct cursor *c, bool has_addend)
{
	struct relocation r = {};
	if (o->header.is_64bit) {
		r.offset = cursor_u64(c);
		uint64_t info = cursor_u64(c);
		r.symbol = ELF64_R_SYM(info);
		r.type = (uint32_t)ELF64_R_TYPE(info);
		r.addend = has_addend ? cursor_u64(c) : 0;
	} else {
		r.offset = cursor_u32(c);
		uint32_t info = cursor_u32(c);
		r.symbol = ELF32_R_SYM(info);
		r.type = ELF32_R_TYPE(info);
		r.addend = has_addend ? (uint64_t)(int64_t)(int32_t)cursor_u32(c) : 0;
	}
	return r;
}

static uint64_t load(const struct object *o, const uint8_t *from, unsigned bytes)
{
	struct cursor c = cursor_make(from, bytes, o->header.swap);
	return bytes == 8 ? cursor_u64(&c) : cursor_u32(&c);
}

static void store(const struct object *o, uint8_t *to, unsigned bytes, uint64_t value)
{
	uint32_t word = (uint32_t)value;
	if (o->header.swap) {
		value = __builtin_bswap64(value);
		word = __builtin_bswap32(word);
	}
	memcpy(to, bytes == 8 ? (const void *)&value : &word, bytes);
}

static void apply(const struct object *o, const struct object_section *relocations, uint8_t *data, size_t bytes)
{
	struct object_symtab symbols;
	size_t table_bytes;
	bool has_addend = relocations->type == SHT_RELA;
	const void *table = object_section_raw(o, relocations, &table_bytes);
	if (!table || !object_symtab(o, SHT_SYMTAB, &symbols))
		return;
	struct cursor c = cursor_make(table, table_bytes, o->header.swap);
	while (cursor_left(&c)) {
		struct relocation r = read_relocation(o, &c, has_addend);
		unsigned n = stored_bytes(o->header.machine, r.type);
		if (c.bad)
			return; /* the table ends within one */
		if (!n || r.symbol >= symbols.count || r.offset > bytes || n > bytes - r.offset)
			continue;
		struct object_symbol s = object_symbol(&symbols, (size_t)r.symbol);
		uint64_t base = s.section < o->sections_nr && s.section < SHN_LORESERVE ? o->sections[s.section].addr : 0;
		if (!has_addend)
			r.addend = load(o, data + r.offset, n);
		store(o, data + r.offset, n, base + s.value + r.addend);
	}
}

/* Compilers write one relocation table per section; more would only cost time in a hostile file. */
static const struct object_section *relocations_of(const struct object *o, const struct object_section *s)
{
	for (size_t i = 1; i < o->sections_nr; i++) {
		const struct object_section *r = &o->sections[i];
		if ((r->type == SHT_RELA || r->type == SHT_REL) && r->info < o->sections_nr && &o->sections[r->info] == s)
			return r;
	}
	return NULL;
}

bool object_has_relocations(const struct object *o, const struct object_section *s)
{
	return o->header.type == ET_REL && !(s->flags & SHF_ALLOC) && relocations_of(o, s);
}

void object_relocate(const struct object *o, const struct object_section *s, void *data, size_t bytes)
{
	const struct object_section *r = relocations_of(o, s);
	if (r)
		apply(o, r, data, bytes);
}
