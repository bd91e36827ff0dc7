/*
 * One instruction of x86-64 or of 32-bit x86: how long it is, where control goes, and what it does to the stack pointer and to general
 * registers.
 *
 * For unwind/bare_code.h. Supports unknown instructions: lengths follow from the encoding, and all registers of an unknown
 * instruction count as written. Registers are numbered as in encodings: rax rcx rdx rbx rsp rbp rsi rdi r8 … r15. Input is
 * untrusted. Source: Intel SDM volume 2, chapter 2 and appendix A; AMD's
 * volume 6 for XOP. Thread-safe.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI, X86_REGS = 16, X86_NO_REG = 0xff };

enum x86_flow {
	X86_NEXT,
	X86_JUMP,   /* to target; 0: indirect */
	X86_BRANCH, /* to target or to the next */
	X86_CALL,
	X86_RETURN,
	X86_STOP,   /* a trap: the next instruction is not reached */
};

enum x86_effect {
	X86_NONE,       /* the stack pointer is unchanged */
	X86_PUSH,       /* of reg, or of X86_NO_REG; also a call of what follows, which is none */
	X86_POP,        /* into reg, or X86_NO_REG */
	X86_ADD,        /* value to the stack pointer */
	X86_ALIGN,      /* some of its lower bits are cleared */
	X86_SP_FROM,    /* it is reg + value */
	X86_SP_LOAD,    /* loaded from the word at sp + value */
	X86_SP_TO,      /* reg is it + value */
	X86_STORE,      /* reg is stored at sp + value */
	X86_LEAVE,      /* sp = rbp, then pop rbp */
	X86_SP_UNKNOWN,
};

struct x86_step {
	uint8_t bytes;
	uint8_t flow, effect, reg;
	uint16_t written; /* bit by register, without those in the effect */
	bool is_padding;  /* nop, int3 */
	int32_t value;
	uint64_t target;
};

/* False: no instruction, or not all of it is within n bytes. at: its address; is_ia32: of 32-bit code. */
bool x86_step_decode(const uint8_t *code, size_t n, uint64_t at, bool is_ia32, struct x86_step *ret);
