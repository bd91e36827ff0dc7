/*
 * Where the arguments of a C function are at its entry, by the machine's calling convention, for functions without debug information.
 *
 * Integers, pointers, and structs of these: what kernels pass. Numbers in floating point registers are not located. Sources: the
 * System V psABI of x86-64 (3.2.3), the AAPCS64 of Arm (6.4.2).
 */
#pragma once
#include "arch/arch.h"
#include "base/arena.h"
#include "values/location.h"
#include "values/type.h"

/* Whether the convention of the machine is known. */
bool call_convention_is_known(const struct arch *arch);
/* Fills ret[0..n) for types[0..n), NULL = not known; where one cannot be located, those after it cannot, either. */
void call_convention_locate(const struct arch *arch, const struct type *const *types, size_t n, struct arena *arena,
			    struct locations *ret);
/*
 * Where what a function returned is, of a type (not void), when it has returned: in `reg`, the register of results, or in memory that
 * this leads to. .lack where it is elsewhere, as floating point numbers are; of more than a register, the start.
 */
struct location call_convention_returned(const struct arch *arch, const struct type *type, uint8_t reg);
