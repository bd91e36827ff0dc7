/*
 * The scope at a place, from debug information (DWARF): the function, its variables, and their locations.
 *
 * Variables are found by the rules of C: those of inner blocks first, then parameters, then those of functions inlined at the place,
 * then of enclosing ones, then those of the unit.
 */
#pragma once
#include "base/strbuf.h"
#include "values/dwarf_location.h"
#include "values/dwarf_types.h"
#include "values/dwarf_variables.h"
#include "probe/variables.h"

struct probe_scope {
	const struct probe_debug *debug;
	struct dwarf_types *types;
	const struct arch *arch;
	struct arena *arena;
	uint64_t address;
	struct dwarf_die function, scope; /* scope: the function, or a function inlined into it */
	uint64_t entry;                   /* entry of the function */
	struct dwarf_frame_facts facts;
	/* The CFA at the address, computed when a variable needs it. */
	bool has_cfa, knows_cfa, cfa_deref;
	uint8_t cfa_reg;
	int64_t cfa_offset;
	VEC(struct dwarf_variable) variables;
};

/* The scope must not move while in use. Call probe_scope_close() also after an error. */
struct strobe_error *probe_scope_open(const struct probe_debug *debug, struct dwarf_types *types, const struct probe_site *site,
				      struct arena *arena, struct probe_scope *ret) _must_check_;
void probe_scope_close(struct probe_scope *s);

/* NULL: no variable of that name. Valid until the scope is closed. */
const struct dwarf_variable *probe_scope_find(struct probe_scope *s, const char *name);
struct locations probe_scope_locate(const struct probe_scope *s, const struct dwarf_variable *v);
/* "[0-47,52-211]": the ranges in which the variable has a value, relative to the function. */
void probe_scope_ranges(const struct probe_scope *s, const struct dwarf_variable *v, struct strbuf *ret);
/* "it is alive from line 14 (work+19) on": the nearest place; false: none. */
bool probe_scope_nearest(const struct probe_scope *s, const struct dwarf_variable *v, struct strbuf *ret);
/* Whether the place is in the prologue of the function, and the end of that: the second row of its lines. */
bool probe_scope_in_prologue(const struct probe_scope *s, uint64_t *ret_end);
const char *probe_scope_name(const struct probe_scope *s);
