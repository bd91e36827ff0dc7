#include <elf.h>
#include <string.h>

#include "base/file.h"
#include "object/object_priv.h"

#define NOTES_MAX (1 << 20)

static bool skip_padding(struct cursor *c, size_t align)
{
	size_t over = cursor_offset(c) % align;
	size_t pad = over ? align - over : 0;
	/* The last note need not be padded. */
	return cursor_skip(c, pad < cursor_left(c) ? pad : cursor_left(c));
}

/* align: notes of segments aligned to 8 (property notes of 64-bit files) pad to 8, all others to 4. */
static size_t find_build_id(struct cursor c, size_t align, uint8_t ret[OBJECT_BUILD_ID_MAX])
{
	while (cursor_left(&c) >= 12) {
		uint32_t name_bytes = cursor_u32(&c), desc_bytes = cursor_u32(&c), type = cursor_u32(&c);
		const void *name = cursor_bytes(&c, name_bytes);
		skip_padding(&c, align);
		const void *desc = cursor_bytes(&c, desc_bytes);
		if (c.bad)
			return 0;
		if (type == NT_GNU_BUILD_ID && name_bytes == 4 && !memcmp(name, "GNU", 4) && desc_bytes) {
			size_t n = desc_bytes < OBJECT_BUILD_ID_MAX ? desc_bytes : OBJECT_BUILD_ID_MAX;
			memcpy(ret, desc, n);
			return n;
		}
		skip_padding(&c, align);
	}
	return 0;
}

size_t object_build_id_in_notes(const void *notes, size_t bytes, bool swap, uint8_t ret[OBJECT_BUILD_ID_MAX])
{
	return find_build_id(cursor_make(notes, bytes, swap), 4, ret);
}

size_t object_build_id_of_notes(const char *path, uint8_t ret[OBJECT_BUILD_ID_MAX])
{
	_cleanup_strbuf_ struct strbuf notes = {};
	_cleanup_error_ struct strobe_error *err = file_read(path, &notes, NOTES_MAX);
	return err ? 0 : object_build_id_in_notes(strbuf_str(&notes), notes.len, false, ret);
}

size_t object_build_id(const struct object *o, uint8_t ret[OBJECT_BUILD_ID_MAX])
{
	for (size_t i = 0; i < o->segments_nr; i++) {
		const struct object_segment *s = &o->segments[i];
		const uint8_t *p = s->type == PT_NOTE ? object_range(o, s->offset, s->file_bytes) : NULL;
		if (!p)
			continue;
		size_t n = find_build_id(cursor_make(p, (size_t)s->file_bytes, o->header.swap), s->align == 8 ? 8 : 4,
					 ret);
		if (n)
			return n;
	}
	/* Relocatable files (kernel modules) have no segments; separate debug files may lack their content. */
	for (size_t i = 1; i < o->sections_nr; i++) {
		const struct object_section *s = &o->sections[i];
		size_t bytes;
		const uint8_t *p = s->type == SHT_NOTE ? object_section_raw(o, s, &bytes) : NULL;
		if (!p)
			continue;
		size_t n = find_build_id(cursor_make(p, bytes, o->header.swap), 4, ret);
		if (n)
			return n;
	}
	return 0;
}
