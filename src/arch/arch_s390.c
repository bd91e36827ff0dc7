#include "arch/arch.h"

#include <elf.h>
#include <stddef.h>

static const char *const regs[] = {
	"R0",  "R1",  "R2",  "R3",  "R4",  "R5",  "R6",	 "R7",	"R8",  "R9",  "R10",  "R11",
	"R12", "R13", "R14", "R15", "FP0", "FP1", "FP2", "FP3", "FP4", "FP5", "FP6",  "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};
static const uint8_t dwarf[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const char *const names[] = { "s390x", "s390", NULL };

const struct arch arch_s390x = {
	.name = "s390x",
	.e_machine = EM_S390,
	.pointer_bytes = 8,
	.insn_align = 2,
	.big_endian = true,
	.uname_names = names,
	.regs = regs,
	.regs_nr = sizeof(regs) / sizeof(*regs),
	.pc = 33,
	.sp = 15,
	.fp = 11, /* by custom of the compilers; the ABI names none */
	.lr = 14,
	.dwarf_regs = dwarf,
	.dwarf_regs_nr = sizeof(dwarf),
	.dwarf_sp = 15,
	.dwarf_fp = 11,
	.dwarf_ra = 14,
	.code_bits = UINT64_MAX,
};
