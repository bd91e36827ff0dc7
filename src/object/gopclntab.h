/*
 * Functions, lines and depths of the stack of a Go program, which its runtime has for tracebacks, even in stripped programs.
 *
 * The tables of Go 1.2 to 1.15, 1.16 and 1.17, 1.18 and 1.19, and from 1.20 on. Input is untrusted: references outside of it count as
 * absent. Const once opened; it borrows from the object, which must outlive it. Addresses are vaddrs. Source: Go's
 * src/debug/gosym/pclntab.go and src/runtime/symtab.go.
 */
#pragma once
#include "object/object.h"

struct gopclntab {
	const uint8_t *data; /* the section */
	size_t bytes;
	bool swap;
	uint8_t quantum, word_bytes;
	uint8_t offset_bytes;   /* of an address in the table of functions */
	bool has_units;         /* files are numbered within units */
	uint8_t flags_at;       /* of a function's description: index of the 32 bits with its flags; 0: it has none */
	uint64_t text;          /* added to addresses */
	uint64_t functions_nr;
	/* Offsets in the section. */
	size_t names, units, files, programs, functions;
};

/* False: no such table, or an unknown version. */
bool gopclntab_open(const struct object *o, struct gopclntab *ret);

#define GOPCLNTAB_TOP_FRAME 1 /* the first function of a stack */
#define GOPCLNTAB_SP_WRITE  2 /* its depths leave out where it changes stacks */

struct gopclntab_function {
	uint64_t start, end;
	const char *name; /* ends in a NUL inside the section */
	size_t at;        /* of its entry in the section */
	uint8_t flags;    /* 0 before Go 1.17 */
};

/* False: damaged entry. */
bool gopclntab_function(const struct gopclntab *t, uint64_t i, struct gopclntab_function *ret);
/* Where the code of all functions begins and ends; false: there is none. */
bool gopclntab_code(const struct gopclntab *t, uint64_t *ret_start, uint64_t *ret_end);

/* One of a function's tables of values by address. */
struct gopclntab_values {
	struct cursor c;
	uint64_t from, to; /* where the value holds: vaddrs, to excluded */
	int32_t value;
	uint8_t quantum;
	bool is_begun;
};

/*
 * How many bytes the stack pointer is below its value at the function's first instruction. gopclntab_next() before the first range, too;
 * false: there are no more, or the rest is damaged. Ranges may reach beyond the function.
 */
struct gopclntab_values gopclntab_depths(const struct gopclntab *t, const struct gopclntab_function *f);
bool gopclntab_next(struct gopclntab_values *v);
/* The line of an address, that of the innermost inlined function; false: unknown. The file's name is borrowed. */
bool gopclntab_line(const struct gopclntab *t, uint64_t vaddr, const char **ret_file, uint32_t *ret_line);
