/*
 * Code without call frame information: where its functions begin and end, and where the frames of their callers are, by an analysis
 * of its instructions. x86-64, and 32-bit x86.
 *
 * The stack pointer of a function is tracked from its first instruction along all paths: pushes, pops, additions, a frame pointer, an
 * aligned stack pointer whose former value is kept in a register or on the stack. A function is understood if all paths agree, and the
 * stack pointer at each return, and each jump out of it, has its initial value; others get no rules. Hand-written code, musl, and code
 * compiled without tables follow these rules.
 *
 * Functions begin at symbols, at targets of calls, and at code that is not reached otherwise. Such rules do not come from a compiler: the
 * unwinder checks that a call precedes each return address (UNWIND_ANALYSED). Thread-safe.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "object/object.h"
#include "unwind/functions.h"

/* Kinds of CFA rules; see bare_row. */
enum bare_cfa {
	BARE_UNKNOWN,
	BARE_REG,   /* CFA: reg + value */
	BARE_DEREF, /* CFA: the word at reg + value, plus addend */
	BARE_STUB,  /* of .plt; CFA: the stack pointer + a word, and one more from byte `value` of each 16 on */
};

#define BARE_REGS 16

/* From an address on; registers by the numbers of instructions (unwind/x86_step.h). */
struct bare_row {
	uint64_t vaddr;
	uint8_t cfa, reg;
	uint16_t saved; /* bit by register: at saved_at from the CFA */
	int32_t value, addend;
	int32_t saved_at[BARE_REGS];
	uint32_t unused; /* rows are compared as bytes */
};

struct bare_code {
	VEC(struct bare_row) rows; /* by address; each range ends with one of BARE_UNKNOWN */
	VEC(struct unwind_function) functions;
	VEC(uint64_t) starts; /* known ones, ascending; filled in by the caller */
	bool is_32bit;
	bool leaves_anyhow; /* functions may end with any stack pointer: they change stacks */
};

void bare_code_deinit(struct bare_code *b);
/* Whether code of the object can be analysed. */
bool bare_code_is_known(const struct object *o);
/* Adds to the starts where the symbols of an object and, unless it is NULL, of its debug file say that functions begin. */
void bare_code_read_starts(struct bare_code *b, const struct object *o, const struct object *debug);
/* Appends the rows of n bytes of code at vaddr, which must be after those of the call before. */
void bare_code_analyse(struct bare_code *b, const uint8_t *code, size_t n, uint64_t vaddr);
/*
 * The same for all code of an object outside of the ranges, which are disjoint and ascending. For .plt, whose stubs are not functions,
 * the code that linkers write is known.
 */
void bare_code_analyse_rest(struct bare_code *b, const struct object *o, const struct unwind_functions *covered);
