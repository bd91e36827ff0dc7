/*
 * Which variables debug information knows at an address: of the function around it, of what was inlined there, of the unit.
 *
 * Entries are valid as long as the struct dwarf. Any thread; what is read is not kept, but for the index of functions.
 */
#pragma once
#include "object/dwarf/die.h"

enum dwarf_variable_kind { DWARF_PARAMETER, DWARF_LOCAL, DWARF_GLOBAL };

struct dwarf_variable {
	enum dwarf_variable_kind kind;
	struct dwarf_die die;
	const char *name;
	unsigned blocks, calls; /* how many blocks, and how many inlined calls, it lies within, counted from the scope */
	bool in_scope;          /* all of these are around the address */
	struct dwarf_die scope; /* the innermost of them */
};

/*
 * The scope at addr that a function of that name is: the function itself, or an inlined call within it. NULL: the innermost.
 * False where it has none of that name; *ret is the function then.
 */
bool dwarf_scope_at(const struct dwarf_die *function, uint64_t addr, const char *name, struct dwarf_die *ret);
/*
 * Calls fn for each variable of a function or an inlined call, in the order of the debug information, until it returns false:
 * of the blocks around addr, or of all.
 */
void dwarf_each_variable(const struct dwarf_die *scope, uint64_t addr, bool all,
			 bool (*fn)(void *ctx, const struct dwarf_variable *v), void *ctx);
/* The same for what the unit of an entry declares outside of functions, within namespaces, too. */
void dwarf_each_global(const struct dwarf_die *of, bool (*fn)(void *ctx, const struct dwarf_variable *v), void *ctx);
