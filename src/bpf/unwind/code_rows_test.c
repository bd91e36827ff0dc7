/* What the BPF program makes of rules: each kind by hand, and a whole table word by word. */
#include "base/testing.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vector.h"
#include "bpf/unwind/code_rows.h"

static struct unwind_save saves[] = {
	{ .reg = 16, .kind = UNWIND_SAVE_OFFSET, .value = -8 },
	{ .reg = 6, .kind = UNWIND_SAVE_OFFSET, .value = -16 },
	{ .reg = 3, .kind = UNWIND_SAVE_OFFSET, .value = -24 },
	/* 3: realigned: rbp lies where it points to itself */
	{ .reg = 16, .kind = UNWIND_SAVE_OFFSET, .value = -8 },
	{ .reg = 6, .kind = UNWIND_SAVE_AT, .base = 6, .value = 0 },
	{ .reg = 12, .kind = UNWIND_SAVE_AT, .base = 6, .value = -24 },
	/* 6: a signal frame */
	{ .reg = 16, .kind = UNWIND_SAVE_AT, .base = 7, .value = 168 },
	/* 7: what only user space can find */
	{ .reg = 16, .kind = UNWIND_SAVE_EXPR, .value = 0 },
	{ .reg = 16, .kind = UNWIND_SAVE_UNDEFINED },
	/* 9: registers that no caller counts on */
	{ .reg = 0, .kind = UNWIND_SAVE_EXPR, .value = 0 },
	{ .reg = 16, .kind = UNWIND_SAVE_OFFSET, .value = -8 },
	/* 11: a register kept in another */
	{ .reg = 16, .kind = UNWIND_SAVE_OFFSET, .value = -8 },
	{ .reg = 13, .kind = UNWIND_SAVE_REG, .base = 10 },
};

static struct unwind_rule rules[] = {
	{},
	{ .kind = UNWIND_CFA_REG, .reg = 7, .value = 32, .ra = 16, .saves = 0, .saves_nr = 3 },
	{ .kind = UNWIND_CFA_DEREF, .reg = 6, .value = -8, .ra = 16, .saves = 3, .saves_nr = 3 },
	{ .kind = UNWIND_CFA_PLT, .reg = 7, .value = 11, .ra = 16, .saves = 0, .saves_nr = 1 },
	{ .kind = UNWIND_CFA_DEREF, .reg = 7, .value = 160, .ra = 16, .flags = UNWIND_SIGNAL, .saves = 6, .saves_nr = 1 },
	{ .kind = UNWIND_CFA_REG, .reg = 7, .value = 8, .ra = 16, .flags = UNWIND_END },
	{ .kind = UNWIND_CFA_EXPR, .value = 0, .ra = 16, .saves = 0, .saves_nr = 1 },
	{ .kind = UNWIND_CFA_REG, .reg = 7, .value = 8, .ra = 16, .saves = 7, .saves_nr = 1 },
	{ .kind = UNWIND_CFA_REG, .reg = 7, .value = 8, .ra = 16, .saves = 9, .saves_nr = 2 },
	{ .kind = UNWIND_CFA_REG, .reg = 7, .value = 8, .ra = 16, .saves = 11, .saves_nr = 2 },
	{ .kind = UNWIND_CFA_REG, .reg = 7, .value = 8, .ra = 16 },
	{ .kind = UNWIND_CFA_REG, .reg = 17, .value = 8, .ra = 16, .saves = 0, .saves_nr = 1 },
	{ .kind = UNWIND_CFA_DEREF, .reg = 6, .value = -8, .ra = 16, .flags = UNWIND_SIGNAL, .saves = 6, .saves_nr = 1 },
};

static struct unwind_code_rule made(unsigned i)
{
	struct unwind_table t = { .saves = saves, .rules = rules };
	return code_rule_of(&arch_x86_64, &t, &rules[i]);
}

/* In the order of arch.dwarf_kept. */
enum { KEPT_RBX, KEPT_RBP, KEPT_R12 };

static void plain_frames(void **state)
{
	struct unwind_code_rule r = made(1);
	assert_int_equal(r.kind, UNWIND_RULE_REG);
	assert_int_equal(r.reg, 7);
	assert_int_equal(r.value, 32);
	assert_int_equal(r.kept, 1 << UNWIND_KEPT_RA | 1 << KEPT_RBP | 1 << KEPT_RBX);
	assert_int_equal(r.based, 0);
	assert_int_equal(r.at[UNWIND_KEPT_RA], -8);
	assert_int_equal(r.at[KEPT_RBP], -16);
	assert_int_equal(r.at[KEPT_RBX], -24);
	assert_int_equal(made(8).kind, UNWIND_RULE_REG);
	assert_int_equal(made(3).kind, UNWIND_RULE_PLT);
	assert_int_equal(made(3).value, 11);
	assert_int_equal(made(0).kind, UNWIND_RULE_NONE);
	assert_int_equal(made(5).kind, UNWIND_RULE_END);
}

static void realigned_frames(void **state)
{
	struct unwind_code_rule r = made(2);
	assert_int_equal(r.kind, UNWIND_RULE_DEREF);
	assert_int_equal(r.reg, 6);
	assert_int_equal(r.value, -8);
	assert_int_equal(r.based, 1 << KEPT_RBP | 1 << KEPT_R12);
	assert_int_equal(r.at[KEPT_RBP], 0);
	assert_int_equal(r.at[KEPT_R12], -24);
	assert_int_equal(r.at[UNWIND_KEPT_RA], -8);
}

static void signal_frames(void **state)
{
	assert_int_equal(made(4).kind, UNWIND_RULE_SIGNAL);
	assert_int_equal(made(12).kind, UNWIND_RULE_USER); /* of another layout */
}

static void for_user_space(void **state)
{
	for (unsigned i = 6; i <= 11; i++)
		if (i != 8)
			assert_int_equal(made(i).kind, UNWIND_RULE_USER);
}

/* arm64: x19 and x29 with the return address on the stack, a leaf that has it in x30, a rule by an odd register, a signal. */
static void arm64_frames(void **state)
{
	static struct unwind_save arm_saves[] = {
		{ .reg = 29, .kind = UNWIND_SAVE_OFFSET, .value = -32 },
		{ .reg = 30, .kind = UNWIND_SAVE_OFFSET, .value = -24 },
		{ .reg = 19, .kind = UNWIND_SAVE_OFFSET, .value = -16 },
		{ .reg = 8, .kind = UNWIND_SAVE_EXPR },
	};
	struct unwind_rule arm_rules[] = {
		{ .kind = UNWIND_CFA_REG, .reg = 31, .value = 32, .ra = 30, .saves_nr = 4 },
		{ .kind = UNWIND_CFA_REG, .reg = 31, .ra = 30 },
		{ .kind = UNWIND_CFA_REG, .reg = 40, .ra = 30 },
		{ .kind = UNWIND_CFA_REG, .reg = 29, .ra = 30, .flags = UNWIND_SIGNAL, .saves_nr = 2 },
	};
	struct unwind_table t = { .saves = arm_saves, .rules = arm_rules };
	struct unwind_code_rule r = code_rule_of(&arch_aarch64, &t, &arm_rules[0]);
	assert_int_equal(r.kind, UNWIND_RULE_REG);
	assert_int_equal(r.reg, 31);
	assert_int_equal(r.kept, 1 << UNWIND_KEPT_RA | 1 << 0 | 1 << 10);
	assert_int_equal(r.at[0], -16);
	assert_int_equal(r.at[10], -32);
	assert_int_equal(r.at[UNWIND_KEPT_RA], -24);
	r = code_rule_of(&arch_aarch64, &t, &arm_rules[1]);
	assert_int_equal(r.kind, UNWIND_RULE_REG);
	assert_int_equal(r.kept, 0);
	assert_int_equal(code_rule_of(&arch_aarch64, &t, &arm_rules[2]).kind, UNWIND_RULE_USER);
	assert_int_equal(code_rule_of(&arch_aarch64, &t, &arm_rules[3]).kind, UNWIND_RULE_SIGNAL);
}

static void whole_tables(void **state)
{
	/* Rows at 0, 0x10, 0x7f0, 0x800, 0x810; the first begins nowhere. */
	uint32_t rows[] = { 0, 1, 0x10 << 22 | 2, 0x3f0u << 22, 1, 0x10 << 22 };
	uint32_t pages[] = { 1, 3, 4, 6 };
	struct unwind_table t = { .rows = rows, .rows_nr = 6, .pages = pages, .pages_nr = 3, .rules = rules, .rules_nr = 3,
				  .saves = saves };
	struct unwind_code_rule *list = xcalloc(UNWIND_RULES, sizeof(*list));
	struct code_rules interned;
	uint32_t words[14];
	code_rules_init(&interned, &arch_x86_64, list);
	assert_int_equal(code_words_of(&t), 13);
	words[13] = 0x5742;
	assert_true(code_rows_write(&interned, &t, words));
	assert_int_equal(interned.nr, 3);
	static const uint32_t expected[] = { 2, 1, 0, 1, 3, 4, 6, 0, 1, 0x4000002, 0xfc000000, 1, 0x4000000, 0x5742 };
	assert_memory_equal(words, expected, sizeof(expected));
	/* Once more: the rules are known. */
	assert_true(code_rows_write(&interned, &t, words));
	assert_int_equal(interned.nr, 3);
	/* No room for another. */
	interned.nr = UNWIND_RULES;
	t.rules_nr = 4;
	assert_false(code_rows_write(&interned, &t, words));
	code_rules_deinit(&interned);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_frames), cmocka_unit_test(realigned_frames), cmocka_unit_test(signal_frames),
		cmocka_unit_test(for_user_space), cmocka_unit_test(arm64_frames), cmocka_unit_test(whole_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
