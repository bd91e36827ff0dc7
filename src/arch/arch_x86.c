#include "arch/arch.h"

#include <elf.h>
#include <stddef.h>

/* The vector registers are 128 bits wide and take two numbers each, from 32 on. */
#define XMM(n) [32 + 2 * n] = "XMM" #n, [33 + 2 * n] = "XMM" #n
#define XMM_ALL                                                                                                     \
	XMM(0), XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7), XMM(8), XMM(9), XMM(10), XMM(11), XMM(12),  \
		XMM(13), XMM(14), XMM(15)
#define COMMON "AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS"

static const char *const regs_64[64] = { COMMON, "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", XMM_ALL };
static const char *const regs_32[64] = { COMMON, XMM_ALL };
/* System V psABI, figure 3.36: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, return address. */
static const uint8_t dwarf_64[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, ARCH_DWARF_NONE };
/* The same, "Register Usage": rbx rbp r12 to r15. */
static const uint8_t dwarf_kept_64[] = { 3, 6, 12, 13, 14, 15 };
/* The same, 3.2.3: rdi rsi rdx rcx r8 r9. */
static const uint8_t dwarf_arguments_64[] = { 5, 4, 1, 2, 8, 9 };
/* eax ecx edx ebx esp ebp esi edi, return address. */
static const uint8_t dwarf_32[] = { 0, 2, 3, 1, 7, 6, 4, 5, ARCH_DWARF_NONE };
/* <sys/user.h>: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss. */
static const uint8_t ptrace_64[] = { 10, 5, 11, 12, 13, 14, 4, 19, 16, 18, 17, 20, 0, 0, 0, 0, 9, 8, 7, 6, 3, 2, 1, 0 };
static const char *const names_64[] = { "x86_64", "amd64", NULL };
static const char *const names_32[] = { "i686", "i386", "i486", "i586", "x86", NULL };

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.e_machine = EM_X86_64,
	.pointer_bytes = 8,
	.insn_align = 1,
	.uname_names = names_64,
	.regs = regs_64,
	.regs_nr = 64,
	.pc = 8,
	.sp = 7,
	.fp = 6,
	.lr = ARCH_REG_NONE,
	.task_regs = 0xff0fff, /* without DS, ES, FS and GS, which the kernel refuses for 64-bit tasks */
	.ptrace_regs = ptrace_64,
	.compat = &arch_i386,
	.dwarf_regs = dwarf_64,
	.dwarf_regs_nr = sizeof(dwarf_64),
	.dwarf_sp = 7,
	.dwarf_fp = 6,
	.dwarf_ra = 16,
	.dwarf_kept = dwarf_kept_64,
	.dwarf_kept_nr = sizeof(dwarf_kept_64),
	.dwarf_arguments = dwarf_arguments_64,
	.dwarf_arguments_nr = sizeof(dwarf_arguments_64),
	.code_bits = UINT64_MAX,
};

const struct arch arch_i386 = {
	.name = "i386",
	.e_machine = EM_386,
	.pointer_bytes = 4,
	.insn_align = 1,
	.uname_names = names_32,
	.regs = regs_32,
	.regs_nr = 64,
	.pc = 8,
	.sp = 7,
	.fp = 6,
	.lr = ARCH_REG_NONE,
	.dwarf_regs = dwarf_32,
	.dwarf_regs_nr = sizeof(dwarf_32),
	.dwarf_sp = 4,
	.dwarf_fp = 5,
	.dwarf_ra = 8,
	.code_bits = UINT32_MAX,
};
