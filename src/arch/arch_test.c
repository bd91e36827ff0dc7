#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <string.h>
#include <sys/utsname.h>
#ifdef __x86_64__
#include <asm/perf_regs.h>
#include <sys/user.h>
#endif

#include "arch/arch.h"

static void test_every_descriptor_is_whole(void **state)
{
	for (const struct arch *const *a = arch_all; *a; a++) {
		assert_non_null((*a)->name);
		assert_true((*a)->regs_nr <= 64);
		assert_true((*a)->pointer_bytes == 4 || (*a)->pointer_bytes == 8);
		assert_true((*a)->insn_align == 1 || (*a)->insn_align == 2 || (*a)->insn_align == 4);
		assert_non_null(arch_reg_name(*a, (unsigned)(*a)->pc));
		assert_non_null(arch_reg_name(*a, (unsigned)(*a)->sp));
		assert_non_null(arch_reg_name(*a, (unsigned)(*a)->fp));
		for (unsigned i = 0; i < (*a)->dwarf_arguments_nr; i++)
			assert_non_null(arch_reg_name(*a, (*a)->dwarf_regs[(*a)->dwarf_arguments[i]]));
		assert_ptr_equal(arch_by_uname((*a)->uname_names[0]), *a);
		assert_ptr_equal(arch_by_elf((*a)->e_machine, (*a)->pointer_bytes * 8u), *a);
	}
}

static void test_registers_by_perf_number(void **state)
{
#ifdef __x86_64__
	/* The kernel's own header is the second source. */
	assert_int_equal(arch_x86_64.pc, PERF_REG_X86_IP);
	assert_int_equal(arch_x86_64.sp, PERF_REG_X86_SP);
	assert_int_equal(arch_x86_64.fp, PERF_REG_X86_BP);
	assert_string_equal(arch_reg_name(&arch_x86_64, PERF_REG_X86_R15), "R15");
	assert_string_equal(arch_reg_name(&arch_x86_64, PERF_REG_X86_XMM15 + 1), "XMM15");
	assert_string_equal(arch_reg_name(&arch_i386, PERF_REG_X86_GS), "GS");
#endif
	assert_null(arch_reg_name(&arch_i386, 16));
	assert_string_equal(arch_reg_name(&arch_aarch64, 32), "pc");
	assert_string_equal(arch_reg_name(&arch_aarch64, 46), "vg");
	assert_null(arch_reg_name(&arch_aarch64, 40));
	assert_null(arch_reg_name(&arch_aarch64, 63));
	assert_string_equal(arch_reg_name(&arch_riscv64, 0), "pc");
	assert_string_equal(arch_reg_name(&arch_riscv64, 31), "t6");
	assert_string_equal(arch_reg_name(&arch_s390x, 33), "PC");
	assert_string_equal(arch_reg_name(&arch_ppc64le, 44), "mmcra");
	assert_string_equal(arch_reg_name(&arch_ppc64le, 36), "link");
}

/* What a task's registers are called, and where ptrace(2) has them: by the kernel's and the C library's headers. */
static void test_registers_of_tasks(void **state)
{
#ifdef __x86_64__
	static const struct {
		unsigned reg;
		size_t offset;
	} regs[] = {
		{ PERF_REG_X86_AX, offsetof(struct user_regs_struct, rax) }, { PERF_REG_X86_BX, offsetof(struct user_regs_struct, rbx) },
		{ PERF_REG_X86_CX, offsetof(struct user_regs_struct, rcx) }, { PERF_REG_X86_DX, offsetof(struct user_regs_struct, rdx) },
		{ PERF_REG_X86_SI, offsetof(struct user_regs_struct, rsi) }, { PERF_REG_X86_DI, offsetof(struct user_regs_struct, rdi) },
		{ PERF_REG_X86_BP, offsetof(struct user_regs_struct, rbp) }, { PERF_REG_X86_SP, offsetof(struct user_regs_struct, rsp) },
		{ PERF_REG_X86_IP, offsetof(struct user_regs_struct, rip) }, { PERF_REG_X86_CS, offsetof(struct user_regs_struct, cs) },
		{ PERF_REG_X86_FLAGS, offsetof(struct user_regs_struct, eflags) },
		{ PERF_REG_X86_SS, offsetof(struct user_regs_struct, ss) },  { PERF_REG_X86_R8, offsetof(struct user_regs_struct, r8) },
		{ PERF_REG_X86_R9, offsetof(struct user_regs_struct, r9) },  { PERF_REG_X86_R10, offsetof(struct user_regs_struct, r10) },
		{ PERF_REG_X86_R11, offsetof(struct user_regs_struct, r11) }, { PERF_REG_X86_R12, offsetof(struct user_regs_struct, r12) },
		{ PERF_REG_X86_R13, offsetof(struct user_regs_struct, r13) }, { PERF_REG_X86_R14, offsetof(struct user_regs_struct, r14) },
		{ PERF_REG_X86_R15, offsetof(struct user_regs_struct, r15) },
	};
	uint64_t all = 0;
	for (size_t i = 0; i < sizeof(regs) / sizeof(*regs); i++) {
		all |= 1ull << regs[i].reg;
		assert_int_equal(arch_x86_64.ptrace_regs[regs[i].reg] * sizeof(uint64_t), regs[i].offset);
	}
	assert_true(arch_x86_64.task_regs == all);
#endif
	for (const struct arch *const *a = arch_all; *a; a++) {
		for (unsigned i = 0; i < 64; i++)
			if ((*a)->task_regs >> i & 1)
				assert_non_null(arch_reg_name(*a, i));
		if ((*a)->compat)
			assert_true((*a)->compat->pointer_bytes < (*a)->pointer_bytes);
	}
	/* ptrace(2) of arm64 gives x0 to x30, sp and pc, in the order of the samples. */
	assert_null(arch_aarch64.ptrace_regs);
	assert_true(arch_aarch64.task_regs == 0x1ffffffff);
}

static void test_dwarf_registers(void **state)
{
	for (const struct arch *const *a = arch_all; *a; a++) {
		uint64_t seen = 0;
		if (!(*a)->dwarf_regs)
			continue;
		assert_int_equal((*a)->dwarf_regs[(*a)->dwarf_sp], (*a)->sp);
		if ((*a)->dwarf_fp != ARCH_DWARF_NONE)
			assert_int_equal((*a)->dwarf_regs[(*a)->dwarf_fp], (*a)->fp);
		for (unsigned i = 0; i < (*a)->dwarf_regs_nr; i++) {
			unsigned perf = (*a)->dwarf_regs[i];
			if (perf == ARCH_DWARF_NONE)
				continue;
			assert_non_null(arch_reg_name(*a, perf));
			assert_false(seen >> perf & 1);
			seen |= 1ull << perf;
		}
	}
	/* psABI: DWARF 1 is rdx, 3 rbx. */
	assert_string_equal(arch_reg_name(&arch_x86_64, arch_x86_64.dwarf_regs[1]), "DX");
	assert_string_equal(arch_reg_name(&arch_x86_64, arch_x86_64.dwarf_regs[3]), "BX");
	assert_string_equal(arch_reg_name(&arch_x86_64, arch_x86_64.dwarf_regs[15]), "R15");
	assert_string_equal(arch_reg_name(&arch_i386, arch_i386.dwarf_regs[6]), "SI");
}

static void test_names_of_uname(void **state)
{
	assert_ptr_equal(arch_by_uname("i586"), &arch_i386);
	assert_ptr_equal(arch_by_uname("armv5tejl"), &arch_arm);
	assert_ptr_equal(arch_by_uname("arm64"), &arch_aarch64);
	assert_null(arch_by_uname("vax"));
	assert_null(arch_by_uname(NULL));
	assert_ptr_equal(arch_or_native("i586"), &arch_i386);
	assert_null(arch_or_native("vax"));
	assert_ptr_equal(arch_or_native(NULL), arch_native());
	struct utsname u;
	assert_int_equal(uname(&u), 0);
	if (arch_native() && arch_native()->pointer_bytes == sizeof(long))
		assert_ptr_equal(arch_by_uname(u.machine), arch_native());
}

static void test_x32_is_x86_64(void **state)
{
	assert_ptr_equal(arch_by_elf(EM_X86_64, 32), &arch_x86_64);
	assert_null(arch_by_elf(EM_VAX, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_descriptor_is_whole),
		cmocka_unit_test(test_registers_by_perf_number),
		cmocka_unit_test(test_registers_of_tasks),
		cmocka_unit_test(test_dwarf_registers),
		cmocka_unit_test(test_names_of_uname),
		cmocka_unit_test(test_x32_is_x86_64),
	};
	return cmocka_run_group_tests_name("arch", tests, NULL, NULL);
}
