/*
 * Registers + a copy of the stack's top + maps → the addresses of the call chain, innermost first.
 *
 * An unwinder belongs to one thread; all of them share the tables and the machine, which must be sealed, or not change
 * while a walk goes on. What a walk reads is hostile: it ends where memory is needed that was not copied, where the
 * stack does not go on towards its base, or after `max` frames. Nothing is allocated for a walk.
 *
 * Signal frames, PLT stubs, realigned frames and expressions are followed as the tables say. Code without tables (JIT, what
 * unwind/bare_code.h does not understand) is passed by its frame pointer. Addresses are absolute.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "machine/machine.h"
#include "unwind/tables.h"

enum unwind_end {
	UNWIND_END_WHOLE,    /* the outermost frame was reached */
	UNWIND_END_CUT,      /* the copy of the stack ends before it */
	UNWIND_END_NO_TABLE, /* code without tables that keeps no frame pointer, or the address of no code */
	UNWIND_END_LOST,     /* a rule needs a register or memory that is not available */
	UNWIND_END_OTHER_STACK, /* the handler of a signal ran on a stack of its own, and of the other nothing was copied */
	UNWIND_END_LOOP,     /* the stack did not go on towards its base */
	UNWIND_END_LIMIT,    /* as many frames as requested */
	UNWIND_END_NO_REGS,  /* nothing to begin with */
	UNWIND_ENDS,
};

struct unwind_input {
	const struct arch *arch;
	uint32_t space;         /* as machine_space() names it */
	bool swap;              /* the stack's bytes are in the other byte order */
	uint64_t regs_mask;     /* by perf number */
	const uint64_t *regs;
	const uint8_t *stack;
	uint64_t stack_bytes;
	bool is_caller;         /* pc is where a call returns to: the walk goes on from one that was begun elsewhere */
	bool stack_is_whole;    /* less was copied than was requested: what follows is not part of the stack */
	/* Addresses of callers are those of the call (one back), as reports look them up; else where it returns to. Of frames that no
	 * call made (trampolines of signals) they are the frames' own in either case. */
	bool call_sites;
	uint32_t max;
};

struct unwind_result {
	enum unwind_end end;
	uint32_t nr;
	uint64_t sp;    /* of the innermost frame: where the copy begins */
	uint64_t top;   /* the highest address that a frame was known to reach */
	uint64_t needed; /* of UNWIND_END_CUT: at least so many bytes would have been needed */
	uint64_t last;  /* the last address, as it returns to */
};

struct unwinder;

struct unwinder *unwinder_create(struct machine *machine, struct unwind_tables *tables);
void unwinder_destroy(struct unwinder *u);
/* Forgets which addresses are which: the machine changed. */
void unwinder_reset(struct unwinder *u);
/* Writes at most in->max addresses to ret. */
struct unwind_result unwind_walk(struct unwinder *u, const struct unwind_input *in, uint64_t *ret);
/*
 * Whether a walk that was begun elsewhere and came from the frame at `before`, a caller, to pc had passed the outermost frame: no call
 * made that one, and pc is not code of a file. Of `in`, arch and space matter.
 */
bool unwind_is_past_outermost(struct unwinder *u, const struct unwind_input *in, uint64_t before, uint64_t pc);

/* Whose registers these are: the recording's architecture, or its 32-bit sibling by PERF_SAMPLE_REGS_ABI_*. */
const struct arch *unwind_arch(const struct arch *recorded, uint64_t abi);
