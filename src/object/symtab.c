#include <elf.h>

#include "object/object_priv.h"

/* Cuts a string table behind its last NUL, so that a name found inside it also ends inside it. */
static void set_strings(struct object_symtab *t, const void *strings, size_t bytes)
{
	const char *last = bytes ? memrchr(strings, 0, bytes) : NULL;
	if (!last)
		return;
	t->strings = strings;
	t->strings_bytes = (size_t)(last + 1 - t->strings);
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
	return false;
}
