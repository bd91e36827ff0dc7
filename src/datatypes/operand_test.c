/* Operands and effects of instructions as the disassembler writes them, against the processor's manual. */
#include "base/testing.h"

#include "datatypes/operand.h"

enum { RAX, RDX, RCX, RBX, RSI, RDI };

static void has_operand(const char *text, bool is_access, bool has_base, uint8_t base, bool has_index, int64_t displacement)
{
	struct operand o;
	assert_int_equal(operand_of_text(&arch_x86_64, text, &o), is_access);
	if (!is_access)
		return;
	assert_int_equal(o.has_base, has_base);
	assert_int_equal(o.has_index, has_index);
	assert_int_equal(o.displacement, displacement);
	if (has_base)
		assert_int_equal(o.base, base);
}

static void finds_operands_in_memory(void **state)
{
	(void)state;
	has_operand("mov    0x8(%rdi),%rax", true, true, RDI, false, 8);
	has_operand("movl   $0x1,-0x8(%rbx)", true, true, RBX, false, -8);
	has_operand("mov    (%rdx,%rcx,8),%rax", true, true, RDX, true, 0);
	has_operand("mov    0x2e(%rip),%rax", true, false, 0, false, 0);
	has_operand("lea    0x8(%rdi),%rax", false, false, 0, false, 0);
	has_operand("nopw   0x0(%rax,%rax,1)", false, false, 0, false, 0);
	has_operand("mov    %rdi,%rax", false, false, 0, false, 0);
	has_operand("mov    %fs:0x8(%rdi),%rax", false, false, 0, false, 0);
	has_operand("movsb  (%rsi),(%rdi)", false, false, 0, false, 0);
}

static void knows_what_becomes_of_a_register(void **state)
{
	static const struct {
		const char *text;
		uint8_t reg;
		enum effect effect;
	} rows[] = {
		{ "mov    0x8(%rdi),%rax", RAX, EFFECT_LOAD },      { "mov    0x8(%rdi),%rax", RDI, EFFECT_NONE },
		{ "mov    0x8(%rdi),%eax", RAX, EFFECT_OTHER },     { "movslq 0x8(%rdi),%rax", RAX, EFFECT_OTHER },
		{ "mov    %rdi,%rax", RAX, EFFECT_COPY },           { "mov    %edi,%eax", RAX, EFFECT_OTHER },
		{ "mov    %rax,0x8(%rdi)", RDI, EFFECT_NONE },      { "lea    0x18(%rdi),%rax", RAX, EFFECT_ADDRESS },
		{ "lea    (%rdi,%rax,8),%rax", RAX, EFFECT_ADDRESS }, { "mov    $0x1,%ah", RAX, EFFECT_OTHER },
		{ "add    $0x8,%rax", RAX, EFFECT_OTHER },          { "cmp    $0x8,%rax", RAX, EFFECT_NONE },
		{ "cmpxchg %rdx,(%rdi)", RAX, EFFECT_OTHER },       { "xchg   %rax,%rdx", RAX, EFFECT_OTHER },
		{ "xchg   %rax,%rdx", RDX, EFFECT_OTHER },          { "mul    %rdi", RDX, EFFECT_OTHER },
		{ "imul   %rdi", RDX, EFFECT_OTHER },               { "imul   %rdi,%rax", RDX, EFFECT_NONE },
		{ "div    %rdi", RAX, EFFECT_OTHER },               { "divsd  %xmm0,%xmm1", RAX, EFFECT_NONE },
		{ "cqto", RDX, EFFECT_OTHER },                      { "syscall", RCX, EFFECT_OTHER },
		{ "rep stos %al,(%rdi)", RDI, EFFECT_OTHER },       { "movsb  (%rsi),(%rdi)", RSI, EFFECT_OTHER },
		{ "call   0x401000", RAX, EFFECT_OTHER },           { "call   0x401000", RBX, EFFECT_NONE },
		{ "call   *0x8(%rdi)", RDI, EFFECT_OTHER },         { "pop    %rax", RAX, EFFECT_OTHER },
		{ "push   %rax", RAX, EFFECT_NONE },                { "cmove  %rdx,%rax", RAX, EFFECT_OTHER },
		{ "movq   %xmm0,%rax", RAX, EFFECT_OTHER },         { "test   %rax,%rax", RAX, EFFECT_NONE },
		{ "lock cmpxchg %rdx,(%rdi)", RAX, EFFECT_OTHER },  { "xadd   %rax,(%rdi)", RAX, EFFECT_OTHER },
		{ "jne    0x401000", RAX, EFFECT_NONE },            { "some   unknown", RAX, EFFECT_OTHER },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t from;
		if (effect_of_text(rows[i].text, rows[i].reg, &from) != rows[i].effect)
			fail_msg("%s: register %u", rows[i].text, rows[i].reg);
	}
}

static void names_the_source_of_a_copy(void **state)
{
	uint8_t from = 0;
	(void)state;
	assert_int_equal(effect_of_text("mov    %r12,%rdi", RDI, &from), EFFECT_COPY);
	assert_int_equal(from, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_operands_in_memory),
		cmocka_unit_test(knows_what_becomes_of_a_register),
		cmocka_unit_test(names_the_source_of_a_copy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
