/* Ruby 3.1 to 3.4: the execution context is a thread-local variable. */
#include <elf.h>
#include <string.h>

#include "base/cursor.h"
#include "interp/interpreter.h"
#include "interp/lnotab.h"

#define X86_DTPMOD64 16 /* R_X86_64_DTPMOD64 */

static const struct {
	char name[4];
	struct ruby_layout layout;
} versions[] = {
	{ "3.1", { .frame_bytes = 64, .lines = 120, .lines_nr = 136, .positions = 144, .embedded = 16, .has_fixnum = 1 } },
	{ "3.2", { .frame_bytes = 64, .lines = 112, .lines_nr = 128, .positions = 136, .embedded = 24, .has_length = 1 } },
	{ "3.3", { .frame_bytes = 56, .lines = 112, .lines_nr = 128, .positions = 136, .embedded = 24, .has_length = 1 } },
	{ "3.4", { .frame_bytes = 56, .lines = 112, .lines_nr = 128, .positions = 136, .embedded = 24, .has_length = 1 } },
};

/* The word of the global offset table where the dynamic linker stores the module ID; 0: none. */
static uint64_t find_module_word(struct object *o, uint32_t symbol)
{
	const struct object_section *s = object_find_section(o, ".rela.dyn");
	struct cursor c = s ? object_section_cursor(o, s) : cursor_make("", 0, false);
	while (cursor_left(&c) >= sizeof(Elf64_Rela)) {
		uint64_t vaddr = cursor_u64(&c), info = cursor_u64(&c);
		cursor_skip(&c, 8);
		if (ELF64_R_TYPE(info) == X86_DTPMOD64 && ELF64_R_SYM(info) == symbol)
			return vaddr;
	}
	return 0;
}

/* In a program, thread-local variables end at the thread pointer (variant II of the ABI). */
static bool find_in_program(const struct object *o, uint64_t at, int64_t *ret)
{
	for (size_t i = 0; i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		uint64_t align = s->align ? s->align : 1;
		if (s->type != PT_TLS || s->memory_bytes > UINT32_MAX || align > UINT32_MAX || at >= s->memory_bytes)
			continue;
		*ret = (int64_t)at - (int64_t)((s->memory_bytes + align - 1) / align * align);
		return true;
	}
	return false;
}

void ruby_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret)
{
	uint64_t at = symbols->of[INTERPRETER_RUBY].value;
	size_t n;
	const char *version =
		symbols->of[INTERPRETER_RUBY_VERSION].section ? object_bytes_at(o, symbols->of[INTERPRETER_RUBY_VERSION].value, &n) : NULL;
	uint32_t index = symbols->index[INTERPRETER_RUBY];
	ret->context.module = index ? find_module_word(o, index) : 0;
	ret->context.offset = (int64_t)at;
	if (at > PYTHON_OFFSET_MAX || !version || n < 4)
		return;
	if (!ret->context.module && !find_in_program(o, at, &ret->context.offset))
		return;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		if (memcmp(version, versions[i].name, 3) != 0 || version[3] != '.')
			continue;
		ret->ruby = versions[i].layout;
		ret->start = 1;
		ret->is_known = true;
	}
}

/* ---- lines ---- */

/*
 * The index of the line entry for a position: bits mark the positions at which entries begin. The first 54 positions are in six words of
 * nine positions each, whose upper bits have the number of entries before them, seven bits each. Then come blocks of 512 positions: the
 * number of entries before the block, the numbers within the block before each 64 positions, nine bits each, and the bits.
 */
#define IN_WORD	     9
#define WORD_BITS    7
#define FIRST	     54
#define FIRST_BYTES  48
#define BLOCK	     512
#define BLOCK_BYTES  80
#define RANK_BITS    9
#define LINE_BYTES   12

static bool entry_at(const struct ruby_lines *r, uint32_t position, uint32_t *ret)
{
	struct cursor c = cursor_make(r->positions, r->positions_bytes, false);
	if (position < FIRST) {
		cursor_skip(&c, position / IN_WORD * 8);
		uint64_t word = cursor_u64(&c);
		*ret = (uint32_t)(word >> position % IN_WORD * WORD_BITS) & 0x7f;
		return !c.bad;
	}
	uint32_t in_block = (position - FIRST) % BLOCK, piece = in_block / 64;
	cursor_skip(&c, FIRST_BYTES + (position - FIRST) / BLOCK * (size_t)BLOCK_BYTES);
	uint32_t before = cursor_u32(&c);
	cursor_skip(&c, 4);
	uint64_t ranks = cursor_u64(&c);
	cursor_skip(&c, piece * 8);
	uint64_t bits = cursor_u64(&c);
	uint32_t in_pieces = piece ? (uint32_t)(ranks >> (piece - 1) * RANK_BITS) & 0x1ff : 0;
	*ret = before + in_pieces + (uint32_t)__builtin_popcountll(bits << (63 - in_block % 64));
	return !c.bad;
}

static uint32_t line_at(const struct ruby_lines *r, uint32_t position)
{
	uint32_t entry = 1, line;
	if (r->lines_nr > 1 && !entry_at(r, position, &entry))
		return r->first_line;
	if (!entry || entry > r->lines_nr || (size_t)entry * LINE_BYTES > r->lines_bytes)
		return r->first_line;
	memcpy(&line, (const char *)r->lines + (size_t)(entry - 1) * LINE_BYTES, sizeof(line));
	return line && line <= INT32_MAX ? line : r->first_line;
}

void ruby_lines_convert(const struct ruby_lines *r, struct strbuf *to)
{
	enum { POSITIONS_MAX = 65535 };
	struct lnotab_writer writer = lnotab_begin(to, r->first_line);
	uint32_t size = r->size < POSITIONS_MAX ? r->size : POSITIONS_MAX;
	for (uint32_t i = 0; i < size; i++)
		if (!lnotab_put(&writer, i, line_at(r, i)))
			return;
}
