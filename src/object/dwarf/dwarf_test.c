/* Debug information that lies, made byte by byte; what honest files say is held to llvm-symbolizer (tests/oracle). */
#include "base/testing.h"

#include <elf.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "object/dwarf/dwarf.h"
#include "object/dwarf/const.h"
#include "object/dwarf/functions.h"
#include "object/testing_elf.h"

#define TEXT 0x1000u
#define TEXT_BYTES 0x100u

struct made {
	struct strbuf info, abbrev, line, aranges, str;
	struct object *object;
	struct dwarf *dwarf;
	struct dwarf_files files;
	uint8_t *file;
	bool has_units; /* more than one, whose lengths are set */
};

static void put(struct strbuf *b, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addch(b, (char)(value >> 8 * i));
}

static void put_bytes(struct strbuf *b, const uint8_t *bytes, size_t n)
{
	strbuf_add(b, bytes, n);
}
#define PUT(b, ...) put_bytes((b), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

enum { UNIT = 1, PLAIN, REFERRING, INLINED, NAMED };

/* The abbreviations of all tests: low_pc and high_pc (a length) of each, then what its name says. */
static void put_abbrevs(struct strbuf *b)
{
#define RANGE DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4
	PUT(b, UNIT, DW_TAG_compile_unit, 1, RANGE, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0);
	PUT(b, PLAIN, DW_TAG_subprogram, 0, RANGE, DW_AT_name, DW_FORM_string, 0, 0);
	PUT(b, REFERRING, DW_TAG_subprogram, 1, RANGE, DW_AT_abstract_origin, DW_FORM_ref4, 0, 0);
	PUT(b, INLINED, DW_TAG_inlined_subroutine, 1, RANGE, DW_AT_abstract_origin, DW_FORM_ref4, 0, 0);
	PUT(b, NAMED, DW_TAG_subprogram, 0, RANGE, DW_AT_name, DW_FORM_indirect, 0, 0);
	PUT(b, 0);
}

static void put_range(struct strbuf *b, uint8_t abbrev, uint64_t low, uint32_t bytes)
{
	put(b, abbrev, 1);
	put(b, low, 8);
	put(b, bytes, 4);
}

/* Header and root; its length is set by finish(). Version 4, offsets of 4 bytes. */
static struct made begin(uint32_t abbrev_offset, uint32_t line_offset)
{
	struct made m = {};
	put(&m.info, 0, 4);
	put(&m.info, 4, 2);
	put(&m.info, abbrev_offset, 4);
	put(&m.info, 8, 1);
	put_range(&m.info, UNIT, TEXT, TEXT_BYTES);
	put(&m.info, line_offset, 4);
	return m;
}

static struct made begin_with_abbrevs(uint32_t abbrev_offset, uint32_t line_offset)
{
	struct made m = begin(abbrev_offset, line_offset);
	put_abbrevs(&m.abbrev);
	return m;
}

/* A length is before all that it counts. */
static void set_length(struct strbuf *b)
{
	uint32_t length = htole32((uint32_t)b->len - 4);
	memcpy(b->data, &length, 4);
}

/* Ends the unit and puts another after it, which is freed. */
static void append_unit(struct made *m, struct made *next)
{
	PUT(&next->info, 0);
	if (!m->has_units) {
		PUT(&m->info, 0);
		set_length(&m->info);
	}
	m->has_units = true;
	set_length(&next->info);
	strbuf_add(&m->info, next->info.data, next->info.len);
	strbuf_deinit(&next->info);
}

/* The bytes of the whole file, owned by the caller. */
static uint8_t *make_file(struct made *m, size_t *ret_bytes)
{
	static const uint8_t text[TEXT_BYTES];
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	if (!m->has_units)
		set_length(&m->info);
	uint32_t s = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text, sizeof(text));
	elf_load_section(&b, s, PF_R | PF_X);
	elf_add_section(&b, ".debug_info", SHT_PROGBITS, 0, 0, m->info.data, m->info.len);
	elf_add_section(&b, ".debug_abbrev", SHT_PROGBITS, 0, 0, m->abbrev.data, m->abbrev.len);
	if (m->line.len)
		elf_add_section(&b, ".debug_line", SHT_PROGBITS, 0, 0, m->line.data, m->line.len);
	if (m->aranges.len)
		elf_add_section(&b, ".debug_aranges", SHT_PROGBITS, 0, 0, m->aranges.data, m->aranges.len);
	if (m->str.len)
		elf_add_section(&b, ".debug_str", SHT_PROGBITS, 0, 0, m->str.data, m->str.len);
	return elf_finish(&b, ret_bytes);
}

static void finish(struct made *m)
{
	size_t bytes;
	m->file = make_file(m, &bytes);
	assert_ok(object_open_memory(m->file, bytes, "made", &m->object));
	m->dwarf = dwarf_create(m->object, (struct dwarf_files){});
	assert_non_null(m->dwarf);
}

static void discard(struct made *m)
{
	dwarf_destroy(m->dwarf);
	object_close(m->object);
	free(m->file);
	strbuf_deinit(&m->info);
	strbuf_deinit(&m->abbrev);
	strbuf_deinit(&m->line);
	strbuf_deinit(&m->aranges);
	strbuf_deinit(&m->str);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* As finish() has it, of a file on disk; is_replaced: its path is another's before names are looked for. */
static void finish_on_disk(struct made *m, bool is_replaced)
{
	char path[] = "/tmp/strobe-dwarf-XXXXXX", other[sizeof(path) + 2];
	size_t bytes;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	m->file = make_file(m, &bytes);
	write_file(path, m->file, bytes);
	assert_ok(object_open(path, &m->object));
	if (is_replaced) {
		snprintf(other, sizeof(other), "%s.2", path);
		memset(m->file, 'z', bytes);
		write_file(other, m->file, bytes);
		assert_int_equal(rename(other, path), 0);
	}
	m->dwarf = dwarf_create(m->object, m->files);
	assert_non_null(m->dwarf);
	unlink(path);
}

static void put_function_named_at(struct made *m, unsigned i, uint32_t offset)
{
	put_range(&m->info, NAMED, TEXT + 16 * i, 16);
	put(&m->info, DW_FORM_strp, 1);
	put(&m->info, offset, 4);
}

static const char *name_at(struct made *m, unsigned i)
{
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	assert_int_equal(dwarf_frames(m->dwarf, TEXT + 16 * i, f), 1);
	return f[0].name;
}

/* Names of a section of so many bytes: "first", one of 3000 bytes, one that reaches to the end, one without an end; and what is outside. */
static void check_names(size_t bytes, bool is_replaced)
{
	char longest[3000];
	memset(longest, 'n', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	for (int has_end = 0; has_end < 2; has_end++) {
		struct made m = begin_with_abbrevs(0, 0);
		strbuf_add(&m.str, "first", 6);
		strbuf_add(&m.str, longest, sizeof(longest));
		while (m.str.len < bytes - 5)
			strbuf_addch(&m.str, 0);
		strbuf_add(&m.str, has_end ? "last" : "last!", 5);
		const uint32_t offsets[] = { 0, 6, 3, (uint32_t)bytes - 5, (uint32_t)bytes, UINT32_MAX, (uint32_t)bytes - 1 };
		const char *names[] = { "first", longest, "st", has_end ? "last" : NULL, NULL, NULL, has_end ? "" : NULL };
		for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
			put_function_named_at(&m, i, offsets[i]);
		PUT(&m.info, 0);
		finish_on_disk(&m, is_replaced);
		for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
			const char *name = name_at(&m, i);
			assert_int_equal(!name, !names[i]);
			if (name)
				assert_string_equal(name, names[i]);
		}
		discard(&m);
	}
}

static void names_of_small_and_of_large_files(void **state)
{
	(void)state;
	check_names(4000, false);
	check_names(3 << 20, false);
	check_names(3 << 20, true);
}

struct kept {
	uint64_t place;
	char *text; /* of a name without a place */
};

struct keeper {
	struct kept all[8];
	size_t nr;
};

static const void *keep_text(void *ctx, const char *name)
{
	struct keeper *k = ctx;
	k->all[k->nr].text = strdup(name);
	return &k->all[k->nr++];
}

static const void *keep_place(void *ctx, uint64_t place)
{
	struct keeper *k = ctx;
	k->all[k->nr].place = place;
	return &k->all[k->nr++];
}

struct expected_names {
	const struct strbuf *str;
	const uint64_t *places;
	size_t nr; /* that came */
};

static void expect_name(void *ctx, size_t i, const char *name, size_t bytes)
{
	struct expected_names *e = ctx;
	assert_int_equal(i, e->nr++);
	assert_non_null(name);
	assert_int_equal(bytes, strlen(e->str->data + e->places[i]));
	assert_memory_equal(name, e->str->data + e->places[i], bytes + 1);
}

/* Of a section of names: one after the other, a gap, more than are read at once, some longer than that, and the last. */
static size_t put_names(struct strbuf *str, uint64_t *places)
{
	static const struct {
		unsigned names, bytes, gap;
	} runs[] = { { 3000, 50, 0 }, { 2, 3000, 300000 }, { 200, 700, 5000 }, { 3, 70000, 0 }, { 1000, 1, 0 }, { 1, 20, 20000 } };
	size_t n = 0;
	for (size_t r = 0; r < sizeof(runs) / sizeof(*runs); r++)
		for (unsigned i = 0; i < runs[r].names; i++) {
			for (unsigned j = 0; j < runs[r].gap; j++)
				strbuf_addch(str, 'x');
			places[n++] = str->len;
			for (unsigned j = 0; j < runs[r].bytes; j++)
				strbuf_addch(str, (char)('a' + (n + j) % 26));
			strbuf_addch(str, 0);
		}
	return n;
}

static void nothing_is_read(void *ctx, size_t i, const char *name, size_t bytes)
{
	(void)i;
	assert_null(name);
	assert_int_equal(bytes, 0);
	++*(unsigned *)ctx;
}

static void names_by_their_places(void **state)
{
	(void)state;
	uint64_t places[5000];
	struct keeper keeper = {};
	struct made m = begin_with_abbrevs(0, 0);
	m.files = (struct dwarf_files){ .keep_name = keep_text, .keep_place = keep_place, .ctx = &keeper };
	size_t n = put_names(&m.str, places);
	put_function_named_at(&m, 0, (uint32_t)places[7]);
	put_range(&m.info, PLAIN, TEXT + 16, 16);
	PUT(&m.info, 'i', 'n', 0, 0);
	finish_on_disk(&m, false);
	for (unsigned i = 0; i < 2; i++) {
		struct dwarf_frame f[DWARF_FRAMES_MAX];
		assert_int_equal(dwarf_functions(m.dwarf, TEXT + 16 * i, f), 1);
		assert_null(f[0].name);
		assert_ptr_equal(f[0].kept, &keeper.all[i]);
	}
	assert_int_equal(keeper.all[0].place, places[7]);
	assert_string_equal(keeper.all[1].text, "in");
	free(keeper.all[1].text);
	/* they are read when the rest is gone */
	struct dwarf_strings strings = dwarf_take_strings(m.dwarf);
	struct expected_names e = { &m.str, places, 0 };
	dwarf_destroy(m.dwarf);
	m.dwarf = NULL;
	dwarf_read_names(&strings, places, n, expect_name, &e);
	assert_int_equal(e.nr, n);
	unsigned missed = 0;
	const uint64_t outside[] = { strings.bytes, strings.bytes + 1, UINT64_MAX };
	dwarf_read_names(&strings, outside, 3, nothing_is_read, &missed);
	assert_int_equal(missed, 3);
	close(strings.fd);
	discard(&m);
}

/* ---- code by name ---- */

#define CODES_MAX 8

struct codes {
	const char *name;
	uint64_t entries[CODES_MAX];
	size_t n;
};

static bool is_name(void *ctx, const char *name)
{
	const struct codes *c = ctx;
	return !strcmp(name, c->name);
}

static void take_entry(void *ctx, const struct dwarf_code *code)
{
	struct codes *c = ctx;
	assert_in_range(c->n, 0, CODES_MAX - 1);
	c->entries[c->n++] = code->entry;
}

/* Functions at these places of the text: found by their name, and by looking at each. */
static void expect_code(struct made *m, const char *name, size_t n, const unsigned *places)
{
	struct codes by_name = { .name = name }, all = { .name = name };
	dwarf_each_code(m->dwarf, name, is_name, take_entry, &by_name);
	dwarf_each_code(m->dwarf, NULL, is_name, take_entry, &all);
	assert_int_equal(by_name.n, n);
	assert_int_equal(all.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(by_name.entries[i], TEXT + 16 * places[i]);
		assert_int_equal(all.entries[i], by_name.entries[i]);
	}
}
#define EXPECT_CODE(m, name, ...) \
	expect_code(m, name, sizeof((unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned), (const unsigned[]){ __VA_ARGS__ })

/*
 * A name that is a string of its own, the end of another, and among the attributes; a function of a unit with other abbreviations that has
 * its name from another unit.
 */
static void code_by_name(void **state)
{
	enum { FOREIGN = NAMED + 1 };
	(void)state;
	struct made m = begin_with_abbrevs(0, 0);
	strbuf_add(&m.str, "my_work\0work\0worker", 20);
	uint32_t origin = (uint32_t)m.info.len, foreign_table = (uint32_t)m.abbrev.len;
	put_function_named_at(&m, 0, 3); /* of my_work */
	put_function_named_at(&m, 1, 0);
	put_abbrevs(&m.abbrev);
	m.abbrev.len--; /* the table goes on */
	PUT(&m.abbrev, FOREIGN, DW_TAG_subprogram, 0, RANGE, DW_AT_abstract_origin, DW_FORM_ref_addr, 0, 0, 0);

	struct made next = begin(0, 0);
	put_function_named_at(&next, 2, 8);
	put_function_named_at(&next, 3, 13); /* worker */
	append_unit(&m, &next);
	next = begin(0, 0);
	put_range(&next.info, PLAIN, TEXT + 16 * 4, 16);
	strbuf_add(&next.info, "work", 5);
	append_unit(&m, &next);
	next = begin(foreign_table, 0);
	put_range(&next.info, FOREIGN, TEXT + 16 * 5, 16);
	put(&next.info, origin, 4);
	append_unit(&m, &next);

	finish(&m);
	EXPECT_CODE(&m, "work", 0, 2, 4, 5);
	EXPECT_CODE(&m, "my_work", 1);
	EXPECT_CODE(&m, "worker", 3);
	discard(&m);
}

static void names_that_lead_in_a_circle(void **state)
{
	(void)state;
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	struct made m = begin_with_abbrevs(0, 0);
	uint32_t own = (uint32_t)m.info.len;
	put_range(&m.info, REFERRING, TEXT, 16);
	put(&m.info, own, 4);
	/* two that refer to each other, one within the other */
	uint32_t inner = (uint32_t)m.info.len, other = inner + 17;
	put_range(&m.info, INLINED, TEXT, 8);
	put(&m.info, other, 4);
	put_range(&m.info, INLINED, TEXT, 4);
	put(&m.info, inner, 4);
	PUT(&m.info, 0, 0, 0);
	put_range(&m.info, PLAIN, TEXT + 16, 16);
	PUT(&m.info, 'g', 'o', 'o', 'd', 0, 0);
	finish(&m);
	assert_int_equal(dwarf_frames(m.dwarf, TEXT, f), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_null(f[i].name);
	/* the next function is none the worse */
	assert_int_equal(dwarf_frames(m.dwarf, TEXT + 16, f), 1);
	assert_string_equal(f[0].name, "good");
	discard(&m);
}

static void assert_depth(struct made *m, uint64_t addr, unsigned depth)
{
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	assert_int_equal(dwarf_frames(m->dwarf, addr, f), depth);
}

/* At 0 to 16 a function, in it at 0 to 8 a call, in which there is one at 4 to 8; at 8 to 12 another; one without code, with one at 12. */
static void what_is_expected_and_what_is_not(void **state)
{
	(void)state;
	static const unsigned depths[16] = { 2, 2, 2, 2, 3, 3, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1 };
	static const uint64_t all[] = { TEXT + 1, TEXT + 5, TEXT + 9, TEXT + 12, TEXT + 15 };
	for (unsigned first = 0; first < 5; first++)
		for (unsigned nr = 0; first + nr <= 5; nr++) {
			struct made m = begin_with_abbrevs(0, 0);
			uint32_t own = (uint32_t)m.info.len;
			put_range(&m.info, REFERRING, TEXT, 16);
			put(&m.info, own, 4);
			static const struct {
				unsigned at, bytes, ends;
			} calls[] = { { 0, 8, 0 }, { 4, 4, 2 }, { 8, 4, 1 }, { 12, 0, 0 }, { 12, 1, 3 } };
			for (unsigned i = 0; i < 5; i++) {
				put_range(&m.info, INLINED, TEXT + calls[i].at, calls[i].bytes);
				put(&m.info, own, 4);
				put(&m.info, 0, calls[i].ends);
			}
			PUT(&m.info, 0);
			m.files = (struct dwarf_files){ .expected = all + first, .expected_nr = nr };
			finish_on_disk(&m, false);
			for (unsigned i = 0; i < nr; i++)
				assert_depth(&m, all[first + i], depths[all[first + i] - TEXT]);
			for (unsigned i = 0; i < 16; i++)
				assert_depth(&m, TEXT + i, depths[i]);
			discard(&m);
		}
}

static void offsets_outside(void **state)
{
	(void)state;
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	struct made m = begin_with_abbrevs(0, 0x7fffffff);
	put_range(&m.info, REFERRING, TEXT, 16);
	put(&m.info, 0xfffffff0, 4);
	PUT(&m.info, 0, 0);
	finish(&m);
	assert_int_equal(dwarf_frames(m.dwarf, TEXT + 1, f), 1);
	assert_null(f[0].name);
	assert_null(f[0].file);
	assert_false(dwarf_line(m.dwarf, TEXT + 1, f));
	discard(&m);

	/* abbreviations that are nowhere: the unit cannot be read */
	m = begin_with_abbrevs(0x10000, 0);
	finish(&m);
	assert_int_equal(dwarf_frames(m.dwarf, TEXT, f), 0);
	discard(&m);
}

static void abbreviations_without_end(void **state)
{
	(void)state;
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	struct made m = begin(0, 0);
	/* the same code again and again, and no zero at the end */
	for (int i = 0; i < 20000; i++)
		PUT(&m.abbrev, UNIT, DW_TAG_compile_unit, 1, RANGE, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0);
	PUT(&m.info, 0);
	finish(&m);
	assert_int_equal(dwarf_frames(m.dwarf, TEXT, f), 0);
	discard(&m);
}

#define LONG_TABLE 20000
#define ENTRY_BYTES 8 /* of its entries */

/* Units of a long table, each one's beginning so many bytes after the last one's. */
static void look_up_in_long_table(uint32_t step)
{
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	struct made m = begin(0, 0);
	for (unsigned i = 1; i < LONG_TABLE; i++) {
		put(&m.abbrev, 0x4080u | (i & 0x7f) | (i << 1 & 0x7f00), 2); /* LEB128, of two bytes */
		PUT(&m.abbrev, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0, 0);
	}
	put_abbrevs(&m.abbrev);
	for (uint32_t i = 0; i < 3 * LONG_TABLE; i++) {
		struct made next = begin(i % LONG_TABLE * step, 0);
		append_unit(&m, &next);
	}
	finish(&m);
	dwarf_frames(m.dwarf, TEXT, f);
	discard(&m);
}

/* Thirty seconds, were the table read again for each unit. */
static void many_units_of_one_long_table(void **state)
{
	(void)state;
	look_up_in_long_table(0);
}

/* The same, and gigabytes, were each kept that is a part of another. */
static void long_tables_that_overlap(void **state)
{
	(void)state;
	look_up_in_long_table(ENTRY_BYTES);
}

/* Attributes that take no bytes: a list of them as long as the file, for each byte of another section. */
static void attributes_without_end(void **state)
{
	(void)state;
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	struct made m = begin_with_abbrevs(0, 0);
	m.abbrev.len--; /* its zero */
	PUT(&m.abbrev, NAMED + 1, DW_TAG_subprogram, 0);
	for (int i = 0; i < 200000; i++)
		PUT(&m.abbrev, DW_AT_call_line, DW_FORM_flag_present);
	PUT(&m.abbrev, 0, 0, 0);
	for (int i = 0; i < 200000; i++)
		PUT(&m.info, NAMED + 1);
	PUT(&m.info, 0);
	finish(&m);
	dwarf_frames(m.dwarf, TEXT, f);
	discard(&m);
}

static void nesting_without_end(void **state)
{
	(void)state;
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	struct made m = begin_with_abbrevs(0, 0);
	uint32_t own = (uint32_t)m.info.len;
	put_range(&m.info, REFERRING, TEXT, 16);
	put(&m.info, own, 4);
	for (int i = 0; i < 100000; i++) {
		put_range(&m.info, INLINED, TEXT, 16);
		put(&m.info, own, 4);
	}
	finish(&m);
	assert_in_range(dwarf_frames(m.dwarf, TEXT, f), 1, DWARF_FRAMES_MAX);
	discard(&m);
}

static void forms_that_name_themselves(void **state)
{
	(void)state;
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	struct made m = begin_with_abbrevs(0, 0);
	put_range(&m.info, NAMED, TEXT, 16);
	for (int i = 0; i < 100000; i++)
		put(&m.info, DW_FORM_indirect, 1);
	PUT(&m.info, DW_FORM_string, 'x', 0, 0);
	finish(&m);
	assert_in_range(dwarf_frames(m.dwarf, TEXT, f), 0, 1);
	discard(&m);
}

/* A header of version 4 with one file; the program follows. */
static void put_line_header(struct strbuf *b, uint32_t length, uint8_t minimum, uint8_t range, uint8_t opcode_base)
{
	put(b, length, 4);
	put(b, 4, 2);
	put(b, 6u + (opcode_base ? opcode_base - 1u : 0) + 9, 4); /* up to the program */
	PUT(b, minimum, 1, 1, (uint8_t)-5, range, opcode_base);
	static const uint8_t operands[12] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	put_bytes(b, operands, opcode_base ? opcode_base - 1u : 0);
	PUT(b, 0, 'a', '.', 'c', 0, 0, 0, 0, 0);
}

static void put_set_address(struct strbuf *b, uint64_t addr)
{
	PUT(b, 0, 9, DW_LNE_set_address);
	put(b, addr, 8);
}

/* What a line program makes of an address: its line, or 0. */
static uint32_t line_at(struct strbuf *program, uint64_t addr)
{
	struct dwarf_frame f;
	struct made m = begin_with_abbrevs(0, 0);
	PUT(&m.info, 0);
	m.line = *program;
	*program = (struct strbuf){};
	finish(&m);
	bool found = dwarf_line(m.dwarf, addr, &f);
	discard(&m);
	return found ? f.line : 0;
}

static void line_programs_that_do_not_end(void **state)
{
	(void)state;
	struct strbuf b = {};
	/* Honest: line 8 from TEXT on for 4 bytes. */
	put_line_header(&b, 0, 1, 14, 13);
	put_set_address(&b, TEXT);
	PUT(&b, DW_LNS_advance_line, 7, DW_LNS_copy, DW_LNS_advance_pc, 4, 0, 1, DW_LNE_end_sequence);
	set_length(&b);
	assert_int_equal(line_at(&b, TEXT + 3), 8);

	/* No special opcode moves: a division by zero, were it done. */
	put_line_header(&b, 0, 1, 0, 13);
	put_set_address(&b, TEXT);
	PUT(&b, 200, 200, DW_LNS_const_add_pc, DW_LNS_copy, DW_LNS_advance_pc, 4, 0, 1, DW_LNE_end_sequence);
	set_length(&b);
	line_at(&b, TEXT);

	/* A million rows at one address, round the address space and back, and no end of the sequence. */
	put_line_header(&b, 0, 0, 14, 13);
	put_set_address(&b, TEXT);
	for (int i = 0; i < 1000000; i++)
		put(&b, i % 3 ? DW_LNS_copy : 250, 1);
	PUT(&b, DW_LNS_advance_pc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, DW_LNS_copy);
	set_length(&b);
	line_at(&b, TEXT);

	/* Lengths that lie: of the whole, of an extended opcode, of the header. */
	put_line_header(&b, 0x7fffffff, 1, 14, 13);
	assert_int_equal(line_at(&b, TEXT), 0);
	put_line_header(&b, 0, 1, 14, 13);
	PUT(&b, 0, 0xff, 0xff, 0x7f, DW_LNE_set_address);
	set_length(&b);
	assert_int_equal(line_at(&b, TEXT), 0);
	put_line_header(&b, 0, 1, 14, 0);
	PUT(&b, 1, 1, 1);
	set_length(&b);
	line_at(&b, TEXT);
}

/* A set of .debug_aranges: n times the same stretch, said to be of the unit at an offset. */
static void put_aranges(struct strbuf *b, uint32_t unit, uint64_t start, uint64_t bytes, unsigned n)
{
	put(b, 2 + 4 + 2 + 4 + 16 * ((uint64_t)n + 1), 4);
	put(b, 2, 2);
	put(b, unit, 4);
	PUT(b, 8, 0, 0, 0, 0, 0); /* sizes of an address and of a segment, and what fills up to a multiple of 16 */
	for (unsigned i = 0; i < n; i++) {
		put(b, start, 8);
		put(b, bytes, 8);
	}
	put(b, 0, 8);
	put(b, 0, 8);
}

static void expect_good(struct made *m)
{
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	put_range(&m->info, PLAIN, TEXT + 16, 16);
	PUT(&m->info, 'g', 'o', 'o', 'd', 0, 0);
	finish(m);
	assert_int_equal(dwarf_frames(m->dwarf, TEXT + 20, f), 1);
	assert_string_equal(f[0].name, "good");
	assert_int_equal(dwarf_frames(m->dwarf, TEXT + 40, f), 0);
	discard(m);
}

/* .debug_aranges is believed where its unit knows the address; where it does not, or says nothing, the roots of all units count. */
static void ranges_that_lie(void **state)
{
	(void)state;
	struct made m = begin_with_abbrevs(0, 0);
	put_aranges(&m.aranges, 0, TEXT, TEXT_BYTES, 1);
	expect_good(&m);

	m = begin_with_abbrevs(0, 0);
	put_aranges(&m.aranges, 0, TEXT + 0x80, 16, 1); /* leaves out where the function is */
	expect_good(&m);

	m = begin_with_abbrevs(0, 0);
	put_aranges(&m.aranges, 0x5555, TEXT, TEXT_BYTES, 1); /* no unit begins there */
	put_aranges(&m.aranges, 0, 0x900000, 16, 1);          /* no code is there */
	expect_good(&m);

	m = begin_with_abbrevs(0, 0);
	put_aranges(&m.aranges, 0, TEXT, TEXT_BYTES, 1);
	m.aranges.data[0] = 0x7f; /* longer than the section */
	expect_good(&m);

	/* each address would lead through all of them */
	m = begin_with_abbrevs(0, 0);
	put_aranges(&m.aranges, 0, TEXT, TEXT_BYTES, 100000);
	put_range(&m.info, PLAIN, TEXT, 16);
	PUT(&m.info, 'f', 0, 0);
	finish(&m);
	struct dwarf_frame f[DWARF_FRAMES_MAX];
	for (unsigned i = 0; i < 20000; i++)
		assert_int_equal(dwarf_frames(m.dwarf, TEXT + 32 + i % 64, f), 0);
	assert_int_equal(dwarf_frames(m.dwarf, TEXT, f), 1);
	discard(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_small_and_of_large_files),
		cmocka_unit_test(names_by_their_places),
		cmocka_unit_test(code_by_name),
		cmocka_unit_test(ranges_that_lie),
		cmocka_unit_test(names_that_lead_in_a_circle),
		cmocka_unit_test(what_is_expected_and_what_is_not),
		cmocka_unit_test(offsets_outside),
		cmocka_unit_test(abbreviations_without_end),
		cmocka_unit_test(many_units_of_one_long_table),
		cmocka_unit_test(long_tables_that_overlap),
		cmocka_unit_test(attributes_without_end),
		cmocka_unit_test(nesting_without_end),
		cmocka_unit_test(forms_that_name_themselves),
		cmocka_unit_test(line_programs_that_do_not_end),
	};
	return cmocka_run_group_tests_name("dwarf", tests, NULL, NULL);
}
