/* Finds call frame information: by section, or by PT_GNU_EH_FRAME if section headers were stripped. */
#include <elf.h>

#include "object/object_priv.h"

static uint64_t section_vaddr(const struct object *o, const char *name)
{
	const struct object_section *s = object_find_section(o, name);
	return s ? s->addr : 0;
}

static bool from_section(struct object *o, const char *name, struct object_frames *ret)
{
	const struct object_section *s = object_find_section(o, name);
	if (!s)
		return false;
	struct cursor c = object_section_cursor(o, s);
	ret->bytes = c.at;
	ret->n = cursor_left(&c);
	ret->vaddr = s->addr;
	return ret->n > 0;
}

/*
 * .eh_frame_hdr: version 1, three encodings, then the address of .eh_frame, which linkers only write as DW_EH_PE_pcrel
 * | DW_EH_PE_sdata4. The length of the section is unknown: it is read up to the end of its segment.
 */
static bool from_header(struct object *o, struct object_frames *ret)
{
	for (size_t i = 0; i < o->segments_nr; i++) {
		const struct object_segment *s = &o->segments[i];
		size_t n;
		if (s->type != PT_GNU_EH_FRAME)
			continue;
		const uint8_t *p = object_bytes_at(o, s->vaddr, &n);
		struct cursor c = cursor_make(p ? p : (const uint8_t *)"", p ? n : 0, o->header.swap);
		uint8_t version = cursor_u8(&c), pointers = cursor_u8(&c);
		if (version != 1 || pointers != 0x1b || !cursor_skip(&c, 2))
			return false;
		ret->vaddr = s->vaddr + 4 + (uint64_t)(int32_t)cursor_u32(&c);
		ret->bytes = c.bad ? NULL : object_bytes_at(o, ret->vaddr, &ret->n);
		return ret->bytes != NULL;
	}
	return false;
}

unsigned object_frames(struct object *o, struct object_frames ret[2])
{
	struct object_frames f = { .text = section_vaddr(o, ".text"), .got = section_vaddr(o, ".got") };
	unsigned n = 0;
	if (from_section(o, ".eh_frame", &f) || (!object_find_section(o, ".eh_frame") && from_header(o, &f)))
		ret[n++] = f;
	f.is_debug_frame = true;
	if (from_section(o, ".debug_frame", &f))
		ret[n++] = f;
	return n;
}
