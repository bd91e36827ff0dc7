/*
 * The instructions of one function, as far as types of data depend on them: where they are, their text, and which are targets of jumps.
 *
 * Owned by the caller; immutable once read. The code is hostile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"
#include "disasm/disasm.h"

#define BODY_NONE UINT32_MAX

struct body_insn {
	uint64_t address;       /* of the instruction */
	const char *text;       /* in the arena */
	bool is_target;         /* a jump forwards leads here: registers may have values of other paths. Loops keep types */
	bool ends;              /* the next one is not reached from here */
	bool has_address;       /* its operand's address is known: */
	uint64_t data;
};

struct body {
	struct arena arena;
	VEC(struct body_insn) insns; /* by address, up to the first that cannot be decoded */
};

/* n bytes at vaddr. */
void body_read(struct disasm *d, const void *code, size_t n, uint64_t vaddr, struct body *ret);
void body_deinit(struct body *b);
/* The instruction that begins at the address, or BODY_NONE. */
uint32_t body_find(const struct body *b, uint64_t address);
