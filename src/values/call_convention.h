/*
 * Locations of a C function's arguments at its entry, by the machine's calling convention, for functions without debug information.
 *
 * Supports integers, pointers, and structs of these, as kernels use. Numbers in floating point registers are not located. Sources: the
 * System V psABI of x86-64 (3.2.3), the AAPCS64 of Arm (6.4.2).
 */
#pragma once
#include "arch/arch.h"
#include "base/arena.h"
#include "values/location.h"
#include "values/type.h"

/* Whether the machine's convention is known. */
bool call_convention_is_known(const struct arch *arch);
/* Fills ret[0..n) for types[0..n), NULL = unknown; if one cannot be located, those after it cannot, either. */
void call_convention_locate(const struct arch *arch, const struct type *const *types, size_t n, struct arena *arena,
			    struct locations *ret);
/*
 * The location of the result at the return of a function, by its type (not void): in `reg`, the register of results, or in memory at its
 * address. .lack is set if it is elsewhere, such as floating point numbers; of a result in several registers, only the start.
 */
struct location call_convention_returned(const struct arch *arch, const struct type *type, uint8_t reg);
