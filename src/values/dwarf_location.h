/*
 * From a location attribute to where the value is at one address: location lists of DWARF 2 to 5, and expressions, compiled.
 *
 * A frame base that is the canonical frame address needs call frame information, which the caller has. Entry values are known at
 * the entry of a function only. Source: DWARF 5 sections 2.5, 2.6 and 7.7, GNU's extensions (DW_OP_GNU_*).
 */
#pragma once
#include "base/arena.h"
#include "object/dwarf/die.h"
#include "values/location.h"

struct dwarf_frame_facts {
	const struct dwarf_die *function; /* whose frame base counts; NULL: there is no function */
	uint64_t addr;
	bool at_entry;                    /* addr is where the function begins */
	/* The canonical frame address at addr: *reg + *offset, or, deref, what lies there. False where it is not known. */
	bool (*cfa)(void *ctx, uint64_t addr, uint8_t *ret_reg, int64_t *ret_offset, bool *ret_deref);
	void *ctx;
};

/*
 * Whether the variable has one place in the function's own frame, whatever the address: code without optimisation. Nothing is there
 * before the prologue ends, though the debug information says so.
 */
bool dwarf_is_in_own_frame(const struct dwarf_die *d, const struct dwarf_die *function);
/* Where the variable d is; pieces live in the arena. At least one, which says what is lacking. */
struct locations dwarf_locate(const struct dwarf_die *d, const struct dwarf_frame_facts *facts, struct arena *arena);
