/* Walks of stacks made by hand, for machines that this one is not: arm64 with signed return addresses, 32 bit, big endian. */
#include "base/testing.h"

#include <elf.h>
#include <stdlib.h>

#include "machine/record_builder.h"
#include "object/testing_elf.h"
#include "unwind/walk.h"

#define FRAME_VADDR 0x4000
#define LOADED_AT   0xaaaa0000u /* where vaddr 0x1000 is mapped: file offset 0x1000 */
#define CODE_BYTES  0x400
#define SP	    0x7f0000u

static const bool is_big_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

struct cfi {
	uint8_t at[512];
	size_t n;
	bool big;
};

static void put(struct cfi *c, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		c->at[c->n++] = (uint8_t)(v >> 8 * (c->big ? bytes - 1 - i : i));
}

/* Length first, then the body; padded with nops. */
static void put_entry(struct cfi *c, const struct cfi *body)
{
	size_t n = (body->n + 7) & ~(size_t)3;
	put(c, n, 4);
	memcpy(c->at + c->n, body->at, body->n);
	c->n += n;
}

static void put_cie(struct cfi *c, uint8_t ra, uint8_t sp, uint8_t initial)
{
	struct cfi b = { .big = c->big };
	put(&b, 0, 4);
	memcpy(b.at + b.n, "\1zR", 4);
	b.n += 4;
	put(&b, 4, 1);    /* code alignment */
	put(&b, 0x78, 1); /* data alignment: -8 */
	put(&b, ra, 1);
	put(&b, 1, 1);
	put(&b, 0x1b, 1); /* pcrel sdata4 */
	put(&b, 0x0c, 1);
	put(&b, sp, 1);
	put(&b, initial, 1);
	put_entry(c, &b);
}

static void put_fde(struct cfi *c, uint64_t start, uint64_t bytes, const char *program, size_t n)
{
	struct cfi b = { .big = c->big };
	put(&b, c->n + 4, 4);
	put(&b, start - (FRAME_VADDR + c->n + 8), 4);
	put(&b, bytes, 4);
	put(&b, 0, 1);
	memcpy(b.at + b.n, program, n);
	b.n += n;
	put_entry(c, &b);
}

struct made {
	struct object *object;
	uint8_t *bytes;
	struct env env;
	struct record_builder records;
	struct machine *machine;
	struct unwind_tables *tables;
	struct unwinder *unwinder;
	uint32_t space;
};

static struct unwind_objects objects_of(void *ctx, const struct mapped_file *file)
{
	(void)file;
	return (struct unwind_objects){ .object = ((struct made *)ctx)->object };
}

/* After calls, in code of arm64. */
static const uint32_t calls[] = { 0x1010, 0x1110, 0x1220, 0x1304 };

/* Of x86-64, without call frame information, as a dynamic linker begins: mov %rsp, %rdi; call the next instruction; jmp *%rax. */
static const uint8_t start_code[] = { 0x48, 0x89, 0xe7, 0xe8, 0, 0, 0, 0, 0xff, 0xe0 };

static void made_init(struct made *m, uint16_t machine, bool is_64bit, const struct cfi *cfi)
{
	uint8_t code[CODE_BYTES] = {};
	for (unsigned i = 0; machine == EM_AARCH64 && i < sizeof(calls) / sizeof(*calls); i++)
		code[calls[i] - 0x1000 - 1] = 0x94; /* bl */
	if (machine == EM_X86_64)
		memcpy(code + 0x300, start_code, sizeof(start_code));
	struct elf_builder b = { .is_64bit = is_64bit, .big = cfi->big, .type = ET_DYN, .machine = machine };
	uint32_t text = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code));
	elf_add_section(&b, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, FRAME_VADDR, cfi->at, (uint32_t)cfi->n);
	elf_load_section(&b, text, PF_R | PF_X);
	size_t n;
	*m = (struct made){ .bytes = elf_finish(&b, &n) };
	assert_ok(object_open_memory(m->bytes, n, "made", &m->object));
	uint64_t offset;
	assert_true(object_offset_of_vaddr(m->object, 0x1000, &offset));
	m->machine = machine_create(&m->env);
	build_start(&m->records, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	build_u32s(&m->records, 1, 1);
	build_u64(&m->records, LOADED_AT);
	build_u64(&m->records, CODE_BYTES);
	build_u64(&m->records, offset);
	for (unsigned i = 0; i < 3; i++)
		build_u64(&m->records, 0);
	build_u32s(&m->records, 5, 2);
	build_string(&m->records, "/made");
	machine_apply(m->machine, build_end(&m->records), 0);
	machine_seal(m->machine);
	m->space = machine_view(m->machine, 1, 1, 1).space;
	m->tables = unwind_tables_create(objects_of, m);
	m->unwinder = unwinder_create(m->machine, m->tables);
}

static void made_deinit(struct made *m)
{
	unwinder_destroy(m->unwinder);
	unwind_tables_destroy(m->tables);
	machine_destroy(m->machine);
	object_close(m->object);
	free(m->bytes);
	vec_deinit(&m->records.bytes);
}

static void put_word(uint8_t *stack, size_t offset, uint64_t v, unsigned bytes, bool big)
{
	for (unsigned i = 0; i < bytes; i++)
		stack[offset + i] = (uint8_t)(v >> 8 * (big ? bytes - 1 - i : i));
}

static uint64_t code_at(uint64_t vaddr)
{
	return LOADED_AT + vaddr - 0x1000;
}

#define PROGRAM(...) (const char[]){ __VA_ARGS__ }, sizeof((const char[]){ __VA_ARGS__ })

/* A leaf that keeps its return address in lr, a frame found by sp, one found by x29, and the outermost. */
static void check_arm64(bool big)
{
	struct cfi c = { .big = big };
	struct made m;
	uint8_t stack[256] = {};
	uint64_t regs[33] = {}, got[16];
	const uint64_t signature = 0x00aa000000000000;
	put_cie(&c, 30, 31, 0);
	put_fde(&c, 0x1000, 0x40, PROGRAM(0));
	put_fde(&c, 0x1100, 0x40, PROGRAM(0x2d, 0x41, 0x0e, 32, (char)0x9d, 4, (char)0x9e, 3));
	put_fde(&c, 0x1200, 0x40, PROGRAM(0x41, 0x0e, 16, (char)0x9d, 2, (char)0x9e, 1, 0x41, 0x0c, 29, 16));
	put_fde(&c, 0x1300, 0x40, PROGRAM(0x07, 30));
	made_init(&m, EM_AARCH64, true, &c);
	regs[29] = SP + 0x80;
	regs[30] = code_at(0x1110);
	regs[31] = SP;
	regs[32] = code_at(0x1008);
	put_word(stack, 0, SP + 0x80, 8, big);                    /* x29 */
	put_word(stack, 8, code_at(0x1220) | signature, 8, big);  /* x30 */
	put_word(stack, 0x80, 0, 8, big);
	put_word(stack, 0x88, code_at(0x1304) | signature, 8, big);
	struct unwind_input in = {
		.arch = &arch_aarch64, .space = m.space, .regs_mask = 0x1ffffffff, .regs = regs, .stack = stack,
		.stack_bytes = sizeof(stack), .max = 16, .swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
	};
	struct unwind_result r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_WHOLE);
	assert_int_equal(r.nr, 4);
	assert_int_equal(got[0], code_at(0x1008));
	assert_int_equal(got[1], code_at(0x1110));
	assert_int_equal(got[2], code_at(0x1220));
	assert_int_equal(got[3], code_at(0x1304));
	in.call_sites = true;
	unwind_walk(m.unwinder, &in, got);
	assert_int_equal(got[0], code_at(0x1008));
	assert_int_equal(got[1], code_at(0x1110) - 1);
	in.stack_bytes = 0x88;
	r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_CUT);
	assert_int_equal(r.needed, 0x90);
	assert_int_equal(r.nr, 3);
	/* A caller that says it saved nothing would be its own caller for ever. */
	in.stack_bytes = sizeof(stack);
	put_word(stack, 8, code_at(0x1010), 8, big);
	r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.nr, 3);
	assert_true(r.end == UNWIND_END_LOST || r.end == UNWIND_END_LOOP);
	made_deinit(&m);
}

/* A handler's frame in the middle, and the outermost that no call made: neither is looked up a byte before its address. */
static void test_entries(void **state)
{
	struct cfi c = {};
	struct made m;
	uint8_t stack[64] = {};
	uint64_t regs[33] = {}, got[16];
	put_cie(&c, 30, 31, 0);
	put_fde(&c, 0x1000, 0x40, PROGRAM(0));
	put_fde(&c, 0x1100, 0x40, PROGRAM(0x0e, 16, (char)0x9e, 1));
	made_init(&m, EM_AARCH64, true, &c);
	regs[30] = code_at(0x1100); /* no call is before it */
	regs[31] = SP;
	regs[32] = code_at(0x1008);
	put_word(stack, 8, 0x7700, 8, false); /* of the function around it: data */
	struct unwind_input in = {
		.arch = &arch_aarch64, .space = m.space, .regs_mask = 0x1ffffffff, .regs = regs, .stack = stack,
		.stack_bytes = sizeof(stack), .max = 16, .call_sites = true, .swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct unwind_result r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_WHOLE);
	assert_int_equal(r.nr, 2);
	assert_int_equal(got[1], code_at(0x1100));
	regs[30] = code_at(0x1110);
	r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_NO_TABLE);
	assert_int_equal(got[1], code_at(0x1110) - 1);
	made_deinit(&m);
}

static void test_arm64(void **state)
{
	check_arm64(false);
	check_arm64(true);
}

/* i386: four bytes a word, the return address on the stack. Column 8, esp is 4, ebp 5. */
static void test_i386(void **state)
{
	struct cfi c = {};
	struct made m;
	uint8_t stack[64] = {};
	uint64_t regs[9] = {}, got[16];
	put_cie(&c, 8, 4, 8);
	put_fde(&c, 0x1000, 0x40, PROGRAM((char)0x88, 1));
	put_fde(&c, 0x1100, 0x40, PROGRAM(0x07, 8));
	made_init(&m, EM_386, false, &c);
	regs[7] = SP;
	regs[8] = code_at(0x1004);
	put_word(stack, 0, code_at(0x1104), 4, false);
	struct unwind_input in = {
		.arch = unwind_arch(&arch_x86_64, 1 /* PERF_SAMPLE_REGS_ABI_32 */), .space = m.space, .regs_mask = 0x1ff,
		.regs = regs, .stack = stack, .stack_bytes = sizeof(stack), .max = 16, .swap = is_big_host,
	};
	struct unwind_result r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_WHOLE);
	assert_int_equal(r.nr, 2);
	assert_int_equal(got[1], code_at(0x1104));
	made_deinit(&m);
}

static void test_no_registers(void **state)
{
	struct cfi c = {};
	struct made m;
	uint64_t regs[2] = {}, got[4];
	put_cie(&c, 16, 7, 8);
	made_init(&m, EM_X86_64, true, &c);
	struct unwind_input in = { .arch = &arch_x86_64, .space = m.space, .regs_mask = 3, .regs = regs, .max = 4 };
	assert_int_equal(unwind_walk(m.unwinder, &in, got).end, UNWIND_END_NO_REGS);
	in.arch = NULL;
	assert_int_equal(unwind_walk(m.unwinder, &in, got).end, UNWIND_END_NO_REGS);
	made_deinit(&m);
}

/* x86-64: rbp is register 6 for perf and for DWARF, rsp 7, rip 8 (16 for DWARF). */
static void test_registers_that_point_nowhere(void **state)
{
	struct cfi c = {};
	struct made m;
	uint8_t stack[64] = {};
	uint64_t regs[9] = {}, got[600];
	put_cie(&c, 16, 7, 8);
	put_fde(&c, 0x1000, 0x40, PROGRAM((char)0x90, 1));
	put_fde(&c, 0x1100, 0x40, PROGRAM(0x0c, 6, 16, (char)0x86, 2, (char)0x90, 1));
	made_init(&m, EM_X86_64, true, &c);
	struct unwind_input in = {
		.arch = &arch_x86_64, .space = m.space, .regs_mask = 0x1ff, .regs = regs, .stack = stack,
		.stack_bytes = sizeof(stack), .max = 600, .swap = is_big_host,
	};
	static const uint64_t nowhere[] = { 0, 1, 7, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX - 7, UINT64_MAX };
	const uint64_t code[] = { code_at(0x1004), code_at(0x1104), 0, UINT64_MAX };
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++) {
		for (size_t k = 0; k < sizeof(code) / sizeof(*code); k++) {
			regs[6] = regs[7] = nowhere[i];
			regs[8] = code[k];
			put_word(stack, 8 * (i % 8), nowhere[i], 8, false);
			struct unwind_result r = unwind_walk(m.unwinder, &in, got);
			assert_in_range(r.nr, 0, 3); /* a stack of zeros ends like any other */
			if (r.nr)
				assert_int_equal(got[0], code[k]);
		}
	}
	/* A frame that is its own caller: rbp was saved pointing to where it was saved. */
	regs[6] = regs[7] = SP;
	regs[8] = code_at(0x1104);
	put_word(stack, 0, SP, 8, false);
	put_word(stack, 8, code_at(0x1108), 8, false);
	struct unwind_result r = unwind_walk(m.unwinder, &in, got);
	assert_true(r.end == UNWIND_END_LOST || r.end == UNWIND_END_LOOP);
	assert_in_range(r.nr, 1, 2);
	made_deinit(&m);
}

/* A function of x86-64 that only has its return address on the stack, sampled. */
static void made_init_leaf(struct made *m, uint64_t regs[9])
{
	struct cfi c = {};
	put_cie(&c, 16, 7, 8);
	put_fde(&c, 0x1000, 0x40, PROGRAM((char)0x90, 1));
	made_init(m, EM_X86_64, true, &c);
	regs[7] = SP;
	regs[8] = code_at(0x1004);
}

/* A rule that does not know of another stack leads to a word that is not a return address. */
static void test_no_caller_is_invented(void **state)
{
	struct made m;
	uint8_t stack[64] = {};
	uint64_t regs[9] = {}, got[4];
	made_init_leaf(&m, regs);
	put_word(stack, 0, SP + 16, 8, false);
	struct unwind_input in = {
		.arch = &arch_x86_64, .space = m.space, .regs_mask = 0x1ff, .regs = regs, .stack = stack,
		.stack_bytes = sizeof(stack), .max = 4,
	};
	struct unwind_result r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_NO_TABLE);
	assert_int_equal(r.nr, 1);
	/* code that is nowhere itself is the place of the sample */
	regs[8] = 31;
	r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.nr, 1);
	assert_int_equal(got[0], 31);
	made_deinit(&m);
}

/* Nothing is above the code that a process begins with, whose frame pointer is 0, but the number of its arguments. */
static void test_start_of_process(void **state)
{
	struct made m;
	uint8_t stack[64] = {};
	uint64_t regs[9] = {}, got[4];
	made_init_leaf(&m, regs);
	put_word(stack, 0, code_at(0x1308), 8, false);
	put_word(stack, 8, 3, 8, false);
	struct unwind_input in = {
		.arch = &arch_x86_64, .space = m.space, .regs_mask = 0x1ff, .regs = regs, .stack = stack,
		.stack_bytes = sizeof(stack), .max = 4, .swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct unwind_result r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_WHOLE);
	assert_int_equal(r.nr, 2);
	assert_int_equal(got[1], code_at(0x1308));
	/* a frame pointer that is used: somebody called it, and from where is not known */
	regs[6] = SP + 32;
	r = unwind_walk(m.unwinder, &in, got);
	assert_int_equal(r.end, UNWIND_END_NO_TABLE);
	assert_int_equal(r.nr, 2);
	made_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_i386),
		cmocka_unit_test(test_no_caller_is_invented),
		cmocka_unit_test(test_no_registers),
		cmocka_unit_test(test_registers_that_point_nowhere),
		cmocka_unit_test(test_start_of_process),
	};
	return cmocka_run_group_tests_name("unwind-walk-made", tests, NULL, NULL);
}
