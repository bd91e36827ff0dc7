/* Truth: the encodings of GNU as and nasm for the instructions written beside them. */
#include "unwind/x86_step.h"

#include <string.h>

#include "base/testing.h"

#define AT 0x401000u

struct row {
	const char *text, *code;
	uint8_t bytes, flow, effect, reg;
	int32_t value;
	uint16_t written;
	uint64_t target; /* from AT */
};

#define BIT(reg) (1u << (reg))

static const struct row rows[] = {
	{ "push %rbp", "\x55", 1, X86_NEXT, X86_PUSH, X86_RBP, 0, 0, 0 },
	{ "push %r15", "\x41\x57", 2, X86_NEXT, X86_PUSH, 15, 0, 0, 0 },
	{ "push $0x1000", "\x68\x00\x10\x00\x00", 5, X86_NEXT, X86_PUSH, X86_NO_REG, 0, 0, 0 },
	{ "push 8(%rip)", "\xff\x35\x08\x00\x00\x00", 6, X86_NEXT, X86_PUSH, X86_NO_REG, 0, 0, 0 },
	{ "pop %rbx", "\x5b", 1, X86_NEXT, X86_POP, X86_RBX, 0, 0, 0 },
	{ "mov %rsp,%rbp", "\x48\x89\xe5", 3, X86_NEXT, X86_SP_TO, X86_RBP, 0, 0, 0 },
	{ "mov %rsp,%rbp, as nasm writes it", "\x48\x8b\xec", 3, X86_NEXT, X86_SP_TO, X86_RBP, 0, 0, 0 },
	{ "mov %r10,%rsp", "\x4c\x89\xd4", 3, X86_NEXT, X86_SP_FROM, 10, 0, 0, 0 },
	{ "lea -0x28(%rbp),%rsp", "\x48\x8d\x65\xd8", 4, X86_NEXT, X86_SP_FROM, X86_RBP, -0x28, 0, 0 },
	{ "lea 8(%rsp),%r10", "\x4c\x8d\x54\x24\x08", 5, X86_NEXT, X86_SP_TO, 10, 8, 0, 0 },
	{ "lea 16(%rsp),%rsp", "\x48\x8d\x64\x24\x10", 5, X86_NEXT, X86_ADD, X86_NO_REG, 16, 0, 0 },
	{ "lea (%rsp,%rax,8),%rdx", "\x48\x8d\x14\xc4", 4, X86_NEXT, X86_NONE, X86_NO_REG, 0, BIT(X86_RDX), 0 },
	{ "sub $0x18,%rsp", "\x48\x83\xec\x18", 4, X86_NEXT, X86_ADD, X86_NO_REG, -0x18, 0, 0 },
	{ "add $0x1000,%rsp", "\x48\x81\xc4\x00\x10\x00\x00", 7, X86_NEXT, X86_ADD, X86_NO_REG, 0x1000, 0, 0 },
	{ "cmp $8,%rsp", "\x48\x83\xfc\x08", 4, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "and $-32,%rsp", "\x48\x83\xe4\xe0", 4, X86_NEXT, X86_ALIGN, X86_NO_REG, 0, 0, 0 },
	{ "sub %rax,%rsp", "\x48\x29\xc4", 3, X86_NEXT, X86_SP_UNKNOWN, X86_NO_REG, 0, 0, 0 },
	{ "mov %r9,0x40(%rsp)", "\x4c\x89\x4c\x24\x40", 5, X86_NEXT, X86_STORE, 9, 0x40, 0, 0 },
	{ "mov 0x40(%rsp),%rsp", "\x48\x8b\x64\x24\x40", 5, X86_NEXT, X86_SP_LOAD, X86_NO_REG, 0x40, 0, 0 },
	{ "mov (%r12),%rsp", "\x49\x8b\x24\x24", 4, X86_NEXT, X86_SP_UNKNOWN, X86_NO_REG, 0, 0, 0 },
	{ "leave", "\xc9", 1, X86_NEXT, X86_LEAVE, X86_NO_REG, 0, 0, 0 },
	{ "ret", "\xc3", 1, X86_RETURN, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "repz ret", "\xf3\xc3", 2, X86_RETURN, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "call", "\xe8\x0d\x00\x00\x00", 5, X86_CALL, X86_NONE, X86_NO_REG, 0, 0, 0x12 },
	{ "call *8(%rip)", "\xff\x15\x08\x00\x00\x00", 6, X86_CALL, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "jmp *%rax", "\xff\xe0", 2, X86_JUMP, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "jmp", "\xeb\x10", 2, X86_JUMP, X86_NONE, X86_NO_REG, 0, 0, 0x12 },
	{ "jne", "\x0f\x85\x00\x01\x00\x00", 6, X86_BRANCH, X86_NONE, X86_NO_REG, 0, 0, 0x106 },
	{ "ud2", "\x0f\x0b", 2, X86_STOP, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "mov $0x1122334455667788,%rcx", "\x48\xb9\x88\x77\x66\x55\x44\x33\x22\x11", 10, X86_NEXT, X86_NONE, X86_NO_REG, 0,
	  BIT(X86_RCX), 0 },
	{ "movw $0x1234,(%rdi)", "\x66\xc7\x07\x34\x12", 5, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "test $1,%dl", "\xf6\xc2\x01", 3, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "vpshufb %ymm1,%ymm2,%ymm3", "\xc4\xe2\x6d\x00\xd9", 5, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "vpalignr $4,%xmm1,%xmm2,%xmm3", "\xc4\xe3\x69\x0f\xd9\x04", 6, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "vpaddd 64(%rsp),%zmm0,%zmm1", "\x62\xf1\x7d\x48\xfe\x4c\x24\x01", 8, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "vmovd %xmm1,%ebp", "\xc5\xf9\x7e\xcd", 4, X86_NEXT, X86_NONE, X86_NO_REG, 0, BIT(X86_RBP), 0 },
	{ "movq %xmm1,%r8", "\x66\x49\x0f\x7e\xc8", 5, X86_NEXT, X86_NONE, X86_NO_REG, 0, BIT(8), 0 },
	{ "mulx %rax,%rbp,%r8", "\xc4\x62\xd3\xf6\xc0", 5, X86_NEXT, X86_NONE, X86_NO_REG, 0, BIT(X86_RAX) | BIT(X86_RBP) | BIT(8), 0 },
	{ "movabs %al,0x1122334455667788", "\xa2\x88\x77\x66\x55\x44\x33\x22\x11", 9, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
};

static void instructions_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct x86_step s;
		if (!x86_step_decode((const uint8_t *)r->code, r->bytes, AT, false, &s))
			fail_msg("%s: unknown", r->text);
		uint64_t target = r->target ? AT + r->target : 0;
		if (s.bytes != r->bytes || s.flow != r->flow || s.effect != r->effect || s.reg != r->reg || s.value != r->value ||
		    s.written != r->written || s.target != target)
			fail_msg("%s: %u bytes, flow %u, effect %u of %u by %d, writes %x", r->text, s.bytes, s.flow, s.effect, s.reg,
				 s.value, s.written);
	}
}

/* Of 32-bit code: what is another instruction there, or none. */
static const struct row narrow_rows[] = {
	{ "inc %esi", "\x46", 1, X86_NEXT, X86_NONE, X86_NO_REG, 0, BIT(X86_RSI), 0 },
	{ "dec %ecx", "\x49", 1, X86_NEXT, X86_NONE, X86_NO_REG, 0, BIT(X86_RCX), 0 },
	{ "push %ebx", "\x53", 1, X86_NEXT, X86_PUSH, X86_RBX, 0, 0, 0 },
	{ "sub $0x1c,%esp", "\x83\xec\x1c", 3, X86_NEXT, X86_ADD, X86_NO_REG, -0x1c, 0, 0 },
	{ "mov %esp,%ebp", "\x89\xe5", 2, X86_NEXT, X86_SP_TO, X86_RBP, 0, 0, 0 },
	{ "lea -0xc(%ebp),%esp", "\x8d\x65\xf4", 3, X86_NEXT, X86_SP_FROM, X86_RBP, -0xc, 0, 0 },
	{ "and $-16,%esp", "\x83\xe4\xf0", 3, X86_NEXT, X86_ALIGN, X86_NO_REG, 0, 0, 0 },
	{ "mov %al,0x11223344", "\xa2\x44\x33\x22\x11", 5, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
	{ "call of the next", "\xe8\x00\x00\x00\x00", 5, X86_NEXT, X86_PUSH, X86_NO_REG, 0, 0, 0 },
	{ "jmp, backwards", "\xeb\xfe", 2, X86_JUMP, X86_NONE, X86_NO_REG, 0, 0, UINT64_MAX },
	{ "vpaddd %xmm1,%xmm2,%xmm3", "\xc5\xe9\xfe\xd9", 4, X86_NEXT, X86_NONE, X86_NO_REG, 0, 0, 0 },
};

static void of_32_bits_some_are_others(void **state)
{
	(void)state;
	struct x86_step s;
	for (size_t i = 0; i < sizeof(narrow_rows) / sizeof(*narrow_rows); i++) {
		const struct row *r = &narrow_rows[i];
		uint64_t target = r->target == UINT64_MAX ? AT : r->target;
		if (!x86_step_decode((const uint8_t *)r->code, r->bytes, AT, true, &s) || s.bytes != r->bytes || s.flow != r->flow ||
		    s.effect != r->effect || s.reg != r->reg || s.value != r->value || s.written != r->written || s.target != target)
			fail_msg("%s: %u bytes, flow %u, effect %u of %u by %d, writes %x", r->text, s.bytes, s.flow, s.effect, s.reg,
				 s.value, s.written);
	}
	assert_true(x86_step_decode((const uint8_t *)"\x8d\x74\x26\x00", 4, AT, true, &s) && s.is_padding); /* lea 0(%esi,%eiz,1),%esi */
	assert_false(x86_step_decode((const uint8_t *)"\xc4\x06\x00\x00", 4, AT, true, &s));               /* les (%esi),%eax */
}

static void what_is_cut_is_unknown(void **state)
{
	(void)state;
	struct x86_step s;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t n = 0; n < rows[i].bytes; n++)
			assert_false(x86_step_decode((const uint8_t *)rows[i].code, n, AT, false, &s));
}

static void what_is_no_instruction_is_unknown(void **state)
{
	(void)state;
	static const char *const codes[] = { "\x06", "\x0f\x04", "\xd6",
					     "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90" };
	struct x86_step s;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		assert_false(x86_step_decode((const uint8_t *)codes[i], 16, AT, false, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_known),
		cmocka_unit_test(of_32_bits_some_are_others),
		cmocka_unit_test(what_is_cut_is_unknown),
		cmocka_unit_test(what_is_no_instruction_is_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
