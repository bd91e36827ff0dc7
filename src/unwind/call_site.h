/*
 * Whether an address is a return address, by the instruction that ends there.
 *
 * A frame that was not made by a call (a signal's trampoline, the function that a coroutine's first one returns to) begins at the
 * first byte of its function: the byte before it is padding, or belongs to another function. Thread-safe.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "object/object.h"

/* Also true if that cannot be determined: no bytes of code, or an unsupported architecture. */
bool call_ends_at(const struct arch *a, const struct object *o, uint64_t vaddr);
/* Whether signal handlers return to it: false of other code, and for an unsupported architecture. */
bool is_sigreturn(const struct arch *a, const struct object *o, uint64_t vaddr);
