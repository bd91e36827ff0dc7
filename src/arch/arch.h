/*
 * One const descriptor for each architecture; all are compiled in, so that a recording from another machine is read
 * alike.
 *
 * Registers are numbered as in perf_event_attr.sample_regs_user and _intr (each kernel's
 * arch/.../uapi/asm/perf_regs.h), and named as perf prints them. Nothing here is mutable or owned.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define ARCH_REG_NONE (-1)
#define ARCH_DWARF_NONE 0xff

/*
 * To add an architecture:
 *  1. a file arch_NAME.c with the descriptor, declared at the foot of this header and listed in arch.c and meson.build;
 *  2. e_machine and class as in <elf.h>; every name that uname -m gives for it, NULL-terminated, the common one first;
 *  3. the registers in perf order, NULL for numbers that are not in use, which of them are pc, sp, fp and lr, which the kernel
 *     samples of a program, and where ptrace(2) has those;
 *  4. which perf register each DWARF register is (the psABI's "DWARF register number mapping"), or none: then stack
 *     dumps of it are not unwound; where signal handlers return to code without tables, see unwind/walk.c; for the walk in
 *     the kernel, which of them functions keep and find arguments in, and the registers' places in bpf/unwind/unwind.bpf.c;
 *  5. its procedure linkage table in object/plt.c, where decoding or counting its entries has rules of its own;
 *  6. the mapping symbols its assembler leaves ("$x" and the like): symbol/elf.c skips them;
 *  7. a case in arch_test.c.
 */
struct arch {
	const char *name;               /* ours: "x86_64", "aarch64" … */
	uint16_t e_machine;             /* EM_* */
	uint8_t pointer_bytes;          /* 4 or 8 */
	bool big_endian;                /* where there is only one order, or by custom */
	const char *const *uname_names; /* ends in NULL */
	const char *const *regs;        /* by perf number */
	uint8_t regs_nr;                /* at most 64 */
	int8_t pc, sp, fp;              /* perf numbers */
	int8_t lr; /* the return address of a leaf function; ARCH_REG_NONE where it is on the stack */
	uint64_t task_regs;         /* bit by perf number: what the kernel samples of a program's registers; 0: unknown */
	const uint8_t *ptrace_regs; /* by perf number: the place in struct user_regs_struct of ptrace(2); NULL: the same number */
	const struct arch *compat;  /* that of 32-bit programs which its kernels run; NULL: none */
	uint8_t insn_align;             /* instructions begin at multiples of this, and so do bytes that are none */
	bool mapping_symbols;           /* $a $d $t $x mark kinds of bytes and are not functions */
	/* Call frame information: perf numbers by DWARF number, ARCH_DWARF_NONE where samples lack it. NULL: unknown. */
	const uint8_t *dwarf_regs;
	uint8_t dwarf_regs_nr; /* at most 64 */
	uint8_t dwarf_sp, dwarf_fp; /* fp: ARCH_DWARF_NONE where it does not lead from frame to frame */
	uint8_t dwarf_ra;      /* what a CIE's return address column mostly is */
	/* What functions keep for their callers besides the stack pointer: by DWARF number, the psABI's "callee-saved". */
	const uint8_t *dwarf_kept;
	uint8_t dwarf_kept_nr;
	/* Where functions find their first arguments, integers and pointers: by DWARF number. NULL: unknown. */
	const uint8_t *dwarf_arguments;
	uint8_t dwarf_arguments_nr;
	uint64_t code_bits;    /* bits of a return address that are address: a signature may be in the others */
};

/* All of them, ending in NULL. */
extern const struct arch *const arch_all[];

/* By what uname -m says, or the recording's ARCH feature; NULL where it is unknown. "i586", "armv7l" are understood. */
const struct arch *arch_by_uname(const char *machine);
/* By an ELF header; bits is 32 or 64, 0 = either. */
const struct arch *arch_by_elf(uint16_t e_machine, unsigned bits);
/* The machine that this program was built for; NULL where it has no descriptor. */
const struct arch *arch_native(void);
/* By what uname -m says, as arch_by_uname(); NULL, of a recording that does not say, is the native one. */
const struct arch *arch_or_native(const char *machine);
/* Whether an address is of the kernel's half, if the architecture distinguishes them by the highest bit. */
static inline bool arch_is_kernel_address(const struct arch *a, uint64_t address)
{
	return a->pointer_bytes == 8 && (int64_t)address < 0;
}
/* AUDIT_ARCH_* of linux/audit.h: how seccomp(2) and ptrace(2) name the architecture of a call. */
uint32_t arch_audit_number(const struct arch *a);
/* The name of a register by perf number, or NULL. */
const char *arch_reg_name(const struct arch *a, unsigned reg);

extern const struct arch arch_x86_64, arch_i386, arch_aarch64, arch_arm, arch_riscv64, arch_s390x, arch_ppc64le;
