#include "arch/arch.h"

#include <elf.h>
#include <stddef.h>

static const char *const regs[] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
/* x0 is not a register that could be saved. */
static const uint8_t dwarf[] = {
	ARCH_DWARF_NONE, 1,  2,	 3,  4,	 5,  6,	 7,  8,	 9,  10, 11, 12, 13, 14, 15,
	16,		 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};
static const char *const names[] = { "riscv64", "riscv", NULL };

const struct arch arch_riscv64 = {
	.name = "riscv64",
	.e_machine = EM_RISCV,
	.pointer_bytes = 8,
	.insn_align = 2,
	.uname_names = names,
	.regs = regs,
	.regs_nr = sizeof(regs) / sizeof(*regs),
	.pc = 0,
	.sp = 2,
	.fp = 8,
	.lr = 1,
	.mapping_symbols = true,
	.dwarf_regs = dwarf,
	.dwarf_regs_nr = sizeof(dwarf),
	.dwarf_sp = 2,
	.dwarf_fp = 8,
	.dwarf_ra = 1,
	.code_bits = UINT64_MAX,
};
