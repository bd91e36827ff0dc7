/*
 * The operand in memory of an instruction, from its text as the disassembler writes it (AT&T syntax).
 *
 * x86-64 only: other architectures have none. Source: the psABI of x86-64 (DWARF register numbers), GNU as (i386-Memory).
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
