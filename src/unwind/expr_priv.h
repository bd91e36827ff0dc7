/*
 * DWARF expressions of call frame information, evaluated over the registers and memory of a walk.
 */
#pragma once
#include "unwind/table.h"

struct expr_context {
	const uint64_t *regs;
	uint64_t known;    /* bit by register */
	uint8_t address_bytes;
	bool swap;
	bool (*read)(void *ctx, uint64_t address, unsigned bytes, uint64_t *ret);
	void *ctx;
};

/* initial: what is on the stack at the beginning, or NULL. False where it cannot be known. */
bool expr_run(const struct expr_context *x, const struct unwind_expr *e, const uint64_t *initial, uint64_t *ret);
