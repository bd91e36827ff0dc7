/* Expected values: the encodings of llvm-mc for the instructions in comments, and their targets by arithmetic. */
#include <string.h>

#include "base/testing.h"
#include "disasm/disasm_priv.h"

#define IP 0x401000u

struct row {
	const struct arch *arch;
	const char *text; /* AT&T syntax, as printed by objdump and by Zydis for x86 (capstone prints "pushq"); NULL = libraries differ */
	const char *code;
	uint8_t bytes, flow;
	uint64_t target, address; /* after IP; 0 = none */
	enum disasm_encoding encoding;
};

#define NO_ADDRESS UINT64_MAX /* a library may take the operand for an address */

static const struct row x86_rows[] = {
	{ &arch_x86_64, "push   %rbp", "\x55", 1, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "mov    %rsp,%rbp", "\x48\x89\xe5", 3, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "lea    0x10(%rax,%rcx,4),%rdx", "\x48\x8d\x54\x88\x10", 5, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, NULL, "\x48\x8d\x3d\x10\x00\x00\x00", 7, INSN_NEXT, 0, 0x17 },
	{ &arch_x86_64, "call   *0x8(%rip)", "\xff\x15\x08\x00\x00\x00", 6, INSN_CALL, 0, 0xe },
	{ &arch_x86_64, NULL, "\xe8\x0d\x00\x00\x00", 5, INSN_CALL, 0x12, 0 },
	{ &arch_x86_64, NULL, "\xeb\x10", 2, INSN_JUMP, 0x12, 0 },
	{ &arch_x86_64, "jmp    *%rax", "\xff\xe0", 2, INSN_JUMP, 0, 0 },
	{ &arch_x86_64, NULL, "\x3e\xff\xe0", 3, INSN_JUMP, 0, 0 },
	{ &arch_x86_64, "jg     0x40100e", "\x7f\x0c", 2, INSN_BRANCH, 0xe, 0 },
	{ &arch_x86_64, "je     0x401012", "\x74\x10", 2, INSN_BRANCH, 0x12, 0 },
	{ &arch_x86_64, "setae  %al", "\x0f\x93\xc0", 3, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "cmova  %ecx,%eax", "\x0f\x47\xc1", 3, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, NULL, "\xe2\x02", 2, INSN_BRANCH, 4, 0 },   /* loop */
	{ &arch_x86_64, NULL, "\xe3\x02", 2, INSN_BRANCH, 4, 0 },   /* jrcxz */
	{ &arch_x86_64, NULL, "\xc3", 1, INSN_RETURN, 0, 0 },
	{ &arch_x86_64, "syscall", "\x0f\x05", 2, INSN_TRAP, 0, 0 },
	{ &arch_x86_64, "int3", "\xcc", 1, INSN_TRAP, 0, 0 },
	{ &arch_x86_64, "endbr64", "\xf3\x0f\x1e\xfa", 4, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "vaddps %ymm0,%ymm1,%ymm2", "\xc5\xf4\x58\xd0", 4, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "lock cmpxchg %ecx,(%rdx)", "\xf0\x0f\xb1\x0a", 4, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "add    $0xffffffff,%eax", "\x83\xc0\xff", 3, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "sub    $0xffffffffffffff80,%rsp", "\x48\x83\xec\x80", 4, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "movabs $0x8000000000000001,%r9", "\x49\xb9\x01\x00\x00\x00\x00\x00\x00\x80", 10, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "movzbl (%rsi,%rax,1),%ecx", "\x0f\xb6\x0c\x06", 4, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "movswl %ax,%eax", "\x0f\xbf\xc0", 3, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "movslq %edx,%rdx", "\x48\x63\xd2", 3, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "cltq", "\x48\x98", 2, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "cqto", "\x48\x99", 2, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "mov    0x0(%rbp),%rax", "\x48\x8b\x45\x00", 4, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "nopw   0x0(%rax,%rax,1)", "\x66\x0f\x1f\x44\x00\x00", 6, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "nopl   (%rax)", "\x0f\x1f\x00", 3, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "vmovdqu64 (%rsi),%ymm17", "\x62\xe1\xfe\x28\x6f\x0e", 6, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "vmovdqu8 (%rsi),%ymm18{%k2}", "\x62\xe1\x7f\x2a\x6f\x16", 6, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "movsd  (%rax),%xmm0", "\xf2\x0f\x10\x00", 4, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "divq   0x8(%r12)", "\x49\xf7\x74\x24\x08", 5, INSN_NEXT, 0, 0 },
	{ &arch_x86_64, "mov    %fs:0x28,%rax", "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9, INSN_NEXT, 0, NO_ADDRESS },
	{ &arch_i386, NULL, "\xe8\x0d\x00\x00\x00", 5, INSN_CALL, 0x12, 0 },
	{ &arch_i386, "inc    %eax", "\x40", 1, INSN_NEXT, 0, 0 }, /* a prefix in 64-bit code */
};

static const struct row other_rows[] = {
	{ &arch_aarch64, NULL, "\x40\x00\x00\x94", 4, INSN_CALL, 0x100, 0 },
	{ &arch_aarch64, NULL, "\x60\x00\x3f\xd6", 4, INSN_CALL, 0, 0 },
	{ &arch_aarch64, NULL, "\xc0\xff\xff\x54", 4, INSN_BRANCH, (uint64_t)-8, 0 },
	{ &arch_aarch64, NULL, "\x40\x00\x00\xb4", 4, INSN_BRANCH, 8, 0 },
	{ &arch_aarch64, NULL, "\x04\x00\x00\x14", 4, INSN_JUMP, 0x10, 0 },
	{ &arch_aarch64, NULL, "\xc0\x03\x5f\xd6", 4, INSN_RETURN, 0, 0 },
	{ &arch_aarch64, "add    x0, x1, x2", "\x20\x00\x02\x8b", 4, INSN_NEXT, 0, 0 },
	{ &arch_arm, NULL, "\x04\x00\x00\xeb", 4, INSN_CALL, 0x18, 0 },
	{ &arch_arm, NULL, "\x1e\xff\x2f\xe1", 4, INSN_RETURN, 0, 0 },
	{ &arch_arm, NULL, "\x02\x00\x00\x0a", 4, INSN_BRANCH, 0x10, 0 },
	{ &arch_arm, NULL, "\x02\x00\x00\xea", 4, INSN_JUMP, 0x10, 0 },
	{ &arch_arm, "add    r0, r1, r2", "\x02\x00\x81\xe0", 4, INSN_NEXT, 0, 0 },
	{ &arch_ppc64le, NULL, "\x11\x00\x00\x48", 4, INSN_CALL, 0x10, 0 },
	{ &arch_ppc64le, NULL, "\x20\x00\x80\x4e", 4, INSN_RETURN, 0, 0 },
	{ &arch_ppc64le, NULL, "\x10\x00\x00\x48", 4, INSN_JUMP, 0x10, 0 },
	{ &arch_ppc64le, "addi   r3, r4, 5", "\x05\x00\x64\x38", 4, INSN_NEXT, 0, 0 },
	{ &arch_ppc64le, NULL, "\x48\x00\x00\x11", 4, INSN_CALL, 0x10, 0, DISASM_BIG_ENDIAN },
	{ &arch_ppc64le, "addi   r3, r4, 5", "\x38\x64\x00\x05", 4, INSN_NEXT, 0, 0, DISASM_BIG_ENDIAN },
	{ &arch_aarch64, "add    x0, x1, x2", "\x20\x00\x02\x8b", 4, INSN_NEXT, 0, 0, DISASM_BIG_ENDIAN },
	{ &arch_arm, NULL, "\x00\xf0\x04\xf8", 4, INSN_CALL, 0xc, 0, DISASM_THUMB },
	{ &arch_arm, NULL, "\x70\x47", 2, INSN_RETURN, 0, 0, DISASM_THUMB },
	{ &arch_arm, NULL, "\x10\xbd", 2, INSN_RETURN, 0, 0, DISASM_THUMB }, /* pop {r4, pc} */
	{ &arch_arm, NULL, "\x02\xd0", 2, INSN_BRANCH, 8, 0, DISASM_THUMB },
	{ &arch_arm, NULL, "\x10\xb1", 2, INSN_BRANCH, 8, 0, DISASM_THUMB }, /* cbz */
	{ &arch_arm, NULL, "\x02\xe0", 2, INSN_JUMP, 8, 0, DISASM_THUMB },
	{ &arch_arm, "adds   r0, r1, r2", "\x88\x18", 2, INSN_NEXT, 0, 0, DISASM_THUMB },
	{ &arch_s390x, NULL, "\xc0\xe5\x00\x00\x00\x08", 6, INSN_CALL, 0x10, 0 },
	{ &arch_s390x, NULL, "\xa7\x74\x00\x04", 4, INSN_BRANCH, 8, 0 },
	{ &arch_s390x, NULL, "\xa7\xf4\x00\x06", 4, INSN_JUMP, 0xc, 0 },
	{ &arch_s390x, NULL, "\x07\xfe", 2, INSN_RETURN, 0, 0 },
	{ &arch_s390x, "lgr    %r2, %r3", "\xb9\x04\x00\x23", 4, INSN_NEXT, 0, 0 },
};

static void check_text(struct disasm *d, const struct row *row)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	disasm_text(d, &out, row->code, row->bytes, IP);
	const char *text = out_mem(&out, &n);
	if (n != strlen(row->text) || memcmp(text, row->text, n))
		fail_msg("'%.*s' for '%s'", (int)n, text, row->text);
	error_destroy(out_close(&out));
}

static void check_row(struct disasm *d, const struct row *row)
{
	/* The following bytes do not matter, and a truncated instruction is invalid. */
	uint8_t code[32] = { 0 };
	struct insn i;
	memcpy(code, row->code, row->bytes);
	if (!disasm_decode(d, code, sizeof(code), IP, &i) || i.bytes != row->bytes || i.flow != row->flow)
		fail_msg("%s %02x %02x: %u bytes, flow %u", row->arch->name, code[0], code[1], i.bytes, i.flow);
	assert_int_equal(i.has_target, row->target != 0);
	if (row->target)
		assert_true(i.target == IP + row->target);
	if (row->address == NO_ADDRESS)
		assert_false(i.has_address);
	else if (row->address)
		assert_true(i.has_address && i.address == IP + row->address);
	for (size_t n = 0; n < row->bytes; n++)
		assert_false(disasm_decode(d, row->code, n, IP, &i) && i.bytes > n);
	bool is_x86 = row->arch == &arch_x86_64 || row->arch == &arch_i386;
	if (row->text && (!is_x86 || d->library == &disasm_zydis))
		check_text(d, row);
}

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct disasm *d;
		struct strobe_error *err = disasm_create(rows[i].arch, rows[i].encoding, DISASM_ATT, &d);
		if (err) {
			assert_int_equal(err->code, ERROR_UNSUPPORTED);
			error_destroy(err);
			return; /* the build lacks the library */
		}
		check_row(d, &rows[i]);
		disasm_destroy(d);
	}
}

static void test_x86(void **state)
{
	check(x86_rows, sizeof(x86_rows) / sizeof(*x86_rows));
}

static void test_others(void **state)
{
	check(other_rows, sizeof(other_rows) / sizeof(*other_rows));
}

/* The two libraries agree on length, flow and addresses. */
static void check_capstone(const struct row *row)
{
	struct disasm *d;
	assert_ok(disasm_capstone.create(row->arch, DISASM_USUAL, DISASM_ATT, &d));
	*d = (struct disasm){ &disasm_capstone, row->arch, DISASM_USUAL, DISASM_ATT };
	check_row(d, row);
	disasm_destroy(d);
}

static void test_capstone_x86(void **state)
{
	/* mov 0x401008,%eax on an architecture without %rip; mov %gs:0x14,%eax, whose segment base is unknown. */
	static const struct row absolute[] = {
		{ &arch_i386, NULL, "\xa1\x08\x10\x40\x00", 5, INSN_NEXT, 0, 8 },
		{ &arch_i386, NULL, "\x65\xa1\x14\x00\x00\x00", 6, INSN_NEXT, 0, NO_ADDRESS },
	};
	if (!disasm_capstone.create)
		return;
	for (size_t i = 0; i < sizeof(x86_rows) / sizeof(*x86_rows); i++)
		check_capstone(&x86_rows[i]);
	for (size_t i = 0; i < sizeof(absolute) / sizeof(*absolute); i++)
		check_capstone(&absolute[i]);
}

static void test_intel(void **state)
{
	struct disasm *d;
	struct strobe_error *err = disasm_create(&arch_x86_64, DISASM_USUAL, DISASM_INTEL, &d);
	if (err) {
		error_destroy(err);
		return;
	}
	check_text(d, &(struct row){ &arch_x86_64, "mov    rbp, rsp", "\x48\x89\xe5", 3, 0, 0, 0 });
	check_text(d, &(struct row){ &arch_x86_64, ".byte 0x06", "\x06", 1, 0, 0, 0 }); /* invalid in 64-bit mode */
	disasm_destroy(d);
}

/* For instructions of several lengths, the first bytes determine the length. */
static void test_unknown_bytes(void **state)
{
	static const struct {
		struct disasm d;
		const char *code;
		size_t n, unknown_bytes;
	} rows[] = {
		{ { .arch = &arch_x86_64 }, "\x06", 9, 1 },
		{ { .arch = &arch_ppc64le }, "\0\0\0\0", 8, 4 },
		{ { .arch = &arch_ppc64le }, "\0\0\0\0", 3, 3 },
		{ { .arch = &arch_s390x }, "\x01\xff", 9, 2 },
		{ { .arch = &arch_s390x }, "\xb9\xff", 9, 4 },
		{ { .arch = &arch_s390x }, "\xec\x08", 9, 6 },
		{ { .arch = &arch_arm, .encoding = DISASM_THUMB }, "\xff\xde", 9, 2 },
		{ { .arch = &arch_arm, .encoding = DISASM_THUMB }, "\xff\xef", 9, 4 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(disasm_unknown_bytes(&rows[i].d, rows[i].code, rows[i].n), rows[i].unknown_bytes);
}

static void test_unknown(void **state)
{
	struct disasm *d;
	struct strobe_error *err = disasm_create(NULL, DISASM_USUAL, DISASM_ATT, &d);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_UNSUPPORTED);
	error_destroy(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),   cmocka_unit_test(test_others),  cmocka_unit_test(test_capstone_x86),
		cmocka_unit_test(test_intel), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_unknown_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
