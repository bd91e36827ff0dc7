/*
 * For tests: builds ELF files of either class and byte order, byte by byte, by the gABI.
 *
 *	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
 *	uint32_t text = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC, 0x1000, code, sizeof(code));
 *	elf_add_symbol(&b, &b.symtab, "main", 0x1000, 4, STB_GLOBAL, STT_FUNC, text);
 *	size_t n;
 *	uint8_t *bytes = elf_finish(&b, &n);
 */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"

#define ELF_BUILDER_MAX 24

struct elf_symbols {
	struct strbuf entries, strings;
};

struct elf_builder {
	bool is_64bit, big;
	uint16_t type, machine;
	struct strbuf data; /* of sections, from elf_header_bytes() on */
	struct {
		char name[32];
		uint32_t type, link, info;
		uint64_t flags, addr, offset, bytes, entry_bytes;
	} sections[ELF_BUILDER_MAX];
	uint32_t sections_nr; /* the null section not counted */
	struct {
		uint32_t type, flags;
		uint64_t offset, vaddr, bytes, align;
		uint64_t zeros; /* in memory, after the bytes of the file */
	} segments[ELF_BUILDER_MAX];
	uint32_t segments_nr;
	struct elf_symbols symtab, dynsym;
};

static inline void elf_put(const struct elf_builder *b, struct strbuf *to, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		strbuf_addch(to, (char)(v >> 8 * (b->big ? bytes - 1 - i : i)));
}

static inline void elf_put_word(const struct elf_builder *b, struct strbuf *to, uint64_t v)
{
	elf_put(b, to, v, b->is_64bit ? 8 : 4);
}

static inline size_t elf_header_bytes(const struct elf_builder *b)
{
	return (b->is_64bit ? 64 : 52) + ELF_BUILDER_MAX * (b->is_64bit ? 56u : 32u);
}

static inline uint32_t elf_add_section(struct elf_builder *b, const char *name, uint32_t type, uint64_t flags,
				       uint64_t addr, const void *bytes, size_t n)
{
	uint32_t i = ++b->sections_nr;
	while ((elf_header_bytes(b) + b->data.len) % 16)
		strbuf_addch(&b->data, 0);
	strncpy(b->sections[i].name, name, sizeof(b->sections[i].name) - 1);
	b->sections[i].type = type;
	b->sections[i].flags = flags;
	b->sections[i].addr = addr;
	b->sections[i].offset = elf_header_bytes(b) + b->data.len;
	b->sections[i].bytes = n;
	if (type != SHT_NOBITS && n)
		strbuf_add(&b->data, bytes, n);
	return i;
}

static inline void elf_add_segment(struct elf_builder *b, uint32_t type, uint32_t flags, uint64_t offset,
				   uint64_t vaddr, uint64_t bytes)
{
	uint32_t i = b->segments_nr++;
	b->segments[i].type = type;
	b->segments[i].flags = flags;
	b->segments[i].offset = offset;
	b->segments[i].vaddr = vaddr;
	b->segments[i].bytes = bytes;
	b->segments[i].align = type == PT_NOTE ? 4 : 4096;
}

/* A PT_LOAD that maps a section to its address. */
static inline void elf_load_section(struct elf_builder *b, uint32_t section, uint32_t flags)
{
	elf_add_segment(b, PT_LOAD, flags, b->sections[section].offset, b->sections[section].addr,
			b->sections[section].bytes);
}

static inline void elf_put_symbol(const struct elf_builder *b, struct strbuf *to, uint32_t name, uint64_t value,
				  uint64_t size, uint8_t info, uint8_t other, uint16_t section)
{
	elf_put(b, to, name, 4);
	if (!b->is_64bit) {
		elf_put(b, to, value, 4);
		elf_put(b, to, size, 4);
	}
	elf_put(b, to, info, 1);
	elf_put(b, to, other, 1);
	elf_put(b, to, section, 2);
	if (b->is_64bit) {
		elf_put(b, to, value, 8);
		elf_put(b, to, size, 8);
	}
}

/* Returns its index in the table. */
static inline uint32_t elf_add_symbol(struct elf_builder *b, struct elf_symbols *t, const char *name, uint64_t value,
				      uint64_t size, int binding, int type, uint32_t section)
{
	size_t entry = b->is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	if (!t->strings.len) {
		strbuf_addch(&t->strings, 0);
		elf_put_symbol(b, &t->entries, 0, 0, 0, 0, 0, 0);
	}
	uint32_t at = (uint32_t)t->strings.len;
	strbuf_add(&t->strings, name, strlen(name) + 1);
	elf_put_symbol(b, &t->entries, at, value, size, (uint8_t)(binding << 4 | type), 0, (uint16_t)section);
	return (uint32_t)(t->entries.len / entry - 1);
}

static inline void elf_add_note(struct elf_builder *b, uint32_t type, const void *desc, uint32_t n, struct strbuf *to)
{
	elf_put(b, to, 4, 4);
	elf_put(b, to, n, 4);
	elf_put(b, to, type, 4);
	strbuf_add(to, "GNU", 4);
	strbuf_add(to, desc, n);
	while (to->len % 4)
		strbuf_addch(to, 0);
}

static inline void elf_add_build_id(struct elf_builder *b, const void *id, uint32_t n)
{
	struct strbuf note = {};
	elf_add_note(b, NT_GNU_BUILD_ID, id, n, &note);
	uint32_t s = elf_add_section(b, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x200, note.data, note.len);
	elf_add_segment(b, PT_NOTE, PF_R, b->sections[s].offset, 0x200, note.len);
	strbuf_deinit(&note);
}

static inline void elf_add_symbol_section(struct elf_builder *b, struct elf_symbols *t, uint32_t type)
{
	bool dynamic = type == SHT_DYNSYM;
	if (!t->entries.len)
		return;
	uint32_t strings =
		elf_add_section(b, dynamic ? ".dynstr" : ".strtab", SHT_STRTAB, 0, 0, t->strings.data, t->strings.len);
	uint32_t s = elf_add_section(b, dynamic ? ".dynsym" : ".symtab", type, 0, 0, t->entries.data, t->entries.len);
	b->sections[s].link = strings;
	b->sections[s].entry_bytes = b->is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	strbuf_deinit(&t->entries);
	strbuf_deinit(&t->strings);
}

static inline void elf_put_segments(const struct elf_builder *b, struct strbuf *to)
{
	for (uint32_t i = 0; i < ELF_BUILDER_MAX; i++) {
		uint32_t type = i < b->segments_nr ? b->segments[i].type : PT_NULL;
		elf_put(b, to, type, 4);
		if (b->is_64bit)
			elf_put(b, to, b->segments[i].flags, 4);
		elf_put_word(b, to, b->segments[i].offset);
		elf_put_word(b, to, b->segments[i].vaddr);
		elf_put_word(b, to, b->segments[i].vaddr);
		elf_put_word(b, to, b->segments[i].bytes);
		elf_put_word(b, to, b->segments[i].bytes + b->segments[i].zeros);
		if (!b->is_64bit)
			elf_put(b, to, b->segments[i].flags, 4);
		elf_put_word(b, to, b->segments[i].align);
	}
}

static inline void elf_put_section(const struct elf_builder *b, struct strbuf *to, uint32_t i, uint32_t name)
{
	elf_put(b, to, name, 4);
	elf_put(b, to, b->sections[i].type, 4);
	elf_put_word(b, to, b->sections[i].flags);
	elf_put_word(b, to, b->sections[i].addr);
	elf_put_word(b, to, b->sections[i].offset);
	elf_put_word(b, to, b->sections[i].bytes);
	elf_put(b, to, b->sections[i].link, 4);
	elf_put(b, to, b->sections[i].info, 4);
	elf_put_word(b, to, 1);
	elf_put_word(b, to, b->sections[i].entry_bytes);
}

/* The whole file, owned by the caller; the builder is emptied. */
static inline uint8_t *elf_finish(struct elf_builder *b, size_t *ret_bytes)
{
	struct strbuf names = {}, out = {};
	uint32_t name_of[ELF_BUILDER_MAX] = { 0 };
	elf_add_symbol_section(b, &b->symtab, SHT_SYMTAB);
	elf_add_symbol_section(b, &b->dynsym, SHT_DYNSYM);
	strbuf_addch(&names, 0);
	for (uint32_t i = 1; i <= b->sections_nr; i++) {
		name_of[i] = (uint32_t)names.len;
		strbuf_add(&names, b->sections[i].name, strlen(b->sections[i].name) + 1);
	}
	name_of[b->sections_nr + 1] = (uint32_t)names.len;
	strbuf_add(&names, ".shstrtab", sizeof(".shstrtab"));
	uint32_t shstrtab = elf_add_section(b, ".shstrtab", SHT_STRTAB, 0, 0, names.data, names.len);
	uint64_t table = elf_header_bytes(b) + b->data.len;
	strbuf_add(&out, ELFMAG, SELFMAG);
	elf_put(b, &out, b->is_64bit ? ELFCLASS64 : ELFCLASS32, 1);
	elf_put(b, &out, b->big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	elf_put(b, &out, EV_CURRENT, 1);
	for (int i = 0; i < 9; i++)
		strbuf_addch(&out, 0);
	elf_put(b, &out, b->type, 2);
	elf_put(b, &out, b->machine, 2);
	elf_put(b, &out, EV_CURRENT, 4);
	elf_put_word(b, &out, 0);
	elf_put_word(b, &out, b->is_64bit ? 64 : 52);
	elf_put_word(b, &out, table);
	elf_put(b, &out, 0, 4);
	elf_put(b, &out, b->is_64bit ? 64 : 52, 2);
	elf_put(b, &out, b->is_64bit ? 56 : 32, 2);
	elf_put(b, &out, ELF_BUILDER_MAX, 2);
	elf_put(b, &out, b->is_64bit ? 64 : 40, 2);
	elf_put(b, &out, b->sections_nr + 1, 2);
	elf_put(b, &out, shstrtab, 2);
	elf_put_segments(b, &out);
	strbuf_add(&out, b->data.data, b->data.len);
	for (uint32_t i = 0; i <= b->sections_nr; i++)
		elf_put_section(b, &out, i, name_of[i]);
	strbuf_deinit(&names);
	strbuf_deinit(&b->data);
	*ret_bytes = out.len;
	return (uint8_t *)strbuf_take(&out);
}
