/*
 * The variables at an address by debug information: of the function, of inlined calls there, of the unit.
 *
 * DIEs are valid as long as the struct dwarf. Thread-safe; nothing but the index of functions is cached.
 */
#pragma once
#include "object/dwarf/die.h"

enum dwarf_variable_kind { DWARF_PARAMETER, DWARF_LOCAL, DWARF_GLOBAL };

struct dwarf_variable {
	enum dwarf_variable_kind kind;
	struct dwarf_die die;
	const char *name;
	unsigned blocks, calls; /* number of enclosing blocks and inlined calls, counted from the scope */
	bool in_scope;          /* all of these contain the address */
	struct dwarf_die scope; /* the innermost of them */
};

/*
 * The scope at addr of the function with that name: the function itself, or an inlined call within it. NULL: the innermost.
 * False if there is none with that name; *ret is then the function.
 */
bool dwarf_scope_at(const struct dwarf_die *function, uint64_t addr, const char *name, struct dwarf_die *ret);
/*
 * Calls fn for each variable of a function or an inlined call, in the order of the debug information, until it returns false:
 * only of blocks around addr, or of all blocks.
 */
void dwarf_each_variable(const struct dwarf_die *scope, uint64_t addr, bool all,
			 bool (*fn)(void *ctx, const struct dwarf_variable *v), void *ctx);
/* The same for variables that the DIE's unit declares outside of functions, including namespaces. */
void dwarf_each_global(const struct dwarf_die *of, bool (*fn)(void *ctx, const struct dwarf_variable *v), void *ctx);
