/*
 * Compiles a location attribute to the location of a value at one address: location lists of DWARF 2 to 5, and expressions.
 *
 * A frame base that is the canonical frame address requires call frame information from the caller. Entry values are known only at
 * the entry of a function. Source: DWARF 5 sections 2.5, 2.6 and 7.7, GNU's extensions (DW_OP_GNU_*).
 */
#pragma once
#include "base/arena.h"
#include "object/dwarf/die.h"
#include "values/location.h"

struct dwarf_frame_facts {
	const struct dwarf_die *function; /* for its frame base; NULL: not in a function */
	uint64_t addr;
	bool at_entry;                    /* addr is the start of the function */
	/* The canonical frame address at addr: *reg + *offset or, with deref, the word there. False if unknown. */
	bool (*cfa)(void *ctx, uint64_t addr, uint8_t *ret_reg, int64_t *ret_offset, bool *ret_deref);
	void *ctx;
};

/*
 * Whether the variable has a single location in the function's own frame, at all addresses: unoptimized code. It is not valid before the
 * prologue ends, although the debug information says so.
 */
bool dwarf_is_in_own_frame(const struct dwarf_die *d, const struct dwarf_die *function);
/* The location of variable d; pieces are in the arena. At least one, which may have only .lack. */
struct locations dwarf_locate(const struct dwarf_die *d, const struct dwarf_frame_facts *facts, struct arena *arena);
