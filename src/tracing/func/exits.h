/*
 * Exits of functions, found by decoding each instruction: returns, and jumps to other functions.
 *
 * The usual way to trace returns, replacing the return address, breaks programs with exceptions: the unwinder does not know that
 * address, and terminates the program (std::terminate). For these a probe is set at each exit instead. A function whose code
 * cannot be decoded completely has no exits, since an apparent instruction might be inside of another one.
 */
#pragma once
#include "base/vector.h"
#include "disasm/disasm.h"
#include "object/object.h"
#include "probe/functions.h"

struct func_exit {
	uint64_t at;  /* offset in the file */
	bool is_jump; /* a tail call: another function returns in its place */
};

typedef VEC(struct func_exit) func_exits;

/* Whether exceptions may be thrown through the functions of a program or library. */
bool func_exits_are_needed(struct object *o);
/* Appends the exits of a function; false: unknown. all: the symbols in which separate parts are searched. */
bool func_exits_find(struct object *o, struct disasm *d, const struct probe_functions *all, const struct probe_function *f,
		     func_exits *ret);
