/*
 * Ruby 3.1 to 3.4: the execution context is a thread-local variable. Since 3.3 libruby exports neither the variable nor the evaluation
 * loop, which are then found by instructions: rb_thread_current() reads the one; the other calls the function with the jumps of the
 * instructions of Ruby.
 */
#include <elf.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "interp/interpreter.h"
#include "interp/lnotab.h"
#include "unwind/functions.h"
#include "unwind/x86_step.h"

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

/* ---- what is not exported (x86-64) ---- */

#define JUMPS_MIN	       32 /* of the instructions of Ruby, more than 100; other functions have one at most */
#define INSTRUCTIONS_BYTES_MIN 4096

/* data16 lea rdi, [rip + distance]; then the call of __tls_get_addr: the address of the variable's two words in the GOT. */
static bool find_hidden_context(const struct object *o, const struct object_symbol *reader, struct interpreter *ret)
{
	static const uint8_t loads[] = { 0x66, 0x48, 0x8d, 0x3d }, calls[] = { 0x66, 0x66, 0x48, 0xe8 };
	size_t n, left;
	int32_t distance;
	const uint8_t *code = reader->section ? object_bytes_at(o, reader->value, &n) : NULL;
	n = code && n > reader->size ? reader->size : n;
	const uint8_t *at = code ? memmem(code, n, loads, sizeof(loads)) : NULL;
	if (!at || (size_t)(code + n - at) < 12 || memcmp(at + 8, calls, sizeof(calls)) != 0)
		return false;
	memcpy(&distance, at + sizeof(loads), sizeof(distance));
	uint64_t words = reader->value + (uint64_t)(at - code) + 8 + (uint64_t)(int64_t)distance;
	const void *offset = object_bytes_at(o, words + 8, &left);
	if (!offset || left < sizeof(ret->context.offset))
		return false;
	memcpy(&ret->context.offset, offset, sizeof(ret->context.offset));
	ret->context.module = words;
	return ret->context.offset >= 0 && ret->context.offset <= PYTHON_OFFSET_MAX;
}

/* jmp [register], or with a displacement of 8 bits: how each instruction of Ruby goes on to the next. */
static bool is_dispatch(const uint8_t *p, const struct x86_step *step)
{
	const uint8_t *op = (p[0] & 0xf0) == 0x40 ? p + 1 : p;
	if (step->flow != X86_JUMP || step->target || op + 2 > p + step->bytes || op[0] != 0xff)
		return false;
	/* 0x25: relative to rip */
	return op[1] >> 6 <= 1 && (op[1] & 7) != X86_RSP && op[1] != 0x25;
}

struct text {
	const uint8_t *bytes;
	size_t n;
	uint64_t vaddr;
};

static uint32_t count_dispatches(const struct unwind_function *f, const struct text *text)
{
	struct x86_step step;
	uint32_t count = 0;
	for (uint64_t at = f->start; at < f->end; at += step.bytes) {
		const uint8_t *p = text->bytes + (at - text->vaddr);
		if (!x86_step_decode(p, (size_t)(f->end - at), at, false, &step))
			return 0;
		count += is_dispatch(p, &step);
	}
	return count;
}

static const struct unwind_function *find_instructions(const struct unwind_functions *functions, const struct text *text)
{
	const struct unwind_function *best = NULL;
	uint32_t most = JUMPS_MIN - 1;
	for (size_t i = 0; i < functions->list.len; i++) {
		const struct unwind_function *f = &functions->list.data[i];
		bool is_inside = f->start >= text->vaddr && f->end - text->vaddr <= text->n;
		uint32_t count = is_inside && f->end - f->start >= INSTRUCTIONS_BYTES_MIN ? count_dispatches(f, text) : 0;
		if (count > most) {
			most = count;
			best = f;
		}
	}
	return best;
}

/* The function that calls another. */
static const struct unwind_function *find_caller(const struct unwind_functions *functions, const struct text *text, uint64_t of)
{
	for (size_t at = 0; at + 5 <= text->n; at++) {
		int32_t distance;
		memcpy(&distance, text->bytes + at + 1, sizeof(distance));
		if (text->bytes[at] == 0xe8 && text->vaddr + at + 5 + (uint64_t)(int64_t)distance == of)
			return unwind_function_at(functions, text->vaddr + at);
	}
	return NULL;
}

static bool find_hidden_loop(struct object *o, struct interpreter *ret)
{
	const struct object_section *s = object_header(o)->arch == &arch_x86_64 ? object_find_section(o, ".text") : NULL;
	struct unwind_functions functions;
	struct text text = {};
	text.bytes = s ? object_section_raw(o, s, &text.n) : NULL;
	if (!text.bytes)
		return false;
	text.vaddr = s->addr;
	unwind_functions_of(o, NULL, &functions);
	const struct unwind_function *f = find_instructions(&functions, &text);
	f = f ? find_caller(&functions, &text, f->start) : NULL;
	if (f)
		ret->loop[0] = (struct interpreter_range){ f->start, f->end };
	vec_deinit(&functions.list);
	return f != NULL;
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

static bool find_context(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret)
{
	uint64_t at = symbols->of[INTERPRETER_RUBY].value;
	uint32_t index = symbols->index[INTERPRETER_RUBY];
	if (!symbols->of[INTERPRETER_RUBY].section)
		return find_hidden_context(o, &symbols->of[INTERPRETER_RUBY_THREAD], ret);
	ret->context.module = index ? find_module_word(o, index) : 0;
	ret->context.offset = (int64_t)at;
	return at <= PYTHON_OFFSET_MAX && (ret->context.module || find_in_program(o, at, &ret->context.offset));
}

void ruby_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret)
{
	size_t n;
	const char *version = object_bytes_at(o, symbols->of[INTERPRETER_RUBY_VERSION].value, &n);
	if (!version || n < 4 || !find_context(o, symbols, ret) || (!ret->loop[0].start && !find_hidden_loop(o, ret)))
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
