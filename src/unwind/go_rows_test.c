/*
 * Truth: tables and code made by hand, as runtime/symtab.go describes them, and frames worked out by hand beside each instruction.
 * tests/live/go-stacks.py compares with .debug_frame.
 */
#include "base/testing.h"

#include "object/gopclntab.h"
#include "object/testing_elf.h"
#include "unwind/table.h"

#define CODE   0x1000u
#define TABLE  0x8000u
#define HEADER 72u /* of the latest version, with words of 8 bytes */

enum { TOP_FRAME = 1, SP_WRITE = 2 };

/* A version of the table, and the machine. */
struct version {
	uint32_t magic;
	uint16_t machine;
	uint8_t word, quantum;
	const char *section;
};

static const struct version go_1_16 = { 0xfffffffa, EM_X86_64, 8, 1, ".gopclntab" },
			    go_1_18 = { 0xfffffff0, EM_X86_64, 8, 1, ".gopclntab" },
			    go_1_20 = { 0xfffffff1, EM_X86_64, 8, 1, ".gopclntab" },
			    other_linker = { 0xfffffff1, EM_X86_64, 8, 1, ".data.rel.ro" },
			    go_arm64 = { 0xfffffff1, EM_AARCH64, 8, 4, ".gopclntab" };

struct function {
	const char *name;
	uint32_t at; /* from CODE on */
	uint8_t flags;
	const char *depths; /* pairs: difference of the value, zigzag, and instructions; ends in \0 */
};

static void put(struct strbuf *to, uint64_t v, unsigned bytes)
{
	const struct elf_builder little = { .big = false };
	elf_put(&little, to, v, (int)bytes);
}

static void pad_to(struct strbuf *to, size_t n)
{
	while (to->len < n)
		strbuf_addch(to, 0);
}

/* The entry of the description of a function. */
static void put_description(const struct version *v, struct strbuf *to, const struct function *f, uint32_t name, uint32_t depths)
{
	bool is_old = v->magic == go_1_16.magic;
	put(to, is_old ? CODE + f->at : f->at, is_old ? 8 : 4);
	put(to, name, 4);
	put(to, 0, 4); /* arguments */
	put(to, 0, 4);
	put(to, depths, 4);
	for (unsigned i = 0; i < 4; i++) /* files, lines, number of other tables, unit */
		put(to, 0, 4);
	if (v->magic == go_1_20.magic)
		put(to, 0, 4); /* line */
	put(to, (uint32_t)f->flags << 8, 4);
}

static void put_header(const struct version *v, struct strbuf *to, unsigned nr, uint64_t names, uint64_t programs, uint64_t functions)
{
	put(to, v->magic, 4);
	put(to, 0, 2);
	put(to, v->quantum, 1);
	put(to, v->word, 1);
	put(to, nr, 8);
	put(to, 0, 8);
	if (v->magic != go_1_16.magic)
		put(to, CODE, 8);
	put(to, names, 8);
	put(to, names, 8); /* units, files: none */
	put(to, names, 8);
	put(to, programs, 8);
	put(to, functions, 8);
	pad_to(to, HEADER);
}

/* The last entry only marks where the code ends: `end` bytes after CODE. */
static void make_table(const struct version *v, const struct function *f, unsigned nr, uint32_t end, struct strbuf *to)
{
	struct strbuf names = {}, programs = {}, entries = {}, descriptions = {};
	unsigned word = v->magic == go_1_16.magic ? 8 : 4;
	uint64_t text = word == 8 ? CODE : 0;
	strbuf_addch(&programs, 0);
	for (unsigned i = 0; i < nr; i++) {
		put(&entries, text + f[i].at, word);
		put(&entries, (2ull * nr + 1) * word + descriptions.len, word);
		put_description(v, &descriptions, &f[i], (uint32_t)names.len, (uint32_t)programs.len);
		strbuf_add(&names, f[i].name, strlen(f[i].name) + 1);
		strbuf_add(&programs, f[i].depths, strlen(f[i].depths) + 1);
	}
	put(&entries, text + end, word);
	put_header(v, to, nr, HEADER, HEADER + names.len, HEADER + names.len + programs.len);
	strbuf_add(to, names.data, names.len);
	strbuf_add(to, programs.data, programs.len);
	strbuf_add(to, entries.data, entries.len);
	strbuf_add(to, descriptions.data, descriptions.len);
	strbuf_deinit(&names);
	strbuf_deinit(&programs);
	strbuf_deinit(&entries);
	strbuf_deinit(&descriptions);
}

struct made {
	uint8_t *bytes;
	struct object *object;
	struct unwind_table *table;
};

static struct made make(const struct version *v, const struct strbuf *table, const uint8_t *code, size_t n)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_EXEC, .machine = v->machine };
	struct made m = {};
	size_t bytes;
	uint32_t text = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, code, n);
	elf_load_section(&b, text, PF_R | PF_X);
	elf_add_section(&b, v->section, SHT_PROGBITS, SHF_ALLOC, TABLE, table->data, table->len);
	elf_add_section(&b, ".go.buildinfo", SHT_PROGBITS, SHF_ALLOC, TABLE + 0x4000, "", 1);
	m.bytes = elf_finish(&b, &bytes);
	assert_ok(object_open_memory(m.bytes, bytes, "go", &m.object));
	m.table = unwind_table_of(m.object, NULL);
	return m;
}

static void release(struct made *m)
{
	unwind_table_destroy(m->table);
	object_close(m->object);
	free(m->bytes);
}

/* fp: where it is kept from the CFA; 0: in its register. */
static void expect(const struct made *m, uint32_t at, int32_t cfa, int32_t ra, int32_t fp)
{
	const struct arch *a = object_header(m->object)->arch;
	const struct unwind_rule *r = unwind_table_find(m->table, CODE + at);
	int32_t found_ra = 0, found_fp = 0;
	for (unsigned i = 0; i < r->saves_nr; i++) {
		const struct unwind_save *s = &m->table->saves[r->saves + i];
		assert_int_equal(s->kind, UNWIND_SAVE_OFFSET);
		found_ra = s->reg == a->dwarf_ra ? s->value : found_ra;
		found_fp = s->reg == a->dwarf_fp ? s->value : found_fp;
	}
	assert_int_equal(r->kind, UNWIND_CFA_REG);
	assert_int_equal(r->reg, a->dwarf_sp);
	assert_int_equal(r->value, cfa);
	assert_int_equal(found_ra, ra);
	assert_int_equal(found_fp, fp);
	assert_false(r->flags & UNWIND_END);
}

static bool is_end(const struct made *m, uint32_t at)
{
	return unwind_table_find(m->table, CODE + at)->flags & UNWIND_END;
}

/* The caller is not known, and the frame pointer is not used, either. */
static bool is_lost(const struct made *m, uint32_t at)
{
	const struct unwind_rule *r = unwind_table_find(m->table, CODE + at);
	return r->kind == UNWIND_CFA_REG && r->saves_nr == 1 && m->table->saves[r->saves].kind == UNWIND_SAVE_REG;
}

static const uint8_t code[0xa0] = {
	[0x00] = 0x48, 0x83, 0xec, 0x20,       /* framed: sub $0x20,%rsp */
	[0x04] = 0x48, 0x89, 0x6c, 0x24, 0x18, /* mov %rbp,0x18(%rsp) */
	[0x09] = 0x90, [0x1c] = 0x48, 0x83, 0xc4, 0x20, 0xc3,
	[0x30] = 0x90, 0x90,                   /* goexit */
	[0x40] = 0x50, 0x58,                   /* mcall: push %rax; pop %rax */
	[0x42] = 0x48, 0x89, 0xdc,             /* mov %rbx,%rsp */
	[0x45] = 0xff, 0xd7, 0x0f, 0x0b,       /* call *%rdi; ud2 */
	[0x50] = 0x50, 0x58, 0x48, 0x89, 0xdc, 0xff, 0xd7, 0x0f, 0x0b, /* another that changes stacks */
	[0x60] = 0x55, 0x48, 0x89, 0xe5,       /* pushes: push %rbp; mov %rsp,%rbp */
	[0x64] = 0x48, 0x83, 0xec, 0x10,       /* sub $0x10,%rsp */
	[0x68] = 0x90, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3,
	[0x70] = 0x48, 0x81, 0xec, 0, 1, 0, 0, /* large: sub $0x100,%rsp */
	[0x77] = 0x48, 0x89, 0xac, 0x24, 0xf8, 0, 0, 0, /* mov %rbp,0xf8(%rsp) */
	[0x7f] = 0x90, [0x8f] = 0xcc,
	[0x90] = 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05, /* sigreturn */
};

static const struct function functions[] = {
	{ "main.framed", 0, 0, "\x02\x04\x40\x1c\x3f\x10" }, /* 0 up to 4, 32 up to 0x20, 0 */
	{ "runtime.goexit", 0x30, TOP_FRAME, "\x02\x10" },
	{ "runtime.mcall", 0x40, SP_WRITE, "\x02\x10" },
	{ "main.changes", 0x50, SP_WRITE, "\x02\x10" },
	{ "main.pushes", 0x60, 0, "\x02\x01\x10\x07\x20\x05\x1f\x01\x0f\x02" }, /* 0, 8, 24, 8, 0 */
	{ "main.large", 0x70, 0, "\x02\x07\x80\x04\x19" }, /* 0, 256 */
	{ "runtime.sigreturn", 0x90, 0, "\x02\x10" },
};

#define FUNCTIONS (sizeof(functions) / sizeof(*functions))

static void check_frames(const struct made *m)
{
	expect(m, 0x00, 8, -8, 0);
	expect(m, 0x03, 8, -8, 0);
	expect(m, 0x04, 40, -8, 0);
	expect(m, 0x09, 40, -8, -16);
	expect(m, 0x1f, 40, -8, -16);
	expect(m, 0x20, 8, -8, 0);
	expect(m, 0x60, 8, -8, 0);
	expect(m, 0x61, 16, -8, -16);
	expect(m, 0x68, 32, -8, -16);
	expect(m, 0x6d, 16, -8, -16);
	expect(m, 0x6e, 8, -8, 0);
	expect(m, 0x77, 264, -8, 0);
	expect(m, 0x7f, 264, -8, -16);
	assert_true(is_end(m, 0x30));
	assert_int_equal(unwind_table_find(m->table, CODE + 0xa0)->kind, UNWIND_CFA_NONE);
}

static void frames_are_those_of_the_instructions(void **state)
{
	(void)state;
	const struct version *const versions[] = { &go_1_16, &go_1_18, &go_1_20, &other_linker };
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct strbuf table = {};
		make_table(versions[i], functions, FUNCTIONS, sizeof(code), &table);
		struct made m = make(versions[i], &table, code, sizeof(code));
		assert_non_null(m.table);
		check_frames(&m);
		release(&m);
		strbuf_deinit(&table);
	}
}

static void where_stacks_change_no_caller_is_invented(void **state)
{
	(void)state;
	struct strbuf table = {};
	make_table(&go_1_20, functions, FUNCTIONS, sizeof(code), &table);
	struct made m = make(&go_1_20, &table, code, sizeof(code));
	assert_int_equal(unwind_table_find(m.table, CODE + 0x40)->value, 8);
	assert_int_equal(unwind_table_find(m.table, CODE + 0x41)->value, 16);
	assert_true(is_end(&m, 0x45)); /* what mcall calls does not return */
	assert_int_equal(unwind_table_find(m.table, CODE + 0x51)->value, 16);
	assert_false(is_end(&m, 0x55));
	assert_true(is_lost(&m, 0x55));
	assert_false(is_lost(&m, 0x52));
	const struct unwind_rule *r = unwind_table_find(m.table, CODE + 0x90);
	assert_true(r->flags & UNWIND_SIGNAL);
	assert_ptr_equal(unwind_table_find(m.table, CODE + 0x8f), r); /* it is entered at its first byte */
	assert_false(unwind_table_find(m.table, CODE + 0x8e)->flags & UNWIND_SIGNAL);
	release(&m);
	strbuf_deinit(&table);
}

static void arm64_keeps_the_return_address_at_the_stack_pointer(void **state)
{
	(void)state;
	static const uint32_t insns[] = { 0xf81e0ffe, 0xf81f83fd, 0xd503201f, 0xf84207fe, 0xd65f03c0, /* str x30,[sp,#-32]! … ldr; ret */
					  0xd10083ff, 0xd503201f, 0xd65f03c0 };               /* sub sp,sp,#32, which keeps nothing */
	static const struct function both[] = {
		{ "main.framed", 0, 0, "\x02\x01\x40\x03\x3f\x01" },
		{ "main.other", 20, 0, "\x02\x01\x40\x02" },
	};
	struct strbuf table = {};
	make_table(&go_arm64, both, 2, sizeof(insns), &table);
	struct made m = make(&go_arm64, &table, (const uint8_t *)insns, sizeof(insns));
	expect(&m, 0, 0, 0, 0);
	expect(&m, 4, 32, -32, -40);
	expect(&m, 15, 32, -32, -40);
	expect(&m, 16, 0, 0, 0);
	expect(&m, 20, 0, 0, 0);
	assert_int_equal(unwind_table_find(m.table, CODE + 24)->kind, UNWIND_CFA_NONE);
	release(&m);
	strbuf_deinit(&table);
}

/* Each bit of a table may be another, and it may end anywhere. */
static void damaged_tables_give_less(void **state)
{
	(void)state;
	struct strbuf table = {};
	make_table(&go_1_20, functions, FUNCTIONS, sizeof(code), &table);
	struct strbuf cut = {};
	for (size_t n = 0; n < table.len; n++) {
		struct made m = make(&go_1_20, &cut, code, sizeof(code));
		release(&m);
		strbuf_addch(&cut, table.data[n]);
	}
	for (size_t bit = 0; bit < table.len * 8; bit++) {
		table.data[bit / 8] ^= (char)(1u << bit % 8);
		struct made m = make(&go_1_20, &table, code, sizeof(code));
		release(&m);
		table.data[bit / 8] ^= (char)(1u << bit % 8);
	}
	strbuf_deinit(&cut);
	strbuf_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_the_instructions),
		cmocka_unit_test(where_stacks_change_no_caller_is_invented),
		cmocka_unit_test(arm64_keeps_the_return_address_at_the_stack_pointer),
		cmocka_unit_test(damaged_tables_give_less),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
