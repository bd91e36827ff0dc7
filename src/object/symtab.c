#include <elf.h>

#include "object/object_priv.h"

/* Truncates a string table after its last NUL, so that all names end inside of it. */
static void set_strings(struct object_symtab *t, const void *strings, size_t bytes)
{
	const char *last = bytes ? memrchr(strings, 0, bytes) : NULL;
	if (!last)
		return;
	t->strings = strings;
	t->strings_bytes = (size_t)(last + 1 - t->strings);
}

/* ---- files whose section headers were stripped: what the dynamic linker goes by ---- */

struct dynamic {
	uint64_t symbols, entry_bytes, strings, strings_bytes, hash, gnu_hash;
};

static void take_dynamic(struct dynamic *d, uint64_t tag, uint64_t value)
{
	switch (tag) {
	case DT_SYMTAB: d->symbols = value; break;
	case DT_SYMENT: d->entry_bytes = value; break;
	case DT_STRTAB: d->strings = value; break;
	case DT_STRSZ: d->strings_bytes = value; break;
	case DT_HASH: d->hash = value; break;
	case DT_GNU_HASH: d->gnu_hash = value; break;
	}
}

static bool read_dynamic(const struct object *o, struct dynamic *ret)
{
	unsigned word = o->header.is_64bit ? 8 : 4;
	*ret = (struct dynamic){};
	for (size_t i = 0; i < o->segments_nr; i++) {
		const struct object_segment *s = &o->segments[i];
		const uint8_t *p = s->type == PT_DYNAMIC ? object_range(o, s->offset, s->file_bytes) : NULL;
		if (!p)
			continue;
		struct cursor c = cursor_make(p, (size_t)s->file_bytes, o->header.swap);
		while (cursor_left(&c) >= 2 * word) {
			uint64_t tag = word == 8 ? cursor_u64(&c) : cursor_u32(&c);
			uint64_t value = word == 8 ? cursor_u64(&c) : cursor_u32(&c);
			if (tag == DT_NULL)
				break;
			take_dynamic(ret, tag, value);
		}
		return ret->symbols && ret->strings;
	}
	return false;
}

static struct cursor cursor_at(const struct object *o, uint64_t vaddr)
{
	size_t n = 0;
	const uint8_t *p = object_bytes_at(o, vaddr, &n);
	return cursor_make(p ? p : (const uint8_t *)"", p ? n : 0, o->header.swap);
}

/* Only the hash tables give the number of symbols: the end of the last chain is the last symbol. */
static uint64_t count_by_gnu_hash(const struct object *o, uint64_t table)
{
	struct cursor c = cursor_at(o, table);
	uint32_t buckets = cursor_u32(&c), first = cursor_u32(&c), bloom = cursor_u32(&c), last = 0;
	cursor_skip(&c, 4);
	if (!cursor_skip(&c, (size_t)bloom * (o->header.is_64bit ? 8 : 4)) || buckets > cursor_left(&c) / 4)
		return 0;
	for (uint32_t i = 0; i < buckets; i++) {
		uint32_t symbol = cursor_u32(&c);
		last = symbol > last ? symbol : last;
	}
	if (last < first)
		return first;
	if (!cursor_skip(&c, (size_t)(last - first) * 4))
		return 0;
	while (cursor_left(&c) >= 4 && !(cursor_u32(&c) & 1))
		last++;
	return (uint64_t)last + 1;
}

static uint64_t count_by_hash(const struct object *o, uint64_t table)
{
	struct cursor c = cursor_at(o, table);
	cursor_skip(&c, 4);
	return cursor_u32(&c);
}

static bool dynamic_symtab(const struct object *o, size_t least, struct object_symtab *ret)
{
	struct dynamic d;
	size_t bytes, strings_bytes;
	if (!read_dynamic(o, &d) || (d.entry_bytes && d.entry_bytes < least))
		return false;
	uint64_t count = d.gnu_hash ? count_by_gnu_hash(o, d.gnu_hash) : d.hash ? count_by_hash(o, d.hash) : 0;
	size_t entry_bytes = d.entry_bytes ? (size_t)d.entry_bytes : least;
	const void *entries = object_bytes_at(o, d.symbols, &bytes);
	const void *strings = object_bytes_at(o, d.strings, &strings_bytes);
	if (!entries || !count)
		return false;
	*ret = (struct object_symtab){
		.entries = entries,
		.count = count < bytes / entry_bytes ? (size_t)count : bytes / entry_bytes,
		.entry_bytes = entry_bytes,
		.strings = "",
		.is_64bit = o->header.is_64bit,
		.swap = o->header.swap,
	};
	if (strings)
		set_strings(ret, strings, d.strings_bytes < strings_bytes ? (size_t)d.strings_bytes : strings_bytes);
	return true;
}

bool object_symtab(const struct object *o, uint32_t type, struct object_symtab *ret)
{
	size_t least = o->header.is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	for (size_t i = 1; i < o->sections_nr; i++) {
		const struct object_section *s = &o->sections[i];
		size_t bytes, strings_bytes;
		if (s->type != type || s->flags & SHF_COMPRESSED)
			continue;
		const void *entries = object_section_raw(o, s, &bytes);
		if (!entries || s->entry_bytes < least)
			continue;
		*ret = (struct object_symtab){
			.entries = entries,
			.count = bytes / (size_t)s->entry_bytes,
			.entry_bytes = (size_t)s->entry_bytes,
			.strings = "",
			.is_64bit = o->header.is_64bit,
			.swap = o->header.swap,
		};
		if (s->link < o->sections_nr) {
			const void *strings = object_section_raw(o, &o->sections[s->link], &strings_bytes);
			if (strings)
				set_strings(ret, strings, strings_bytes);
		}
		return true;
	}
	return type == SHT_DYNSYM && !o->sections_nr && dynamic_symtab(o, least, ret);
}

bool object_is_thumb(const struct object *o, uint64_t vaddr)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	struct object_symtab t;
	for (size_t k = 0; k < sizeof(types) / sizeof(*types) && o->header.machine == EM_ARM; k++) {
		bool has = object_symtab(o, types[k], &t);
		for (size_t i = 1; has && i < t.count; i++) {
			struct object_symbol s = object_symbol(&t, i);
			if (ELF64_ST_TYPE(s.info) == STT_FUNC && s.value == (vaddr | 1) && s.section != SHN_UNDEF)
				return true;
		}
	}
	return false;
}

static bool find_in(const struct object *o, uint32_t table, const char *name, unsigned type, struct object_symbol *ret)
{
	struct object_symtab t;
	if (!object_symtab(o, table, &t))
		return false;
	for (size_t i = 1; i < t.count; i++) {
		*ret = object_symbol(&t, i);
		if (!ret->section || ELF64_ST_TYPE(ret->info) != type || strcmp(object_symbol_name(&t, ret), name) != 0)
			continue;
		/* In a relocatable file values are relative to the section. */
		if (o->header.type == ET_REL && ret->section < o->sections_nr)
			ret->value += o->sections[ret->section].addr;
		return true;
	}
	return false;
}

bool object_find_function(const struct object *o, const char *name, struct object_symbol *ret)
{
	return find_in(o, SHT_SYMTAB, name, STT_FUNC, ret) || find_in(o, SHT_DYNSYM, name, STT_FUNC, ret);
}

bool object_find_variable(const struct object *o, const char *name, struct object_symbol *ret)
{
	return find_in(o, SHT_SYMTAB, name, STT_OBJECT, ret) || find_in(o, SHT_DYNSYM, name, STT_OBJECT, ret);
}
