/* Locations in hand-made debug information, against hand-computed results. */
#include "base/testing.h"

#include <elf.h>
#include <endian.h>
#include <stdlib.h>

#include "object/testing_elf.h"
#include "values/dwarf_location.h"
#include "values/dwarf_variables.h"
#include "values/expression.h"

#define TEXT 0x1000u
#define TEXT_BYTES 0x100u

static void put(struct strbuf *b, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addch(b, (char)(value >> 8 * i));
}

#define PUT(b, ...) strbuf_add((b), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

enum { UNIT = 1, FUNCTION, EXPRESSION, LIST, INDEXED, NUMBER, BASE };

static void put_abbrevs(struct strbuf *b)
{
	PUT(b, UNIT, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0x8c, 0x01 /* loclists_base */,
	    DW_FORM_sec_offset, 0, 0);
	PUT(b, FUNCTION, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_name, DW_FORM_string,
	    DW_AT_frame_base, DW_FORM_exprloc, 0, 0);
	PUT(b, EXPRESSION, DW_TAG_variable, 0, DW_AT_name, DW_FORM_string, DW_AT_location, DW_FORM_exprloc, 0, 0);
	PUT(b, LIST, DW_TAG_formal_parameter, 0, DW_AT_name, DW_FORM_string, DW_AT_location, DW_FORM_sec_offset, 0, 0);
	PUT(b, INDEXED, DW_TAG_formal_parameter, 0, DW_AT_name, DW_FORM_string, DW_AT_location, DW_FORM_loclistx, 0, 0);
	PUT(b, NUMBER, DW_TAG_variable, 0, DW_AT_name, DW_FORM_string, DW_AT_const_value, DW_FORM_sdata, 0, 0);
	PUT(b, BASE, DW_TAG_base_type, 0, DW_AT_encoding, DW_FORM_data1, DW_AT_byte_size, DW_FORM_data1, 0, 0);
	PUT(b, 0);
}

struct made {
	unsigned version;
	struct strbuf info, abbrev, lists;
	uint8_t *file;
	struct object *object;
	struct dwarf *dwarf;
	struct arena arena;
	uint32_t base_type; /* offset in the unit: 4 bytes, signed */
};

/* A unit with one function that covers all of the code, with the given frame base. */
static struct made begin(unsigned version, const uint8_t *frame_base, size_t n)
{
	struct made m = { .version = version };
	put(&m.info, 0, 4);
	put(&m.info, version, 2);
	if (version >= 5) {
		put(&m.info, DW_UT_compile, 1);
		put(&m.info, 8, 1);
		put(&m.info, 0, 4);
		/* the header of the lists, with one offset */
		put(&m.lists, 0, 4);
		PUT(&m.lists, 5, 0, 8, 0, 1, 0, 0, 0);
	} else {
		put(&m.info, 0, 4);
		put(&m.info, 8, 1);
	}
	PUT(&m.info, UNIT);
	put(&m.info, TEXT, 8);
	put(&m.info, TEXT_BYTES, 4);
	put(&m.info, 12, 4);
	m.base_type = (uint32_t)m.info.len;
	PUT(&m.info, BASE, DW_ATE_signed, 4);
	PUT(&m.info, FUNCTION);
	put(&m.info, TEXT, 8);
	put(&m.info, TEXT_BYTES, 4);
	strbuf_add(&m.info, "f", 2);
	PUT(&m.info, (uint8_t)n);
	strbuf_add(&m.info, frame_base, n);
	put_abbrevs(&m.abbrev);
	arena_init(&m.arena);
	return m;
}

static void add_variable(struct made *m, const char *name, const uint8_t *expression, size_t n)
{
	PUT(&m->info, EXPRESSION);
	strbuf_add(&m->info, name, strlen(name) + 1);
	PUT(&m->info, (uint8_t)n);
	strbuf_add(&m->info, expression, n);
}
#define VARIABLE(m, name, ...) add_variable((m), (name), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void finish(struct made *m)
{
	static const uint8_t text[TEXT_BYTES];
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	size_t bytes;
	PUT(&m->info, 0, 0);
	uint32_t length = htole32((uint32_t)m->info.len - 4);
	memcpy(m->info.data, &length, 4);
	uint32_t s = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text, sizeof(text));
	elf_load_section(&b, s, PF_R | PF_X);
	elf_add_section(&b, ".debug_info", SHT_PROGBITS, 0, 0, m->info.data, m->info.len);
	elf_add_section(&b, ".debug_abbrev", SHT_PROGBITS, 0, 0, m->abbrev.data, m->abbrev.len);
	if (m->lists.len)
		elf_add_section(&b, m->version >= 5 ? ".debug_loclists" : ".debug_loc", SHT_PROGBITS, 0, 0, m->lists.data, m->lists.len);
	m->file = elf_finish(&b, &bytes);
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
	strbuf_deinit(&m->lists);
	arena_deinit(&m->arena);
}

struct search {
	const char *name;
	struct dwarf_die found;
};

static bool match(void *ctx, const struct dwarf_variable *v)
{
	struct search *s = ctx;
	if (strcmp(v->name, s->name) != 0)
		return true;
	s->found = v->die;
	return false;
}

/* The CFA is register 7 plus 16. */
static bool known_cfa(void *ctx, uint64_t addr, uint8_t *ret_reg, int64_t *ret_offset, bool *ret_deref)
{
	(void)ctx, (void)addr;
	*ret_reg = 7;
	*ret_offset = 16;
	*ret_deref = false;
	return true;
}

static struct locations locate(struct made *m, const char *name, uint64_t addr)
{
	struct dwarf_die function;
	struct search s = { .name = name };
	assert_true(dwarf_die_of_function(m->dwarf, addr, &function));
	dwarf_each_variable(&function, addr, true, match, &s);
	assert_non_null(s.found.unit);
	struct dwarf_frame_facts facts = { &function, addr, addr == TEXT, known_cfa, NULL };
	return dwarf_locate(&s.found, &facts, &m->arena);
}

static struct location only(struct made *m, const char *name, uint64_t addr)
{
	struct locations l = locate(m, name, addr);
	assert_int_equal(l.nr, 1);
	assert_int_equal(l.pieces[0].bits, 0);
	return l.pieces[0].at;
}

static const uint8_t frame_cfa[] = { EXPRESSION_CALL_FRAME_CFA }, frame_rbp[] = { EXPRESSION_REG0 + 6 };

static void test_registers_and_memory(void **state)
{
	struct made m = begin(5, frame_cfa, sizeof(frame_cfa));
	VARIABLE(&m, "reg", EXPRESSION_REG0 + 3);
	VARIABLE(&m, "regx", EXPRESSION_REGX, 17);
	VARIABLE(&m, "mem", EXPRESSION_BREG0 + 5, 0x78 /* -8 */);
	VARIABLE(&m, "chain", EXPRESSION_BREG0 + 5, 8, EXPRESSION_DEREF, EXPRESSION_PLUS_UCONST, 24);
	VARIABLE(&m, "frame", EXPRESSION_FBREG, 0x70 /* -16 */);
	VARIABLE(&m, "static", EXPRESSION_ADDR, 0x34, 0x12, 0, 0, 0, 0, 0, 0);
	finish(&m);
	struct location l = only(&m, "reg", TEXT);
	assert_int_equal(l.kind, LOCATION_IN_REGISTER);
	assert_int_equal(l.reg, 3);
	assert_int_equal(only(&m, "regx", TEXT).reg, 17);
	l = only(&m, "mem", TEXT);
	assert_int_equal(l.kind, LOCATION_IN_MEMORY);
	assert_int_equal(l.reg, 5);
	assert_int_equal(l.offsets[0], -8);
	assert_int_equal(l.derefs, 0);
	l = only(&m, "chain", TEXT);
	assert_int_equal(l.derefs, 1);
	assert_int_equal(l.offsets[0], 8);
	assert_int_equal(l.offsets[1], 24);
	l = only(&m, "frame", TEXT); /* CFA - 16 = register 7 + 16 - 16 */
	assert_int_equal(l.kind, LOCATION_IN_MEMORY);
	assert_int_equal(l.reg, 7);
	assert_int_equal(l.offsets[0], 0);
	l = only(&m, "static", TEXT);
	assert_int_equal(l.base, LOCATION_OF_ADDRESS);
	assert_int_equal(l.start, 0x1234);
	discard(&m);
}

static void test_a_frame_base_that_is_a_register(void **state)
{
	struct made m = begin(4, frame_rbp, sizeof(frame_rbp));
	VARIABLE(&m, "v", EXPRESSION_FBREG, 0x6c /* -20 */);
	finish(&m);
	struct location l = only(&m, "v", TEXT + 9);
	assert_int_equal(l.kind, LOCATION_IN_MEMORY);
	assert_int_equal(l.reg, 6);
	assert_int_equal(l.offsets[0], -20);
	discard(&m);
}

static void test_values_that_are_computed(void **state)
{
	struct made m = begin(5, frame_cfa, sizeof(frame_cfa));
	VARIABLE(&m, "constant", EXPRESSION_LIT0 + 6, EXPRESSION_CONST1U, 7, EXPRESSION_MUL, EXPRESSION_STACK_VALUE);
	VARIABLE(&m, "copy", EXPRESSION_BREG0 + 3, 0, EXPRESSION_STACK_VALUE);
	VARIABLE(&m, "read", EXPRESSION_BREG0 + 3, 8, EXPRESSION_DEREF, EXPRESSION_STACK_VALUE);
	VARIABLE(&m, "sum", EXPRESSION_BREG0 + 3, 1, EXPRESSION_STACK_VALUE);
	VARIABLE(&m, "low", EXPRESSION_BREG0 + 3, 0, EXPRESSION_CONST4U, 0xff, 0xff, 0xff, 0xff, EXPRESSION_AND, EXPRESSION_STACK_VALUE);
	VARIABLE(&m, "widened", EXPRESSION_BREG0 + 3, 0, EXPRESSION_CONVERT, (uint8_t)m.base_type, EXPRESSION_STACK_VALUE);
	VARIABLE(&m, "product", EXPRESSION_BREG0 + 3, 0, EXPRESSION_BREG0 + 4, 0, EXPRESSION_MUL, EXPRESSION_STACK_VALUE);
	VARIABLE(&m, "bytes", EXPRESSION_IMPLICIT_VALUE, 3, 1, 2, 3);
	VARIABLE(&m, "nothing", EXPRESSION_IMPLICIT_POINTER, 0, 0, 0, 0, 0);
	VARIABLE(&m, "thread", EXPRESSION_CONST1U, 8, EXPRESSION_FORM_TLS_ADDRESS);
	VARIABLE(&m, "damaged", EXPRESSION_CONST4U, 1);
	finish(&m);
	struct location l = only(&m, "constant", TEXT);
	assert_int_equal(l.kind, LOCATION_IS_VALUE);
	assert_int_equal(l.base, LOCATION_OF_CONSTANT);
	assert_int_equal(l.start, 42);
	l = only(&m, "copy", TEXT);
	assert_int_equal(l.kind, LOCATION_IN_REGISTER);
	l = only(&m, "read", TEXT); /* the word at register 3 + 8 */
	assert_int_equal(l.kind, LOCATION_IN_MEMORY);
	assert_int_equal(l.derefs, 0);
	assert_int_equal(l.offsets[0], 8);
	l = only(&m, "sum", TEXT);
	assert_int_equal(l.kind, LOCATION_IS_VALUE);
	assert_int_equal(l.offsets[0], 1);
	assert_int_equal(only(&m, "low", TEXT).low_bytes, 4);
	assert_int_equal(only(&m, "widened", TEXT).low_bytes, 4);
	assert_int_equal(only(&m, "product", TEXT).lack, LOCATION_COMPUTED);
	l = only(&m, "bytes", TEXT);
	assert_int_equal(l.kind, LOCATION_IS_BYTES);
	assert_int_equal(l.bytes_nr, 3);
	assert_memory_equal(l.bytes, "\1\2\3", 3);
	assert_int_equal(only(&m, "nothing", TEXT).lack, LOCATION_OF_NO_OBJECT);
	assert_int_equal(only(&m, "thread", TEXT).lack, LOCATION_THREAD_LOCAL);
	assert_int_equal(only(&m, "damaged", TEXT).lack, LOCATION_DAMAGED);
	discard(&m);
}

static void test_entry_values_hold_at_the_entry(void **state)
{
	struct made m = begin(5, frame_cfa, sizeof(frame_cfa));
	VARIABLE(&m, "v", EXPRESSION_ENTRY_VALUE, 1, EXPRESSION_REG0 + 5, EXPRESSION_STACK_VALUE);
	finish(&m);
	struct location l = only(&m, "v", TEXT);
	assert_int_equal(l.kind, LOCATION_IN_REGISTER);
	assert_int_equal(l.reg, 5);
	l = only(&m, "v", TEXT + 1);
	assert_int_equal(l.kind, LOCATION_NONE);
	assert_int_equal(l.lack, LOCATION_AT_ENTRY);
	discard(&m);
}

static void test_pieces(void **state)
{
	struct made m = begin(5, frame_cfa, sizeof(frame_cfa));
	VARIABLE(&m, "v", EXPRESSION_REG0 + 1, EXPRESSION_PIECE, 4, EXPRESSION_PIECE, 4, EXPRESSION_BREG0 + 2, 1, EXPRESSION_BREG0 + 3, 2,
		 EXPRESSION_MUL, EXPRESSION_STACK_VALUE, EXPRESSION_PIECE, 8, EXPRESSION_FBREG, 0, EXPRESSION_PIECE, 8);
	finish(&m);
	struct locations l = locate(&m, "v", TEXT);
	assert_int_equal(l.nr, 4);
	struct location part = location_part(&l, 0, 32);
	assert_int_equal(part.kind, LOCATION_IN_REGISTER);
	assert_int_equal(part.reg, 1);
	assert_int_equal(location_part(&l, 32, 32).lack, LOCATION_NOT_ALIVE);
	assert_int_equal(location_part(&l, 64, 64).lack, LOCATION_COMPUTED);
	part = location_part(&l, 160, 32); /* 16 bytes are in the last piece */
	assert_int_equal(part.kind, LOCATION_IN_MEMORY);
	assert_int_equal(part.offsets[0], 16 + 4);
	assert_int_equal(location_part(&l, 0, 64).kind, LOCATION_NONE); /* spans two pieces */
	assert_int_equal(location_part(&l, 192, 8).lack, LOCATION_NOT_ALIVE);
	discard(&m);
}

static void test_constants_and_what_is_not_there(void **state)
{
	struct made m = begin(5, frame_cfa, sizeof(frame_cfa));
	PUT(&m.info, NUMBER, 'n', 0, 0x7f /* -1 */);
	PUT(&m.info, EXPRESSION, 'e', 0, 0);
	finish(&m);
	struct location l = only(&m, "n", TEXT);
	assert_int_equal(l.kind, LOCATION_IS_VALUE);
	assert_int_equal((int64_t)l.start, -1);
	assert_int_equal(only(&m, "e", TEXT).lack, LOCATION_NOT_ALIVE);
	discard(&m);
}

/* Two ranges, with a gap between them. */
static void check_list(struct made *m)
{
	assert_int_equal(only(m, "v", TEXT + 0x0f).reg, 5);
	assert_int_equal(only(m, "v", TEXT + 0x10).lack, LOCATION_NOT_ALIVE);
	assert_int_equal(only(m, "v", TEXT + 0x20).reg, 3);
	assert_int_equal(only(m, "v", TEXT + 0x30).lack, LOCATION_NOT_ALIVE);
}

static void test_lists_of_dwarf_4(void **state)
{
	struct made m = begin(4, frame_cfa, sizeof(frame_cfa));
	const struct {
		uint64_t start, end;
		uint8_t op;
	} entries[] = { { 0, 0x10, EXPRESSION_REG0 + 5 }, { 0x20, 0x30, EXPRESSION_REG0 + 3 } };
	PUT(&m.info, LIST, 'v', 0, 0, 0, 0, 0);
	for (size_t i = 0; i < 2; i++) {
		put(&m.lists, entries[i].start, 8);
		put(&m.lists, entries[i].end, 8);
		put(&m.lists, 1, 2);
		PUT(&m.lists, entries[i].op);
	}
	put(&m.lists, 0, 16);
	finish(&m);
	check_list(&m);
	discard(&m);
}

static void test_lists_of_dwarf_5(void **state)
{
	for (unsigned indexed = 0; indexed < 2; indexed++) {
		struct made m = begin(5, frame_cfa, sizeof(frame_cfa));
		if (indexed)
			PUT(&m.info, INDEXED, 'v', 0, 0);
		else
			PUT(&m.info, LIST, 'v', 0, 16, 0, 0, 0);
		put(&m.lists, 4, 4); /* the only offset, from the base at 12 */
		PUT(&m.lists, DW_LLE_GNU_view_pair, 1, 2, DW_LLE_offset_pair, 0, 0x10, 1, EXPRESSION_REG0 + 5);
		PUT(&m.lists, DW_LLE_base_address);
		put(&m.lists, TEXT + 0x20, 8);
		PUT(&m.lists, DW_LLE_offset_pair, 0, 0x10, 1, EXPRESSION_REG0 + 3, DW_LLE_end_of_list);
		finish(&m);
		check_list(&m);
		discard(&m);
	}
}

static void test_a_list_that_leads_outside(void **state)
{
	struct made m = begin(5, frame_cfa, sizeof(frame_cfa));
	PUT(&m.info, LIST, 'v', 0, 0xff, 0xff, 0, 0);
	finish(&m);
	assert_int_equal(only(&m, "v", TEXT).lack, LOCATION_NOT_ALIVE);
	discard(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers_and_memory),
		cmocka_unit_test(test_a_frame_base_that_is_a_register),
		cmocka_unit_test(test_values_that_are_computed),
		cmocka_unit_test(test_entry_values_hold_at_the_entry),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_constants_and_what_is_not_there),
		cmocka_unit_test(test_lists_of_dwarf_4),
		cmocka_unit_test(test_lists_of_dwarf_5),
		cmocka_unit_test(test_a_list_that_leads_outside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
