/*
 * The type of data that an instruction accesses, and the offset in it, from debug information (DWARF).
 *
 * Known are: variables at a fixed address; what a variable in a register points to, and variables in the frame, where debug information
 * says that the instruction's base register holds them at that place; what a register points to that was loaded or computed from one of
 * these, in instructions that lead to the place; and variables of the unit in which a recorded data address is. An index is assumed to
 * count whole elements. x86-64 only.
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

enum datatype_result {
	DATATYPE_FOUND,
	DATATYPE_STACK,       /* push, call and the like: the stack itself */
	DATATYPE_CANARY,      /* of stack protection */
	/* Not known: */
	DATATYPE_NO_INSN,     /* no instruction begins at the address */
	DATATYPE_NO_ACCESS,   /* the instruction accesses no memory */
	DATATYPE_NO_DEBUG,    /* the file has no debug information */
	DATATYPE_NO_FUNCTION, /* the debug information does not cover the address */
	DATATYPE_NO_VARIABLE, /* nothing is known of what the register points to */
	DATATYPE_BAD_OFFSET,  /* the access is outside of the variable or of what it points to */
	DATATYPE_RESULTS,
};
/* perf's name of the reason: "no_mem_ops". */
const char *datatype_result_name(enum datatype_result r);

/* What the instruction at this address of a DSO accesses; data may be NULL. *ret: of DATATYPE_FOUND. */
enum datatype_result datatypes_find(struct datatypes *d, struct dso *dso, uint64_t code, const struct data_address *data,
				    struct datatype *ret);
/* The text of the instruction, "mov    0x8(%rdi),%rax"; NULL: none. Lives as long as the struct datatypes. */
const char *datatypes_insn(struct datatypes *d, struct dso *dso, uint64_t code);
