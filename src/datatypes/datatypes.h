/*
 * The type of data that an instruction accesses, and the offset in it, from debug information (DWARF).
 *
 * Known are: variables at a fixed address; what a variable in a register points to, and variables in the frame, where debug information
 * says that the instruction's base register holds them at that place; and variables of the unit in which a recorded data address is.
 * Nothing is guessed: registers are not followed from one instruction to the next. x86-64 only.
 *
 * One thread. Files are hostile. DSOs outlive it. Source: DWARF 5, sections 2.6 and 3.3; perf-annotate(1), --data-type.
 */
#pragma once
#include "arch/arch.h"
#include "base/error.h"
#include "symbol/symbol.h"
#include "values/type.h"

struct datatypes;

/* The data that a sample was about; symbol NULL: not known. Addresses are of its DSO's space. */
struct data_address {
	const char *symbol;
	uint64_t offset; /* of the address in the symbol */
};

struct datatype {
	const struct type *type; /* lives as long as the struct datatypes */
	uint64_t offset;         /* bytes */
};

/* ERROR_UNSUPPORTED: no library disassembles the architecture. */
struct strobe_error *datatypes_create(const struct arch *arch, struct datatypes **ret) _must_check_;
void datatypes_destroy(struct datatypes *d);
/* What the instruction at this address of a DSO accesses; false: not known. */
bool datatypes_find(struct datatypes *d, struct dso *dso, uint64_t code, const struct data_address *data, struct datatype *ret);
