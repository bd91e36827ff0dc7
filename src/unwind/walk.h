/*
 * Registers + a copy of the stack's top + maps → the addresses of the call chain, innermost first.
 *
 * An unwinder belongs to one thread; all share the tables and the machine, which must be sealed, or not change during
 * a walk. Input is untrusted: a walk ends if it needs memory that was not copied, if the stack does not continue
 * towards its base, or after `max` frames. No allocation.
 *
 * Signal frames, PLT stubs, realigned frames and expressions are unwound by the tables. Code without tables (JIT, or not
 * understood by unwind/bare_code.h) is unwound by frame pointer. Addresses are absolute.
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
	UNWIND_END_NO_TABLE, /* code without tables and frame pointer, or not code */
	UNWIND_END_LOST,     /* a rule needs a register or memory that is not available */
	UNWIND_END_OTHER_STACK, /* a signal handler ran on an alternate stack, and the other one was not copied */
	UNWIND_END_LOOP,     /* the stack did not continue towards its base */
	UNWIND_END_LIMIT,    /* the maximum number of frames */
	UNWIND_END_NO_REGS,  /* no registers to begin with */
	UNWIND_ENDS,
};

struct unwind_input {
	const struct arch *arch;
	uint32_t space;         /* as machine_space() names it */
	bool swap;              /* the stack has the other byte order */
	uint64_t regs_mask;     /* by perf number */
	const uint64_t *regs;
	const uint8_t *stack;
	uint64_t stack_bytes;
	bool is_caller;         /* pc is a return address: continues a walk that was begun elsewhere */
	bool stack_is_whole;    /* less was copied than requested: the stack ends there */
	/* Addresses of callers are those of the call (minus one), for look-ups; else return addresses. For frames that were not made by a
	 * call (signal trampolines) they are exact in both cases. */
	bool call_sites;
	bool no_wait;           /* tables are not compiled: unwinder_lacks() */
	uint32_t max;
};

struct unwind_result {
	enum unwind_end end;
	uint32_t nr;
	uint64_t sp;    /* of the innermost frame: the start of the copy */
	uint64_t top;   /* the highest known end of a frame */
	uint64_t needed; /* for UNWIND_END_CUT: the minimum number of bytes needed */
	uint64_t last;  /* the last return address */
};

struct unwinder;

struct unwinder *unwinder_create(struct machine *machine, struct unwind_tables *tables);
void unwinder_destroy(struct unwinder *u);
/* Drops cached addresses after a change of the machine. */
void unwinder_reset(struct unwinder *u);
/* The file whose table the last walk needed, and which was not made yet (unwind_input.no_wait); NULL: none. */
const struct mapped_file *unwinder_lacks(const struct unwinder *u);
/* Writes at most in->max addresses to ret. */
struct unwind_result unwind_walk(struct unwinder *u, const struct unwind_input *in, uint64_t *ret);
/*
 * Whether a walk that was begun elsewhere has passed the outermost frame when it came from the frame at `before`, a caller, to pc: no
 * call made that frame, and pc is not code of a file. Uses arch and space of `in`.
 */
bool unwind_is_past_outermost(struct unwinder *u, const struct unwind_input *in, uint64_t before, uint64_t pc);

/* The architecture of the registers: the recording's, or its 32-bit variant by PERF_SAMPLE_REGS_ABI_*. */
const struct arch *unwind_arch(const struct arch *recorded, uint64_t abi);
