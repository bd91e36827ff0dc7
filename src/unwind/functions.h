/*
 * The bounds of functions of an object by its unwind information, also in stripped files.
 *
 * Each FDE of .eh_frame and .debug_frame covers one function, or one part of a function that the compiler moved away; each entry
 * of .ARM.exidx covers the code up to the next one. In hand-written code, which often has neither, they are found by an analysis
 * (unwind/bare_code.h). Input is untrusted; ranges are disjoint. Sources: as unwind/table.h, and "Exception Handling ABI for the Arm
 * Architecture", section 5.
 */
#pragma once
#include "base/vector.h"
#include "object/object.h"

struct unwind_function {
	uint64_t start, end; /* vaddrs; end excluded */
};

struct unwind_functions {
	VEC(struct unwind_function) list; /* by address */
};

/* The caller frees the list. debug: a separate debug file that may have more, or NULL. */
void unwind_functions_of(struct object *o, struct object *debug, struct unwind_functions *ret);
/* The function at vaddr, or NULL. */
const struct unwind_function *unwind_function_at(const struct unwind_functions *f, uint64_t vaddr);
