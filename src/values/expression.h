/*
 * DWARF expressions: the operations, and an interpreter over registers and memory.
 *
 * Call frame information is evaluated by expression_run(); locations of variables are compiled without values by
 * dwarf_location.c, which shares the operations. Expressions are hostile: the stack and the number of steps are bounded. No state.
 * Source: DWARF 5 section 2.5, GNU's extensions.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"

/* DW_OP_* */
enum {
	EXPRESSION_ADDR = 0x03, EXPRESSION_DEREF = 0x06,
	EXPRESSION_CONST1U = 0x08, EXPRESSION_CONST1S, EXPRESSION_CONST2U, EXPRESSION_CONST2S, EXPRESSION_CONST4U, EXPRESSION_CONST4S,
	EXPRESSION_CONST8U, EXPRESSION_CONST8S, EXPRESSION_CONSTU, EXPRESSION_CONSTS,
	EXPRESSION_DUP, EXPRESSION_DROP, EXPRESSION_OVER, EXPRESSION_PICK, EXPRESSION_SWAP, EXPRESSION_ROT,
	EXPRESSION_ABS = 0x19, EXPRESSION_AND, EXPRESSION_DIV, EXPRESSION_MINUS, EXPRESSION_MOD, EXPRESSION_MUL, EXPRESSION_NEG,
	EXPRESSION_NOT, EXPRESSION_OR, EXPRESSION_PLUS, EXPRESSION_PLUS_UCONST, EXPRESSION_SHL, EXPRESSION_SHR, EXPRESSION_SHRA,
	EXPRESSION_XOR, EXPRESSION_BRA, EXPRESSION_EQ, EXPRESSION_GE, EXPRESSION_GT, EXPRESSION_LE, EXPRESSION_LT, EXPRESSION_NE,
	EXPRESSION_SKIP,
	EXPRESSION_LIT0 = 0x30, EXPRESSION_LIT31 = 0x4f, EXPRESSION_REG0 = 0x50, EXPRESSION_REG31 = 0x6f,
	EXPRESSION_BREG0 = 0x70, EXPRESSION_BREG31 = 0x8f, EXPRESSION_REGX = 0x90, EXPRESSION_FBREG, EXPRESSION_BREGX,
	EXPRESSION_PIECE, EXPRESSION_DEREF_SIZE, EXPRESSION_NOP = 0x96, EXPRESSION_CALL2 = 0x98, EXPRESSION_CALL4, EXPRESSION_CALL_REF,
	EXPRESSION_FORM_TLS_ADDRESS, EXPRESSION_CALL_FRAME_CFA, EXPRESSION_BIT_PIECE, EXPRESSION_IMPLICIT_VALUE,
	EXPRESSION_STACK_VALUE, EXPRESSION_IMPLICIT_POINTER, EXPRESSION_ADDRX, EXPRESSION_CONSTX, EXPRESSION_ENTRY_VALUE,
	EXPRESSION_CONST_TYPE, EXPRESSION_REGVAL_TYPE, EXPRESSION_DEREF_TYPE, EXPRESSION_CONVERT = 0xa8, EXPRESSION_REINTERPRET,
	EXPRESSION_GNU_PUSH_TLS_ADDRESS = 0xe0, EXPRESSION_GNU_UNINIT = 0xf0, EXPRESSION_GNU_IMPLICIT_POINTER = 0xf2,
	EXPRESSION_GNU_ENTRY_VALUE, EXPRESSION_GNU_CONST_TYPE, EXPRESSION_GNU_REGVAL_TYPE, EXPRESSION_GNU_DEREF_TYPE,
	EXPRESSION_GNU_CONVERT, EXPRESSION_GNU_REINTERPRET = 0xf9, EXPRESSION_GNU_PARAMETER_REF, EXPRESSION_GNU_ADDR_INDEX,
	EXPRESSION_GNU_CONST_INDEX, EXPRESSION_GNU_VARIABLE_VALUE = 0xfd,
};

#define EXPRESSION_REGS 64

struct expression_context {
	const uint64_t *regs; /* by DWARF number, EXPRESSION_REGS */
	uint64_t known;       /* bit by register */
	uint8_t address_bytes;
	bool swap;
	bool (*read)(void *ctx, uint64_t address, unsigned bytes, uint64_t *ret);
	void *ctx;
};

/* initial: the first stack entry, or NULL. False if the result is unknown. */
bool expression_run(const struct expression_context *x, const uint8_t *expression, uint32_t bytes, const uint64_t *initial,
		    uint64_t *ret);

/* The number that an operation pushes regardless of registers (DW_OP_lit*, const*, addr); false for other operations. */
bool expression_constant(uint8_t op, struct cursor *c, unsigned address_bytes, uint64_t *ret);
/* Whether an operation takes two numbers, and its result; false if undefined. */
bool expression_is_binary(uint8_t op);
bool expression_binary(uint8_t op, uint64_t a, uint64_t b, unsigned address_bytes, uint64_t *ret);
/* Skips to the next DW_OP_piece or DW_OP_bit_piece; false: none. */
bool expression_skip_to_piece(struct cursor *c, unsigned address_bytes, unsigned offset_bytes);
