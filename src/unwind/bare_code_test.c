/* Truth: the listings beside the bytes, whose frames were worked out by hand. */
#include "unwind/bare_code.h"

#include <string.h>

#include "base/testing.h"
#include "unwind/x86_step.h"

#define AT 0x1000u

static struct bare_code analyse(const char *code, size_t n)
{
	struct bare_code b = {};
	bare_code_analyse(&b, (const uint8_t *)code, n, AT);
	return b;
}

#define ANALYSE(...) analyse((const char[]){ __VA_ARGS__ }, sizeof((const char[]){ __VA_ARGS__ }))

static struct bare_row row_at(const struct bare_code *b, uint64_t offset)
{
	size_t i = vec_search(&b->rows, row, row->vaddr <= AT + offset);
	return i ? b->rows.data[i - 1] : (struct bare_row){};
}

static void expect(const struct bare_code *b, uint64_t offset, uint8_t cfa, uint8_t reg, int32_t value)
{
	struct bare_row row = row_at(b, offset);
	if (row.cfa != cfa || (cfa != BARE_UNKNOWN && (row.reg != reg || row.value != value)))
		fail_msg("at %u: %u of %u and %d", (unsigned)offset, row.cfa, row.reg, row.value);
}

static void expect_function(const struct bare_code *b, size_t i, uint64_t start, uint64_t end)
{
	assert_true(i < b->functions.len);
	assert_int_equal(b->functions.data[i].start, AT + start);
	assert_int_equal(b->functions.data[i].end, AT + end);
}

static void pushes_and_pops(void **state)
{
	(void)state;
	struct bare_code b = ANALYSE(0x53,                   /* 0 push %rbx */
				     0x74, 0x01,             /* 1 je 4 */
				     0x5b,                   /* 3 pop %rbx */
				     0xc3);                  /* 4 ret: two ways that do not agree */
	expect(&b, 0, BARE_UNKNOWN, 0, 0);
	bare_code_deinit(&b);
	b = ANALYSE(0x53,                   /* 0 push %rbx */
		    0x55,                   /* 1 push %rbp */
		    0x48, 0x83, 0xec, 0x18, /* 2 sub $0x18,%rsp */
		    0x48, 0x83, 0xc4, 0x18, /* 6 add $0x18,%rsp */
		    0x5d, 0x5b, 0xc3);      /* 10 pop %rbp; pop %rbx; ret */
	expect(&b, 6, BARE_REG, X86_RSP, 48);
	struct bare_row row = row_at(&b, 6);
	assert_int_equal(row.saved, 1u << X86_RBX | 1u << X86_RBP);
	assert_int_equal(row.saved_at[X86_RBX], -16);
	assert_int_equal(row.saved_at[X86_RBP], -24);
	assert_int_equal(row_at(&b, 11).saved, 1u << X86_RBX);
	expect(&b, 12, BARE_REG, X86_RSP, 8);
	assert_int_equal(row_at(&b, 12).saved, 0);
	expect(&b, 13, BARE_UNKNOWN, 0, 0);
	expect_function(&b, 0, 0, 13);
	bare_code_deinit(&b);
}

static void frame_pointers_and_alloca(void **state)
{
	(void)state;
	struct bare_code b = ANALYSE(0x55,                   /* 0 push %rbp */
				     0x48, 0x89, 0xe5,       /* 1 mov %rsp,%rbp */
				     0x48, 0x29, 0xfc,       /* 4 sub %rdi,%rsp */
				     0xff, 0xd6,             /* 7 call *%rsi */
				     0xc9, 0xc3);            /* 9 leave; ret */
	expect(&b, 4, BARE_REG, X86_RSP, 16);
	expect(&b, 7, BARE_REG, X86_RBP, 16);
	expect(&b, 9, BARE_REG, X86_RBP, 16);
	expect(&b, 10, BARE_REG, X86_RSP, 8);
	bare_code_deinit(&b);
}

static void aligned_stacks(void **state)
{
	(void)state;
	/* As x264's and ffmpeg's assembly: the former stack pointer in a register, then on the stack. */
	struct bare_code b = ANALYSE(0x53,                               /* 0 push %rbx */
				     0x48, 0x89, 0xe0,                   /* 1 mov %rsp,%rax */
				     0x48, 0x83, 0xec, 0x60,             /* 4 sub $0x60,%rsp */
				     0x48, 0x83, 0xe4, 0xe0,             /* 8 and $-32,%rsp */
				     0x48, 0x89, 0x44, 0x24, 0x58,       /* 12 mov %rax,0x58(%rsp) */
				     0xff, 0xd6,                         /* 17 call *%rsi */
				     0x48, 0x83, 0xec, 0x10,             /* 19 sub $16,%rsp */
				     0x48, 0x8b, 0x64, 0x24, 0x68,       /* 23 mov 0x68(%rsp),%rsp */
				     0x5b, 0xc3);                        /* 28 pop %rbx; ret */
	expect(&b, 8, BARE_REG, X86_RSP, 112);
	expect(&b, 12, BARE_REG, X86_RAX, 16);
	expect(&b, 19, BARE_DEREF, X86_RSP, 0x58);
	assert_int_equal(row_at(&b, 19).addend, 16);
	expect(&b, 23, BARE_DEREF, X86_RSP, 0x68);
	expect(&b, 28, BARE_REG, X86_RSP, 16);
	expect(&b, 29, BARE_REG, X86_RSP, 8);
	bare_code_deinit(&b);
}

static void helpers_keep_registers_of_callers(void **state)
{
	(void)state;
	struct bare_code b = ANALYSE(0x48, 0x89, 0xe1,          /* 0 mov %rsp,%rcx */
				     0x48, 0x83, 0xe4, 0xe0,    /* 3 and $-32,%rsp */
				     0xe8, 0x04, 0, 0, 0,       /* 7 call 16 */
				     0x48, 0x89, 0xcc,          /* 12 mov %rcx,%rsp */
				     0xc3,                      /* 15 ret */
				     0x31, 0xc0, 0xc3);         /* 16 xor %eax,%eax; ret */
	expect(&b, 12, BARE_REG, X86_RCX, 8);
	expect(&b, 15, BARE_REG, X86_RSP, 8);
	expect_function(&b, 0, 0, 16);
	expect_function(&b, 1, 16, 19);
	bare_code_deinit(&b);
	b = ANALYSE(0x48, 0x89, 0xe1, 0x48, 0x83, 0xe4, 0xe0, 0xe8, 0x04, 0, 0, 0, 0x48, 0x89, 0xcc, 0xc3,
		    0x31, 0xc9, 0xc3); /* the same, but the helper clears %ecx */
	expect(&b, 12, BARE_UNKNOWN, 0, 0);
	bare_code_deinit(&b);
}

static void calls_that_do_not_return(void **state)
{
	(void)state;
	struct bare_code b = ANALYSE(0x48, 0x83, 0xec, 0x18,                   /* 0 sub $0x18,%rsp */
				     0x74, 0x05,                               /* 4 je 11 */
				     0x48, 0x83, 0xc4, 0x18, 0xc3,             /* 6 add $0x18,%rsp; ret */
				     0xe8, 0x00, 0x10, 0, 0,                   /* 11 call, out of here */
				     0x53, 0x5b, 0xc3);                        /* 16 push %rbx; pop %rbx; ret */
	expect(&b, 11, BARE_REG, X86_RSP, 32);
	expect(&b, 16, BARE_REG, X86_RSP, 8);
	expect(&b, 17, BARE_REG, X86_RSP, 16);
	expect_function(&b, 0, 0, 16);
	expect_function(&b, 1, 16, 19);
	bare_code_deinit(&b);
}

static void cases_of_switches(void **state)
{
	(void)state;
	struct bare_code b = ANALYSE(0x53,                    /* 0 push %rbx */
				     0xff, 0xe0,              /* 1 jmp *%rax */
				     0x31, 0xc0,              /* 3 xor %eax,%eax */
				     0x5b, 0xc3,              /* 5 pop %rbx; ret */
				     0x31, 0xc9,              /* 7 xor %ecx,%ecx */
				     0xeb, 0xfa);             /* 9 jmp 5 */
	expect(&b, 3, BARE_REG, X86_RSP, 16);
	expect(&b, 7, BARE_REG, X86_RSP, 16);
	assert_int_equal(b.functions.len, 1);
	bare_code_deinit(&b);
}

static void tail_calls_leave_the_stack_as_it_was(void **state)
{
	(void)state;
	struct bare_code b = ANALYSE(0x53, 0xe9, 0x00, 0x10, 0, 0); /* push %rbx; jmp, out of here */
	expect(&b, 0, BARE_UNKNOWN, 0, 0);
	expect(&b, 1, BARE_UNKNOWN, 0, 0);
	bare_code_deinit(&b);
	b = ANALYSE(0x53, 0x5b, 0xe9, 0x00, 0x10, 0, 0); /* push %rbx; pop %rbx; jmp */
	expect(&b, 1, BARE_REG, X86_RSP, 16);
	bare_code_deinit(&b);
}

static void code_of_32_bits(void **state)
{
	(void)state;
	static const uint8_t code[] = { 0x53,                   /* 0 push %ebx */
					0x56,                   /* 1 push %esi */
					0xe8, 0, 0, 0, 0,       /* 2 call 7 */
					0x5b,                   /* 7 pop %ebx */
					0x46,                   /* 8 inc %esi */
					0x83, 0xec, 0x08,       /* 9 sub $8,%esp */
					0x83, 0xc4, 0x08,       /* 12 add $8,%esp */
					0x5e, 0x5b, 0xc3 };     /* 15 pop %esi; pop %ebx; ret */
	struct bare_code b = { .is_32bit = true };
	bare_code_analyse(&b, code, sizeof(code), AT);
	expect(&b, 0, BARE_REG, X86_RSP, 4);
	expect(&b, 7, BARE_REG, X86_RSP, 16);
	expect(&b, 8, BARE_REG, X86_RSP, 12);
	expect(&b, 12, BARE_REG, X86_RSP, 20);
	struct bare_row row = row_at(&b, 12);
	assert_int_equal(row.saved, 1u << X86_RBX | 1u << X86_RSI);
	assert_int_equal(row.saved_at[X86_RBX], -8);
	assert_int_equal(row.saved_at[X86_RSI], -12);
	expect(&b, 17, BARE_REG, X86_RSP, 4);
	expect_function(&b, 0, 0, 18);
	assert_int_equal(b.functions.len, 1);
	bare_code_deinit(&b);
}

static void any_bytes_end(void **state)
{
	(void)state;
	uint8_t code[4096];
	uint64_t seed = 17;
	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof(code); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			/* many of them pushes, jumps and returns */
			static const uint8_t some[] = { 0x53, 0x5b, 0xeb, 0x74, 0xc3, 0xe8, 0x48, 0x83, 0xec, 0x55, 0x5d, 0xff };
			code[i] = seed >> 60 > 7 ? some[(seed >> 40) % sizeof(some)] : (uint8_t)(seed >> 33);
		}
		struct bare_code b = { .is_32bit = round & 1 };
		bare_code_analyse(&b, code, sizeof(code) - (size_t)round, AT);
		for (size_t i = 1; i < b.rows.len; i++)
			assert_true(b.rows.data[i].vaddr > b.rows.data[i - 1].vaddr);
		bare_code_deinit(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_and_pops),
		cmocka_unit_test(frame_pointers_and_alloca),
		cmocka_unit_test(aligned_stacks),
		cmocka_unit_test(helpers_keep_registers_of_callers),
		cmocka_unit_test(calls_that_do_not_return),
		cmocka_unit_test(cases_of_switches),
		cmocka_unit_test(tail_calls_leave_the_stack_as_it_was),
		cmocka_unit_test(code_of_32_bits),
		cmocka_unit_test(any_bytes_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
