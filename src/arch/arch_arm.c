#include "arch/arch.h"

#include <elf.h>
#include <stddef.h>

static const char *const regs_64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
	[46] = "vg", /* SVE vector length, PERF_REG_ARM64_VG */
};
static const char *const regs_32[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};
/* x0 to x30, sp: the same numbers in perf and in DWARF. 16 registers for arm. */
static const uint8_t dwarf_same[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};
static const uint8_t dwarf_kept_64[] = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 };
/* AAPCS64 6.1.1: x0 to x7. */
static const uint8_t dwarf_arguments_64[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static const char *const names_64[] = { "aarch64", "arm64", "aarch64_be", NULL };
static const char *const names_32[] = { "armv7l", "arm", "armv6l", "armv8l", "armv8b", NULL };

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.e_machine = EM_AARCH64,
	.pointer_bytes = 8,
	.insn_align = 4,
	.uname_names = names_64,
	.regs = regs_64,
	.regs_nr = sizeof(regs_64) / sizeof(*regs_64),
	.pc = 32,
	.sp = 31,
	.fp = 29,
	.lr = 30,
	.task_regs = (1ull << 33) - 1,
	.compat = &arch_arm,
	.mapping_symbols = true,
	.dwarf_regs = dwarf_same,
	.dwarf_regs_nr = sizeof(dwarf_same),
	.dwarf_sp = 31,
	.dwarf_fp = 29,
	.dwarf_ra = 30,
	.dwarf_kept = dwarf_kept_64,
	.dwarf_kept_nr = sizeof(dwarf_kept_64),
	.dwarf_arguments = dwarf_arguments_64,
	.dwarf_arguments_nr = sizeof(dwarf_arguments_64),
	.code_bits = 0xffffffffffff, /* pointer authentication signs in the others */
};

const struct arch arch_arm = {
	.name = "arm",
	.e_machine = EM_ARM,
	.pointer_bytes = 4,
	.insn_align = 2, /* Thumb */
	.uname_names = names_32,
	.regs = regs_32,
	.regs_nr = sizeof(regs_32) / sizeof(*regs_32),
	.pc = 15,
	.sp = 13,
	.fp = 11, /* r7 in Thumb code */
	.lr = 14,
	.mapping_symbols = true,
	.dwarf_regs = dwarf_same,
	.dwarf_regs_nr = 16,
	.dwarf_sp = 13,
	.dwarf_fp = ARCH_DWARF_NONE, /* gcc, clang and Thumb code have three ideas of what it points to, in two registers */
	.dwarf_ra = 14,
	.code_bits = UINT32_MAX,
};
