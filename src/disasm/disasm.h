/*
 * One machine instruction at a time: how long it is, whether and where it goes, and its text.
 *
 * x86 by Zydis, which is small and quick; every other architecture, and x86 where Zydis is not there, by capstone. Both are
 * loaded when the first disassembler of their kind is made, so that what never disassembles does not pay for them; a build
 * without their headers, or a machine without the libraries, gets ERROR_UNSUPPORTED that names what is missing.
 *
 * A disassembler belongs to one thread. Code is bytes from anywhere: no length, and nothing in it, is trusted.
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
	DISASM_ATT,   /* x86 much as objdump prints it: mov %rsp,%rbp. Other architectures have one syntax, which both names mean */
	DISASM_INTEL, /* mov rbp, rsp */
};

/* How instructions lie in memory, where an architecture has more than one way. */
enum disasm_encoding {
	DISASM_USUAL,
	DISASM_THUMB,      /* of arm: two or four bytes each */
	DISASM_BIG_ENDIAN, /* of what mostly is little-endian */
};

/* Where control is after an instruction. */
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
	bool has_target;    /* of a jump or call: the instruction contains where it goes */
	bool has_address;   /* an operand in memory whose address is known: relative to the instruction, or absolute */
	uint64_t target, address;
};

struct disasm;

/* ERROR_UNSUPPORTED if nothing here knows the architecture, or what knows it is not there. */
struct strobe_error *disasm_create(const struct arch *arch, enum disasm_encoding encoding, enum disasm_syntax syntax,
				   struct disasm **ret) _must_check_;
void disasm_destroy(struct disasm *d);

/* The instruction that begins at code, which runs at ip; false: none, or not all of it. */
bool disasm_decode(struct disasm *d, const void *code, size_t n, uint64_t ip, struct insn *ret);
/* How long one is that disasm_decode() does not know, at most n: where the next one begins, as far as is known. */
size_t disasm_unknown_bytes(const struct disasm *d, const void *code, size_t n);
/*
 * Its text, "jne    0x401007" or "lea    0x10(%rax,%rcx,4),%rdx"; ".byte 0x06" where disasm_decode() is false and n is not 0.
 * Symbols are not its business: targets are numbers, as insn.target has them.
 */
void disasm_text(struct disasm *d, struct out *out, const void *code, size_t n, uint64_t ip);
