/*
 * Where functions are left, instruction by instruction: their returns, and their jumps to other functions.
 *
 * The usual way to see a function return, a return address of the kernel's own, is not for programs with exceptions: who unwinds
 * their stacks does not find that address, and ends the program (std::terminate). There a probe is set at each exit instead. A
 * function whose code cannot be followed from its first instruction to its last has no exits: what looks like an instruction might
 * lie within another one.
 */
#pragma once
#include "base/vector.h"
#include "disasm/disasm.h"
#include "object/object.h"
#include "probe/functions.h"

struct func_exit {
	uint64_t at;  /* offset in the file */
	bool is_jump; /* to another function, which returns in its place */
};

typedef VEC(struct func_exit) func_exits;

/* Whether exceptions may be thrown through the functions of a program or library. */
bool func_exits_are_needed(struct object *o);
/* Appends the exits of one function; false: it has none that are known. all: where parts of it that lie elsewhere are looked for. */
bool func_exits_find(struct object *o, struct disasm *d, const struct probe_functions *all, const struct probe_function *f,
		     func_exits *ret);
