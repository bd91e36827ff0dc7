/*
 * The operand in memory of an instruction, and what it leaves in registers, from its text as the disassembler writes it (AT&T syntax).
 *
 * x86-64 only: other architectures have none. Source: the psABI of x86-64 (DWARF register numbers, registers that calls keep), GNU as
 * (i386-Memory).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

struct operand {
	bool has_base, has_index;
	uint8_t base;         /* DWARF number; without one, the address is displacement, or relative to the instruction (struct insn) */
	int64_t displacement;
};

/* False: the instruction accesses no memory, has two such operands, or a segment's. */
bool operand_of_text(const struct arch *arch, const char *text, struct operand *ret);
/* The same of an instruction that computes the address (lea). */
bool operand_of_address(const char *text, struct operand *ret);
/* Whether it works on the stack: push, pop, call, ret and the like, which name no address. */
bool operand_is_stack(const char *text);
/* Whether it reads the canary of stack protection. */
bool operand_is_canary(const char *text);

enum effect {
	EFFECT_NONE,    /* the register keeps its value */
	EFFECT_LOAD,    /* it has what is in memory at the operand, all 64 bits */
	EFFECT_COPY,    /* it has the value of another register */
	EFFECT_ADDRESS, /* it has the address of the operand */
	EFFECT_OTHER,   /* another value, or not known */
};

/* What the instruction does to a register (DWARF number). *ret_from: the other register, of EFFECT_COPY. */
enum effect effect_of_text(const char *text, uint8_t reg, uint8_t *ret_from);
