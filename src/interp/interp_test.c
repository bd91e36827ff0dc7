/* Lines against CPython's own results and hand-made tables, texts against UTF-8, tables against their input. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vector.h"
#include "interp/interpreter.h"
#include "interp/script_table.h"
#include "interp/script_text.h"
#include "interp/v8_lines.h"

/*
 * The tables that 3.8, 3.10, 3.11 and 3.13 made of
 *
 *	def f(a):
 *	    b = (a +
 *	         1)
 *	    for i in range(b):
 *	        b += i
 *	    return b
 *
 * and the results of dis.findlinestarts().
 */
static void lines_as_findlinestarts_has_them(void **state)
{
	static const struct {
		enum python_lines form;
		const char *bytes;
		size_t n;
		struct { uint32_t offset, line; } starts[8];
	} cases[] = {
		{ PYTHON_LINES_LNOTAB, /* 3.8 */
		  "\x00\x01\x02\x01\x02\xff\x04\x02\x0c\x01\x0a\x01",
		  12, { { 0, 2 }, { 2, 3 }, { 4, 2 }, { 8, 4 }, { 20, 5 }, { 30, 6 } } },
		{ PYTHON_LINES_LINETABLE, /* 3.10 */
		  "\x02\x01\x02\x01\x04\xff\x0c\x02\x0a\x01\x04\x01",
		  12, { { 0, 2 }, { 2, 3 }, { 4, 2 }, { 8, 4 }, { 20, 5 }, { 30, 6 } } },
		{ PYTHON_LINES_LOCATIONS, /* 3.11 */
		  "\x80\x00\xd8\x09\x0a\xd8\x09\x0a\xf1\x03\x01\x0a\x0b\x80\x41\xe5\x0d\x12\x90\x31\x89\x58\x8c\x58"
		  "\xf0\x00\x01\x05\x0f\xf0\x00\x01\x05\x0f\x88\x01\xd8\x08\x09\x88\x51\x89\x06\x88\x01\x88\x01\xd8"
		  "\x0b\x0c\x80\x48",
		  52, { { 0, 1 }, { 2, 2 }, { 4, 3 }, { 6, 2 }, { 12, 4 }, { 46, 5 }, { 58, 6 } } },
		{ PYTHON_LINES_LOCATIONS, /* 3.13 */
		  "\x80\x00\xd8\x09\x0a\xd8\x09\x0a\xf1\x03\x01\x0a\x0b\x80\x41\xe4\x0d\x12\x90\x31\x8e\x58\x88\x01"
		  "\xd8\x08\x09\x89\x06\x8a\x01\xf1\x03\x00\x0e\x16\xe0\x0b\x0c\x80\x48",
		  41, { { 0, 1 }, { 2, 2 }, { 4, 3 }, { 6, 2 }, { 12, 4 }, { 40, 5 }, { 52, 4 } } },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t j = 0; j < 8 && cases[i].starts[j].line; j++)
			assert_int_equal(python_line(cases[i].form, cases[i].bytes, cases[i].n, 1, cases[i].starts[j].offset),
					 cases[i].starts[j].line);
}

static void put_head(uint8_t *p, uint64_t length, uint32_t state)
{
	memset(p, 0, 72);
	memcpy(p + 16, &length, 8);
	memcpy(p + 32, &state, 4);
}

enum { COMPACT = 1 << 5, ASCII = 1 << 6 };

static void texts_of_each_width(void **state)
{
	const struct python_layout l = { .minor = 11, .text = 48, .text_compact = 72 };
	uint8_t p[128];
	char to[64];
	(void)state;
	put_head(p, 3, 1 << 2 | COMPACT | ASCII);
	memcpy(p + 48, "fib", 3);
	assert_true(python_text(&l, p, 51, to, sizeof(to)));
	assert_string_equal(to, "fib");
	put_head(p, 2, 1 << 2 | COMPACT);
	memcpy(p + 72, "x\xe9", 2);
	assert_true(python_text(&l, p, 74, to, sizeof(to)));
	assert_string_equal(to, "x\xc3\xa9");
	put_head(p, 2, 2 << 2 | COMPACT);
	memcpy(p + 72, (const uint16_t[]){ 0x20ac, 0xd800 }, 4);
	assert_true(python_text(&l, p, 76, to, sizeof(to)));
	assert_string_equal(to, "\xe2\x82\xac\xef\xbf\xbd");
	put_head(p, 1, 4 << 2 | COMPACT);
	memcpy(p + 72, (const uint32_t[]){ 0x1f40d }, 4);
	assert_true(python_text(&l, p, 76, to, sizeof(to)));
	assert_string_equal(to, "\xf0\x9f\x90\x8d");
}

/* As CPython lays objects out: a count of references, the address of the type, and a hash with a random seed are in their heads. */
static void texts_are_the_same_in_all_processes(void **state)
{
	const struct python_layout l = { .minor = 11, .text = 48, .text_compact = 72 };
	uint8_t a[128], b[128];
	(void)state;
	put_head(a, 3, 1 << 2 | COMPACT | ASCII);
	memcpy(a + 48, "fib", 3);
	memcpy(b, a, sizeof(b));
	memset(b, 0x5a, 16);
	memset(b + 24, 0xa5, 8);
	assert_int_not_equal(python_text_hash(&l, a, 51), 0);
	assert_int_equal(python_text_hash(&l, a, 51), python_text_hash(&l, b, 51));
	b[50] = 'c';
	assert_int_not_equal(python_text_hash(&l, a, 51), python_text_hash(&l, b, 51));
	put_head(b, 5, 1 << 2 | COMPACT | ASCII); /* a longer text that was cut to the same bytes */
	memcpy(b + 48, "fib", 3);
	assert_int_not_equal(python_text_hash(&l, a, 51), python_text_hash(&l, b, 51));
	assert_int_equal(python_text_hash(&l, a, 39), 0);
	put_head(b, 3, 1 << 2 | ASCII);
	assert_int_equal(python_text_hash(&l, b, 51), 0);
}

static void damaged_texts_have_none(void **state)
{
	const struct python_layout l = { .minor = 11, .text = 48, .text_compact = 72 };
	uint8_t p[128];
	char to[8];
	(void)state;
	put_head(p, UINT64_MAX, 1 << 2 | COMPACT | ASCII);
	memcpy(p + 48, "long and more", 13);
	assert_true(python_text(&l, p, 61, to, sizeof(to))); /* truncated */
	assert_true(strlen(to) < sizeof(to));
	assert_false(python_text(&l, p, 39, to, sizeof(to)));
	put_head(p, 3, 3 << 2 | COMPACT);
	assert_false(python_text(&l, p, 128, to, sizeof(to)));
	put_head(p, 3, 1 << 2 | ASCII);
	assert_false(python_text(&l, p, 128, to, sizeof(to)));
}

static void a_table_is_read_as_it_was_written(void **state)
{
	struct strbuf b = {};
	struct script_table t;
	struct script_code first = { .number = 7, .first_line = 3, .lines_form = PYTHON_LINES_LNOTAB, .name = "f", .name_bytes = 1,
				     .file = "/x.py", .file_bytes = 5, .lines = "\2\1", .lines_bytes = 2 };
	struct script_code second = first;
	(void)state;
	second.number = 2;
	second.name_bytes = 0;
	script_table_put_head(&b, 2);
	script_table_put(&b, &first);
	script_table_put(&b, &second);
	script_table_read(b.data, b.len, false, &t);
	assert_int_equal(t.list.len, 2);
	const struct script_code *found = script_table_find(&t, 7);
	assert_non_null(found);
	assert_memory_equal(found->file, "/x.py", 5);
	assert_int_equal(script_line(found, 0), 3);
	assert_int_equal(script_line(found, 2), 4);
	assert_null(script_table_find(&t, 3));
	script_table_deinit(&t);
	for (size_t n = 0; n < b.len; n++) { /* truncated anywhere: complete entries remain */
		script_table_read(b.data, n, false, &t);
		assert_true(t.list.len <= 1);
		script_table_deinit(&t);
	}
	script_table_put_head(&b, 1);
	first.number = 9;
	script_table_put(&b, &first);
	script_table_read(b.data, b.len, false, &t);
	assert_int_equal(t.list.len, 3);
	assert_non_null(script_table_find(&t, 9));
	script_table_deinit(&t);
	strbuf_deinit(&b);
}

/* Entries begin at these positions, with these lines, as marked by Ruby's compilers. */
struct ruby_code {
	uint8_t positions[48 + 80];
	uint32_t lines[8][3];
	uint32_t nr;
};

static void put_entry(struct ruby_code *c, uint32_t position, uint32_t line)
{
	uint64_t word;
	c->lines[c->nr++][0] = line;
	for (uint32_t p = position; p < 54; p++) { /* number of entries that begin at p or before */
		memcpy(&word, c->positions + p / 9 * 8, 8);
		word += 1ull << p % 9 * 7;
		memcpy(c->positions + p / 9 * 8, &word, 8);
	}
	if (position < 54) {
		uint32_t before;
		memcpy(&before, c->positions + 48, 4);
		before++;
		memcpy(c->positions + 48, &before, 4);
		return;
	}
	uint32_t piece = (position - 54) / 64, bit = (position - 54) % 64;
	memcpy(&word, c->positions + 64 + piece * 8, 8);
	word |= 1ull << bit;
	memcpy(c->positions + 64 + piece * 8, &word, 8);
	memcpy(&word, c->positions + 56, 8);
	for (uint32_t later = piece + 1; later < 8; later++)
		word += 1ull << (later - 1) * 9;
	memcpy(c->positions + 56, &word, 8);
}

static uint32_t ruby_line(const struct strbuf *lines, uint32_t position)
{
	return python_line(PYTHON_LINES_LNOTAB, lines->data, lines->len, 7, position);
}

static void lines_of_ruby(void **state)
{
	static const struct {
		uint32_t position, line;
	} entries[] = { { 0, 8 }, { 3, 9 }, { 20, 8 }, { 53, 300 }, { 60, 12 }, { 130, 13 } };
	struct ruby_code c = {};
	struct strbuf lines = {};
	(void)state;
	for (size_t i = 0; i < 6; i++)
		put_entry(&c, entries[i].position, entries[i].line);
	struct ruby_lines r = { .positions = c.positions, .positions_bytes = sizeof(c.positions), .lines = c.lines,
				.lines_bytes = c.nr * 12, .size = 400, .lines_nr = c.nr, .first_line = 7 };
	ruby_lines_convert(&r, &lines);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(ruby_line(&lines, entries[i].position), entries[i].line);
		if (i)
			assert_int_equal(ruby_line(&lines, entries[i].position - 1), entries[i - 1].line);
	}
	assert_int_equal(ruby_line(&lines, 399), 13);
	strbuf_reset(&lines);
	r.lines_bytes = 4 * 12; /* truncated: the others have the first line */
	ruby_lines_convert(&r, &lines);
	assert_int_equal(ruby_line(&lines, 55), 300);
	assert_int_equal(ruby_line(&lines, 61), 7);
	strbuf_reset(&lines);
	r.lines_nr = 1; /* a single line for all positions */
	ruby_lines_convert(&r, &lines);
	assert_int_equal(ruby_line(&lines, 300), 8);
	strbuf_deinit(&lines);
}

static void check_name(enum script_kind kind, uint32_t form, const char *owner, const char *name, const char *file, const char *expected)
{
	char to[64];
	struct script_parts p = { .kind = kind, .form = form, .name = { name, strlen(name) }, .owner = { owner, strlen(owner) },
				  .file = { file, strlen(file) } };
	assert_int_equal(script_name(&p, to, sizeof(to)), *expected != 0);
	assert_string_equal(to, expected);
}

static void names_of_code(void **state)
{
	(void)state;
	check_name(SCRIPT_PHP, PHP_FORM_SCRIPT, "", "fib", "/x.php", "fib");
	check_name(SCRIPT_PHP, PHP_FORM_SCRIPT, "Key", "of", "/x.php", "Key::of");
	check_name(SCRIPT_PHP, PHP_FORM_SCRIPT, "", "", "/x.php", "{main}");
	check_name(SCRIPT_RUBY, 0, "", "block in caf\xc3\xa9", "/x.rb", "block in caf\xc3\xa9");
	check_name(SCRIPT_RUBY, 0, "", "caf\xe9", "/x.rb", "caf\xef\xbf\xbd");
	check_name(SCRIPT_RUBY, 0, "", "", "/x.rb", "");
	check_name(SCRIPT_PERL, PERL_FORM_SUB, "Key", "of", "x.pl", "Key::of");
	check_name(SCRIPT_PERL, PERL_FORM_FILE, "", "", "/usr/share/perl/5.36/Carp.pm", "(require)");
	check_name(SCRIPT_PERL, PERL_FORM_FILE, "", "", "(eval 12)", "(eval)");
	check_name(SCRIPT_PERL, PERL_FORM_MAIN, "", "", "x.pl", "(main)");
	check_name(SCRIPT_RUBY, 0, "", "a name of more than there is room for, which is cut at its end", "",
		   "a name of more than there is room for, which is cut at its e");
}

struct memory {
	uint8_t at[256];
};

static bool read_memory(void *ctx, uint64_t at, void *to, size_t n)
{
	const struct memory *m = ctx;
	if (at > sizeof(m->at) || sizeof(m->at) - at < n)
		return false;
	memcpy(to, m->at + at, n);
	return true;
}

static void put_bytes(struct memory *m, size_t at, uint64_t v, size_t n)
{
	memcpy(m->at + at, (const uint8_t *)&v + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(v) - n : 0), n);
}

/* A V8 string: its map, with its type, is at offset 64; pointers are tagged. */
static void put_string(struct memory *m, size_t at, uint16_t type, uint32_t units, uint64_t word)
{
	put_bytes(m, at, at + 64 + 1, 8);
	put_bytes(m, at + 64 + 12, type, 2);
	put_bytes(m, at + 12, units, 4);
	put_bytes(m, at + 16, word, 8);
}

static void check_ends(const struct v8_line_ends *ends, const uint32_t *expected, size_t n)
{
	assert_int_equal(ends->len, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ends->data[i], expected[i]);
}

static void lines_of_v8(void **state)
{
	(void)state;
	static const struct v8_layout layout = { .map_type = 12, .string_length = 12, .string_chars = 16, .external_data = 24 };
	static const char source[] = "f\n\xf0\x9f\x98\x80\r\ng\rh\xe2\x80\xa8";
	static const uint32_t of_text[] = { 1, 5, 7, 9 }, of_string[] = { 1, 4 };
	/*
	 * V8's table for "a
	 * b\r
	 * c", where f() is called at bytecode 3, position 2, and 9, position 5; the first entry is the function's
	 */
	static const uint8_t positions[] = { 0x01, 0x04, 0x08, 0x08, 0x0c, 0x0c };
	struct v8_line_ends ends = {};
	struct memory m = {};
	struct interp_memory memory = { read_memory, &m };
	struct strbuf lines = {};
	/* a character of the text has two UTF-16 units */
	assert_true(v8_line_ends_of_text(source, sizeof(source) - 1, 10, &ends));
	check_ends(&ends, of_text, 4);
	vec_clear(&ends);
	assert_false(v8_line_ends_of_text(source, sizeof(source) - 1, 11, &ends));
	assert_int_equal(ends.len, 0);
	/* a thin string refers to a flat one */
	put_string(&m, 0, 5, 6, 128 + 1);
	put_string(&m, 128, 8, 6, 0);
	memcpy(m.at + 128 + 16, "a\nb\r\nc", 6);
	assert_true(v8_line_ends_of_string(&memory, &layout, 1, 6, &ends));
	check_ends(&ends, of_string, 2);
	assert_int_equal(v8_line_of(&ends, 0), 1);
	assert_int_equal(v8_line_of(&ends, 1), 1);
	assert_int_equal(v8_line_of(&ends, 2), 2);
	assert_int_equal(v8_line_of(&ends, 5), 3);
	v8_lines_convert(positions, sizeof(positions), &ends, 1, &lines);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, 1, 0), 1);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, 1, 2 + V8_BYTECODE_AT), 1);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, 1, 3 + V8_BYTECODE_AT), 2);
	assert_int_equal(python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, 1, 9 + V8_BYTECODE_AT), 3);
	/* the memory now has another string */
	vec_clear(&ends);
	assert_false(v8_line_ends_of_string(&memory, &layout, 1, 7, &ends));
	assert_int_equal(ends.len, 0);
	/* refers to itself */
	put_string(&m, 0, 5, 6, 1);
	assert_false(v8_line_ends_of_string(&memory, &layout, 1, 6, &ends));
	vec_deinit(&ends);
	strbuf_deinit(&lines);
}

static void names_of_v8(void **state)
{
	(void)state;
	char to[64];
	check_name(SCRIPT_V8, 0, "", "caf\xe9", "/x.js", "caf\xc3\xa9");
	check_name(SCRIPT_V8, 0, "", "", "/x.js", "(anonymous)");
	struct script_parts p = { .kind = SCRIPT_V8, .form = V8_FORM_WIDE_NAME, .name = { "f\0\xac\x20\0\xd8!", 7 },
				  .file = { "file:///a/x.mjs", 15 } };
	assert_true(script_name(&p, to, sizeof(to)));
	assert_string_equal(to, "f\xe2\x82\xac\xef\xbf\xbd");
	assert_true(script_file(&p, to, sizeof(to)));
	assert_string_equal(to, "/a/x.mjs");
}

/* The tables of a virtual machine whose structures are all of 8 bytes a field, in the order of `hotspot_fields`. */
static const char *const hotspot_fields[][2] = {
	{ "CodeBlob", "_name" },	   { "CodeBlob", "_frame_size" },      { "CodeBlob", "_frame_complete_offset" },
	{ "CodeBlob", "_code_offset" },	   { "nmethod", "_method" },	       { "Method", "_constMethod" },
	{ "ConstMethod", "_constants" },   { "ConstMethod", "_flags._flags" }, { "ConstMethod", "_code_size" },
	{ "ConstMethod", "_name_index" },  { "ConstantPool", "_pool_holder" }, { "ConstantPool", "_source_file_name_index" },
	{ "Klass", "_name" },		   { "Symbol", "_length" },	       { "Symbol", "_body" },
	{ "CodeHeap", "_memory" },	   { "CodeHeap", "_segmap" },	       { "CodeHeap", "_log2_segment_size" },
	{ "VirtualSpace", "_low_boundary" }, { "VirtualSpace", "_high_boundary" }, { "GrowableArrayBase", "_len" },
	{ "GrowableArray<int>", "_data" }, { "CodeCache", "_heaps" },	       { "Abstract_VM_Version", "_vm_major_version" },
};
enum {
	HOTSPOT_ENTRIES = 256,
	HOTSPOT_ENTRY = 40,
	HOTSPOT_TEXTS = 2048,
	HOTSPOT_HEAP = 8000,
	HOTSPOT_VARIABLES = 9000,
	HOTSPOT_BYTES = 10000,
};

struct hotspot_memory {
	uint8_t at[HOTSPOT_BYTES];
	size_t texts;
};

static bool read_hotspot_memory(void *ctx, uint64_t at, void *to, size_t n)
{
	const struct hotspot_memory *m = ctx;
	if (at > sizeof(m->at) || sizeof(m->at) - at < n)
		return false;
	memcpy(to, m->at + at, n);
	return true;
}

static void put_hotspot_word(struct hotspot_memory *m, size_t at, uint64_t word)
{
	memcpy(m->at + at, &word, sizeof(word));
}

static uint64_t put_hotspot_text(struct hotspot_memory *m, const char *text)
{
	size_t at = m->texts;
	memcpy(m->at + at, text, strlen(text) + 1);
	m->texts += 64;
	return at;
}

/* Entries: type, field, form, offset, address. */
static void fill_hotspot(struct hotspot_memory *m, const char *complete_form)
{
	static const uint64_t values[HOTSPOT_SYMBOLS] = { HOTSPOT_ENTRIES, HOTSPOT_ENTRY, 0, 8, 16, 24, 32, 1500, 16, 0, 8 };
	const char *const types[] = { "HeapBlock", "ConstMethod", "ConstantPool" };
	*m = (struct hotspot_memory){ .texts = HOTSPOT_TEXTS };
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		put_hotspot_word(m, 8 * (i + 1), values[i]);
	for (size_t i = 0; i < sizeof(hotspot_fields) / sizeof(*hotspot_fields); i++) {
		size_t at = HOTSPOT_ENTRIES + i * HOTSPOT_ENTRY;
		put_hotspot_word(m, at, put_hotspot_text(m, hotspot_fields[i][0]));
		put_hotspot_word(m, at + 8, put_hotspot_text(m, hotspot_fields[i][1]));
		put_hotspot_word(m, at + 16, put_hotspot_text(m, complete_form));
		put_hotspot_word(m, at + 24, 8 * i);
		put_hotspot_word(m, at + 32, HOTSPOT_VARIABLES + 8 * i);
	}
	for (size_t i = 0; i < 3; i++) {
		put_hotspot_word(m, 1500 + 16 * i, put_hotspot_text(m, types[i]));
		put_hotspot_word(m, 1508 + 16 * i, 16 * (i + 1));
	}
	/* one heap: _memory at 120, _segmap at 128 overlap, as _low_boundary is at 144 and _high_boundary at 152 in each */
	put_hotspot_word(m, HOTSPOT_VARIABLES + 8 * 22, 7800); /* the array: _len at 160, _data at 168 */
	put_hotspot_word(m, HOTSPOT_VARIABLES + 8 * 23, 25);
	put_hotspot_word(m, 7800 + 160, 1);
	put_hotspot_word(m, 7800 + 168, 7990);
	put_hotspot_word(m, 7990, HOTSPOT_HEAP);
	put_hotspot_word(m, HOTSPOT_HEAP + 120 + 144, 0x10000);
	put_hotspot_word(m, HOTSPOT_HEAP + 128 + 144, 0x30000); /* high of the first, low of the map */
	put_hotspot_word(m, HOTSPOT_HEAP + 136, 7);
}

static void layout_of_hotspot(void **state)
{
	(void)state;
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip(); /* its tables of shorter fields are made in words */
	struct hotspot_memory m;
	struct interp_memory memory = { read_hotspot_memory, &m };
	struct hotspot_symbols symbols;
	struct hotspot_layout l;
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		symbols.of[i] = 8 * i + 4;
	fill_hotspot(&m, "int16_t");
	assert_true(hotspot_read(&memory, &symbols, 4, &l));
	assert_int_equal(l.blob_frame, 8);
	assert_true(l.code_is_offset && l.complete_is_short && l.has_no_null);
	assert_int_equal(l.symbol_text, 8 * 14);
	assert_int_equal(l.header_bytes, 16);
	assert_int_equal(l.pool_bytes, 48);
	assert_int_equal(l.heaps[0].low, 0x10000);
	assert_int_equal(l.heaps[0].bytes, 0x20000);
	assert_int_equal(l.heaps[0].segments, 0x30000);
	assert_int_equal(l.heaps[1].bytes, 0);
	assert_int_equal(l.segment_bits, 7);
	assert_int_equal(l.scopes_form, HOTSPOT_SCOPES_NONE); /* those fields are optional */
	fill_hotspot(&m, "int");
	assert_true(hotspot_read(&memory, &symbols, 4, &l));
	assert_false(l.complete_is_short);
	/* before its first heap */
	put_hotspot_word(&m, 7800 + 160, 0);
	assert_false(hotspot_read(&memory, &symbols, 4, &l));
	/* a field has another name */
	fill_hotspot(&m, "int");
	memcpy(m.at + HOTSPOT_TEXTS + 64, "_title", 7);
	assert_false(hotspot_read(&memory, &symbols, 4, &l));
	/* nothing is readable there */
	assert_false(hotspot_read(&memory, &symbols, 1 << 20, &l));
}

/* By CompressedLineNumberWriteStream: line 7 at 0, 8 at 5 (5 << 3 | 1), 300 at 6 (escaped), 299 at 9 (escaped). */
static void lines_of_hotspot(void **state)
{
	(void)state;
	/* zigzag numbers by UNSIGNED5: 2 for 1; 584 for 292 is 192 + 8 and 6 << 6; 6 for 3; 1 for -1 */
	static const uint8_t old[] = { 7, 41, 0xff, 2, 200, 6, 0xff, 6, 1, 0, 0xff, 1 };
	/* since 20 each byte is one more, of a highest of 190: 584 is 191 + 9 - 1 and 6 */
	static const uint8_t new[] = { 7, 41, 0xff, 3, 201, 7, 0xff, 7, 2, 0, 0xff, 1 };
	static const struct {
		uint32_t offset, line;
	} expected[] = { { 0, 7 }, { 4, 7 }, { 5, 8 }, { 6, 300 }, { 8, 300 }, { 9, 299 }, { 90, 299 } };
	for (int form = 0; form < 2; form++) {
		struct strbuf lines = {};
		assert_int_equal(hotspot_lines_convert(form ? new : old, sizeof(old), form, &lines), 7);
		for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
			assert_int_equal(python_line(PYTHON_LINES_LNOTAB, lines.data, lines.len, 7, expected[i].offset + V8_BYTECODE_AT),
					 expected[i].line);
		strbuf_deinit(&lines);
	}
	struct strbuf none = {};
	assert_int_equal(hotspot_lines_convert("\xff\xff", 2, false, &none), 0);
	assert_int_equal(hotspot_lines_convert("", 1, false, &none), 0);
	strbuf_deinit(&none);
}

static void names_of_hotspot(void **state)
{
	(void)state;
	check_name(SCRIPT_HOTSPOT, 0, "java/util/TreeMap$1", "<init>", "TreeMap.java", "java.util.TreeMap$1.<init>");
	check_name(SCRIPT_HOTSPOT, 0, "", "StubRoutines (1)", "", "StubRoutines (1)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_as_findlinestarts_has_them),
		cmocka_unit_test(texts_of_each_width),
		cmocka_unit_test(texts_are_the_same_in_all_processes),
		cmocka_unit_test(damaged_texts_have_none),
		cmocka_unit_test(a_table_is_read_as_it_was_written),
		cmocka_unit_test(lines_of_ruby),
		cmocka_unit_test(names_of_code),
		cmocka_unit_test(lines_of_v8),
		cmocka_unit_test(names_of_v8),
		cmocka_unit_test(layout_of_hotspot),
		cmocka_unit_test(lines_of_hotspot),
		cmocka_unit_test(names_of_hotspot),
	};
	return cmocka_run_group_tests_name("interp", tests, NULL, NULL);
}
