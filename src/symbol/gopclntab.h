/*
 * Functions and lines of a Go program, which its runtime has for tracebacks, even in stripped programs.
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
	uint64_t text;          /* added to addresses */
	uint64_t functions_nr;
	/* Offsets in the section. */
	size_t names, units, files, programs, functions;
};

/* False: no such table, or an unknown version. */
bool gopclntab_open(struct object *o, struct gopclntab *ret);

struct gopclntab_function {
	uint64_t start, end;
	const char *name; /* ends in a NUL inside the section */
	size_t at;        /* of its entry in the section, for gopclntab_line() */
};

/* False: damaged entry. */
bool gopclntab_function(const struct gopclntab *t, uint64_t i, struct gopclntab_function *ret);
/* The line of an address, that of the innermost inlined function; false: unknown. The file's name is borrowed. */
bool gopclntab_line(const struct gopclntab *t, uint64_t vaddr, const char **ret_file, uint32_t *ret_line);
