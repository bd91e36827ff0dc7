#include "object/jit_image.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"

enum { LNS_COPY = 1, LNS_ADVANCE_PC, LNS_ADVANCE_LINE, LNS_SET_FILE };
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS };

struct image {
	struct strbuf *out;
	struct strbuf names; /* .shstrtab */
	Elf64_Shdr sections[12];
	unsigned sections_nr;
};

static void uleb(struct strbuf *b, uint64_t v)
{
	do {
		strbuf_addch(b, (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0)));
		v >>= 7;
	} while (v);
}

static void sleb(struct strbuf *b, int64_t v)
{
	for (;;) {
		uint8_t byte = v & 0x7f;
		v >>= 7;
		bool last = (!v && !(byte & 0x40)) || (v == -1 && byte & 0x40);
		strbuf_addch(b, (char)(last ? byte : byte | 0x80));
		if (last)
			return;
	}
}

static void number(struct strbuf *b, uint64_t v, size_t bytes)
{
	uint16_t half = (uint16_t)v;
	uint32_t word = (uint32_t)v;
	strbuf_add(b, bytes == 2 ? (void *)&half : bytes == 4 ? (void *)&word : (void *)&v, bytes);
}

static void text(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s) + 1);
}

static void align(struct strbuf *b, size_t to)
{
	while (b->len % to)
		strbuf_addch(b, 0);
}

static Elf64_Shdr *section(struct image *m, const char *name, uint32_t type, uint64_t flags, const void *p, size_t n, size_t to)
{
	align(m->out, to);
	Elf64_Shdr *s = &m->sections[m->sections_nr++];
	*s = (Elf64_Shdr){
		.sh_name = (Elf64_Word)m->names.len,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = flags & SHF_EXECINSTR || !strncmp(name, ".eh_frame", 9) ? m->out->len : 0,
		.sh_offset = m->out->len,
		.sh_size = n,
		.sh_addralign = to,
	};
	text(&m->names, name);
	strbuf_add(m->out, p, n);
	return s;
}

/* The index of a file in the file table, from 1 on. */
static unsigned file_number(const char *const *files, size_t n, const char *file)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(files[i], file))
			return (unsigned)i + 1;
	return 0;
}

static void line_rows(const struct jit_image *image, const char *const *files, size_t files_nr, struct strbuf *b)
{
	unsigned file = 1;
	int64_t line = 1;
	uint64_t at = 0;
	strbuf_addch(b, 0);
	uleb(b, 9);
	strbuf_addch(b, LNE_SET_ADDRESS);
	number(b, JIT_IMAGE_TEXT, 8);
	for (size_t i = 0; i < image->lines_nr; i++) {
		const struct jit_image_line *l = &image->lines[i];
		unsigned its = file_number(files, files_nr, l->file);
		if (its && its != file) {
			strbuf_addch(b, LNS_SET_FILE);
			uleb(b, file = its);
		}
		strbuf_addch(b, LNS_ADVANCE_LINE);
		sleb(b, (int64_t)l->line - line);
		strbuf_addch(b, LNS_ADVANCE_PC);
		uleb(b, l->offset - at);
		strbuf_addch(b, LNS_COPY);
		line = l->line;
		at = l->offset;
	}
	strbuf_addch(b, LNS_ADVANCE_PC);
	uleb(b, image->code_bytes - at);
	strbuf_addch(b, 0);
	uleb(b, 1);
	strbuf_addch(b, LNE_END_SEQUENCE);
}

/* A line program of version 4, with opcode 10 as the first special one. */
static void debug_line(const struct jit_image *image, struct strbuf *ret)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	_cleanup_strbuf_ struct strbuf head = {}, body = {};
	VEC(const char *) files = {};
	for (size_t i = 0; i < image->lines_nr; i++)
		if (!file_number(files.data, files.len, image->lines[i].file) && files.len < 1000)
			vec_push(&files, image->lines[i].file);
	static const char facts[] = { 1, 1, 1, -5, 14, 10 }; /* instruction, operations, is_stmt, line base and range, opcodes */
	strbuf_add(&head, facts, sizeof(facts));
	strbuf_add(&head, lengths, sizeof(lengths));
	strbuf_addch(&head, 0); /* directories */
	for (size_t i = 0; i < files.len; i++) {
		text(&head, files.data[i]);
		strbuf_add(&head, "\0\0\0", 3);
	}
	strbuf_addch(&head, 0);
	line_rows(image, files.data, files.len, &body);
	number(ret, 2 + 4 + head.len + body.len, 4);
	number(ret, 4, 2);
	number(ret, head.len, 4);
	strbuf_add(ret, head.data, head.len);
	strbuf_add(ret, body.data, body.len);
	vec_deinit(&files);
}

/* A unit with only its range and lines. */
static void debug_info(struct image *m, const struct jit_image *image)
{
	static const uint8_t abbreviations[] = { 1, 0x11, 0, 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0, 0 };
	_cleanup_strbuf_ struct strbuf unit = {}, info = {}, lines = {};
	number(&unit, 4, 2);
	number(&unit, 0, 4);
	strbuf_addch(&unit, 8);
	uleb(&unit, 1);
	text(&unit, image->lines[0].file);
	number(&unit, 0, 4);
	number(&unit, JIT_IMAGE_TEXT, 8);
	number(&unit, image->code_bytes, 8);
	number(&info, unit.len, 4);
	strbuf_add(&info, unit.data, unit.len);
	debug_line(image, &lines);
	section(m, ".debug_line", SHT_PROGBITS, 0, lines.data, lines.len, 1);
	section(m, ".debug_info", SHT_PROGBITS, 0, info.data, info.len, 1);
	section(m, ".debug_abbrev", SHT_PROGBITS, 0, abbreviations, sizeof(abbreviations), 1);
}

static void make_build_id(const struct jit_image *image, uint8_t ret[20])
{
	uint64_t parts[3] = { hash_bytes(image->code, image->code_bytes), hash_str(image->name), image->code_bytes };
	parts[2] = hash_combine(parts[0] + 1, hash_combine(parts[1], parts[2]));
	memcpy(ret, parts, 20);
}

static void add_symbol(struct image *m, const struct jit_image *image)
{
	Elf64_Sym symbols[2] = {};
	_cleanup_strbuf_ struct strbuf strings = {};
	strbuf_addch(&strings, 0);
	text(&strings, image->name);
	symbols[1] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
				  .st_value = JIT_IMAGE_TEXT, .st_size = image->code_bytes };
	Elf64_Shdr *s = section(m, ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols), 8);
	s->sh_entsize = sizeof(Elf64_Sym);
	s->sh_link = m->sections_nr;
	s->sh_info = 1;
	section(m, ".strtab", SHT_STRTAB, 0, strings.data, strings.len, 1);
}

static void add_note(struct image *m, const uint8_t id[20])
{
	struct { uint32_t name, desc, type; char owner[4]; uint8_t id[20]; } note = { 4, 20, NT_GNU_BUILD_ID, "GNU", {} };
	memcpy(note.id, id, 20);
	section(m, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, &note, sizeof(note), 4);
}

static void finish(struct image *m, const struct jit_image *image, size_t mapped)
{
	Elf64_Ehdr h = { .e_type = ET_DYN, .e_machine = image->e_machine, .e_version = EV_CURRENT, .e_entry = JIT_IMAGE_TEXT,
			 .e_phoff = sizeof(h), .e_ehsize = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr p = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = JIT_IMAGE_TEXT, .p_vaddr = JIT_IMAGE_TEXT,
			 .p_paddr = JIT_IMAGE_TEXT, .p_filesz = mapped, .p_memsz = mapped, .p_align = 8 };
	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	h.e_shstrndx = (Elf64_Half)m->sections_nr;
	uint32_t own_name = (uint32_t)m->names.len;
	text(&m->names, ".shstrtab");
	section(m, "", SHT_STRTAB, 0, m->names.data, own_name + sizeof(".shstrtab"), 1)->sh_name = own_name;
	align(m->out, 8);
	h.e_shoff = m->out->len;
	h.e_shnum = (Elf64_Half)m->sections_nr;
	strbuf_add(m->out, m->sections, m->sections_nr * sizeof(*m->sections));
	memcpy(m->out->data, &h, sizeof(h));
	memcpy(m->out->data + sizeof(h), &p, sizeof(p));
}

void jit_image_write(const struct jit_image *image, struct strbuf *ret, uint8_t ret_build_id[20])
{
	static const char head[JIT_IMAGE_TEXT];
	struct image m = { .out = ret, .sections_nr = 1 };
	strbuf_addch(&m.names, 0);
	strbuf_add(ret, head, sizeof(head));
	section(&m, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, image->code, image->code_bytes, 16);
	if (image->frames) {
		size_t frames = image->frames_bytes - image->frames_header_bytes;
		const char *header = (const char *)image->frames + frames;
		section(&m, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, image->frames, frames, 8);
		if (image->frames_header_bytes)
			section(&m, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, header, image->frames_header_bytes, 4);
	}
	size_t mapped = ret->len - JIT_IMAGE_TEXT;
	make_build_id(image, ret_build_id);
	add_symbol(&m, image);
	add_note(&m, ret_build_id);
	if (image->lines_nr)
		debug_info(&m, image);
	finish(&m, image, mapped);
	strbuf_deinit(&m.names);
}
