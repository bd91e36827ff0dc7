/*
 * Entries of .eh_frame and .debug_frame. All CIEs are found first, by one walk over the section: an FDE may only refer to one of
 * them, so that no byte is read as several entries, whatever the offsets.
 */
#include <string.h>

#include "unwind/cfi_priv.h"

/* Some ten bytes are usual. The program of a CIE runs for many functions: a long one is an attack. */
#define CIE_PROGRAM_MAX 512

/* DW_EH_PE_*, of the Linux Standard Base. */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
	PE_TEXTREL = 0x20,
	PE_DATAREL = 0x30,
	PE_FUNCREL = 0x40,
	PE_ALIGNED = 0x50,
	PE_INDIRECT = 0x80,
};

struct entry {
	size_t offset;      /* of its length field */
	size_t id_offset;   /* of the CIE pointer: .eh_frame counts back from there */
	uint64_t id;
	bool is_cie;
	struct cursor body; /* after the CIE pointer */
};

static struct cursor section_cursor(const struct cfi_section *s)
{
	return cursor_make(s->frames.bytes, s->frames.n, s->swap);
}

/* False at the end of the section, or at an invalid length. */
static bool next_entry(const struct cfi_section *s, struct cursor *c, struct entry *ret)
{
	uint64_t length = 0;
	bool wide = false;
	/* A length of zero ends the section, but linkers leave such terminators between joined files. */
	while (!length) {
		if (cursor_left(c) < 4)
			return false;
		ret->offset = cursor_offset(c);
		length = cursor_u32(c);
	}
	if (length == UINT32_MAX) {
		length = cursor_u64(c);
		wide = true;
	}
	if (c->bad || length > cursor_left(c))
		return false;
	ret->id_offset = cursor_offset(c);
	ret->body = *c;
	ret->body.end = c->at + length;
	cursor_skip(c, (size_t)length);
	ret->id = wide ? cursor_u64(&ret->body) : cursor_u32(&ret->body);
	if (s->frames.is_debug_frame)
		ret->is_cie = ret->id == (wide ? UINT64_MAX : UINT32_MAX);
	else
		ret->is_cie = !ret->id;
	return true;
}

static uint64_t read_word(const struct cfi_section *s, struct cursor *c)
{
	return s->is_64bit ? cursor_u64(c) : cursor_u32(c);
}

static uint64_t read_plain(const struct cfi_section *s, struct cursor *c, uint8_t format)
{
	switch (format) {
	case PE_ABSPTR:
		return read_word(s, c);
	case PE_ULEB128:
		return cursor_uleb(c);
	case PE_UDATA2:
		return cursor_u16(c);
	case PE_UDATA4:
		return cursor_u32(c);
	case PE_UDATA8:
	case PE_SDATA8:
		return cursor_u64(c);
	case PE_SLEB128:
		return (uint64_t)cursor_sleb(c);
	case PE_SDATA2:
		return (uint64_t)(int16_t)cursor_u16(c);
	case PE_SDATA4:
		return (uint64_t)(int32_t)cursor_u32(c);
	default:
		c->bad = true;
		return 0;
	}
}

bool cfi_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding, uint64_t function, uint64_t *ret)
{
	uint64_t base = 0, here;
	if (encoding == PE_ALIGNED) {
		size_t word = s->is_64bit ? 8 : 4, past = (size_t)(s->frames.vaddr + cursor_offset(c)) % word;
		if (past)
			cursor_skip(c, word - past);
	}
	here = s->frames.vaddr + cursor_offset(c);
	uint64_t value = read_plain(s, c, encoding == PE_ALIGNED ? PE_ABSPTR : encoding & 0x0f);
	switch (encoding & 0x70) {
	case PE_PCREL:
		base = here;
		break;
	case PE_TEXTREL:
		base = s->frames.text;
		break;
	case PE_DATAREL:
		base = s->frames.got;
		break;
	case PE_FUNCREL:
		base = function;
		break;
	}
	*ret = s->is_64bit ? value + base : (uint32_t)(value + base);
	/* The target of an indirect pointer is only known at run time. */
	return !c->bad && !(encoding & PE_INDIRECT);
}

static void skip_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding)
{
	uint64_t ignored;
	if (encoding != CFI_OMITTED)
		(void)cfi_pointer(s, c, encoding, 0, &ignored);
}

/* The data for the letters after 'z'; an unknown letter ends them, but the total length is known. */
static void read_augmentation(const struct cfi_section *s, struct cursor c, const char *letters, struct cfi_cie *cie)
{
	for (; *letters && !c.bad; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = cursor_u8(&c);
			break;
		case 'P':
			skip_pointer(s, &c, cursor_u8(&c));
			break;
		case 'L':
			cursor_skip(&c, 1);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64: return addresses are signed with key B; they are stripped as well */
		case 'G': /* and memory is tagged */
			break;
		default:
			return;
		}
	}
}

static struct cfi_cie read_cie(const struct cfi_section *s, struct entry *e)
{
	struct cfi_cie cie = { .offset = e->offset };
	struct cursor *c = &e->body;
	uint8_t version = cursor_u8(c);
	const char *letters = cursor_cstr(c);
	if (!letters || (version != 1 && version != 3 && version != 4))
		return cie;
	if (!strcmp(letters, "eh")) /* gcc 2 */
		(void)read_word(s, c);
	if (version == 4 && (cursor_u8(c) != (s->is_64bit ? 8 : 4) || cursor_u8(c)))
		return cie; /* other address sizes, or segments */
	cie.code_align = cursor_uleb(c);
	cie.data_align = cursor_sleb(c);
	uint64_t ra = version == 1 ? cursor_u8(c) : cursor_uleb(c);
	cie.is_usable = ra < UNWIND_REGS && (!*letters || *letters == 'z' || !strcmp(letters, "eh"));
	cie.ra = (uint8_t)ra;
	if (*letters == 'z') {
		cie.has_augmentation = true;
		uint64_t n = cursor_uleb(c);
		struct cursor data = cursor_sub(c, n > SIZE_MAX ? SIZE_MAX : (size_t)n);
		/* Positions of pointers are counted from the section's start. */
		data.start = c->start;
		read_augmentation(s, data, letters + 1, &cie);
	}
	cie.is_usable &= !c->bad;
	cie.program = c->at;
	cie.program_bytes = cursor_left(c);
	cie.is_usable &= cie.program_bytes <= CIE_PROGRAM_MAX;
	return cie;
}

void cfi_read_cies(struct cfi_section *s)
{
	struct cursor c = section_cursor(s);
	struct entry e;
	while (next_entry(s, &c, &e))
		if (e.is_cie && !e.body.bad)
			vec_push(&s->cies, read_cie(s, &e));
}

/* Its index; UINT32_MAX where none begins there. last: where the entry before found its own. */
static uint32_t find_cie(const struct cfi_section *s, const struct entry *e, uint32_t last)
{
	uint64_t offset = s->frames.is_debug_frame ? e->id : e->id_offset - e->id;
	if (last < s->cies.len && s->cies.data[last].offset == offset)
		return last;
	size_t i = vec_search(&s->cies, cie, cie->offset < offset);
	return i < s->cies.len && s->cies.data[i].offset == offset ? (uint32_t)i : UINT32_MAX;
}

static bool read_fde(const struct cfi_section *s, struct entry *e, const struct cfi_cie *cie, struct cfi_fde *ret)
{
	struct cursor *c = &e->body;
	if (!cfi_pointer(s, c, cie->encoding, 0, &ret->start))
		return false;
	uint64_t bytes = read_plain(s, c, cie->encoding == PE_ALIGNED ? PE_ABSPTR : cie->encoding & 0x0f);
	if (!s->is_64bit)
		bytes = (uint32_t)bytes;
	if (cie->has_augmentation) {
		uint64_t n = cursor_uleb(c);
		cursor_skip(c, n > SIZE_MAX ? SIZE_MAX : (size_t)n);
	}
	if (c->bad || bytes > UINT64_MAX - ret->start)
		return false;
	ret->end = ret->start + bytes;
	ret->program = c->at;
	ret->program_bytes = cursor_left(c);
	return true;
}

void cfi_read_fdes(struct cfi_section *s, uint32_t section, struct cfi_fdes *ret)
{
	struct cursor c = section_cursor(s);
	struct entry e;
	uint32_t last = 0;
	while (next_entry(s, &c, &e)) {
		if (e.is_cie || e.body.bad)
			continue;
		struct cfi_fde f = { .section = section, .cie = find_cie(s, &e, last) };
		if (f.cie == UINT32_MAX || !s->cies.data[f.cie].is_usable)
			continue;
		last = f.cie;
		if (read_fde(s, &e, &s->cies.data[f.cie], &f))
			vec_push(&ret->list, f);
	}
}
