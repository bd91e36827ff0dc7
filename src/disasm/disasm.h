/*
 * Disassembles single machine instructions: length, flow of control, target, and text.
 *
 * x86 is decoded by Zydis, which is small and fast; other architectures, and x86 without Zydis, by capstone. The libraries are loaded
 * for the first disassembler of their kind, so that they cost nothing otherwise; without their headers at build time, or without the
 * libraries, ERROR_UNSUPPORTED names what is missing.
 *
 * A disassembler belongs to one thread. Code is untrusted.
 *
 *	struct disasm *d;
 *	TRY(disasm_create(&arch_x86_64, DISASM_USUAL, DISASM_ATT, &d));
 *	for (struct insn i; disasm_decode(d, code, n, ip, &i); code += i.bytes, n -= i.bytes, ip += i.bytes)
 *		disasm_text(d, out, code, n, ip);
 *	disasm_destroy(d);
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/out.h"

enum disasm_syntax {
	DISASM_ATT,   /* x86 in the style of objdump: mov %rsp,%rbp. Other architectures have one syntax, for both values */
	DISASM_INTEL, /* mov rbp, rsp */
};

/* Instruction encodings, for architectures with more than one. */
enum disasm_encoding {
	DISASM_USUAL,
	DISASM_THUMB,      /* arm: two or four bytes per instruction */
	DISASM_BIG_ENDIAN, /* for usually little-endian architectures */
};

/* Where control continues after an instruction. */
enum insn_flow {
	INSN_NEXT,   /* at the next one */
	INSN_JUMP,   /* elsewhere */
	INSN_BRANCH, /* elsewhere or at the next one: conditional jumps, loops */
	INSN_CALL,
	INSN_RETURN,
	INSN_TRAP,   /* in the kernel or the debugger: syscall, int3, ud2, iret */
};

struct insn {
	uint8_t bytes;      /* at least 1 */
	uint8_t flow;       /* enum insn_flow */
	bool has_target;    /* of a jump or call: the target is encoded in the instruction */
	bool has_address;   /* a memory operand has a known address: relative to the instruction, or absolute */
	uint64_t target, address;
};

struct disasm;

/* ERROR_UNSUPPORTED if no library supports the architecture, or it is not installed. */
struct strobe_error *disasm_create(const struct arch *arch, enum disasm_encoding encoding, enum disasm_syntax syntax,
				   struct disasm **ret) _must_check_;
void disasm_destroy(struct disasm *d);

/* Decodes the instruction at code, which runs at ip; false: invalid or incomplete. */
bool disasm_decode(struct disasm *d, const void *code, size_t n, uint64_t ip, struct insn *ret);
/* The length of an instruction that disasm_decode() cannot decode, at most n: the presumed start of the next one. */
size_t disasm_unknown_bytes(const struct disasm *d, const void *code, size_t n);
/*
 * Its text, "jne    0x401007" or "lea    0x10(%rax,%rcx,4),%rdx"; ".byte 0x06" if disasm_decode() returns false and n is not 0.
 * Without symbols: targets are numbers, as in insn.target.
 */
void disasm_text(struct disasm *d, struct out *out, const void *code, size_t n, uint64_t ip);
